import { validateResourceClaim, validateResourceClaimUpdate } from "../../../api/validation/device-claim.js";
import { validateResourceClaimStatusUpdate } from "../../../api/validation/resource-claim-status.js";
import { ensureChild, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Strategy } from "../../registry/strategy.js";
import { keepMetadata } from "../keep-metadata.js";

/** What drivers say of a device goes when the device is no longer the claim's. */
export const resourceClaimStrategy: Strategy = {
  prepareForStatusUpdate(draft, old) {
    keepMetadata(draft, old);
    const kept = new Set(allocated(draft).map(deviceOf));
    const gone = new Set(
      allocated(old)
        .map(deviceOf)
        .filter((device) => !kept.has(device)),
    );
    const status = ensureChild(draft, "status");
    const devices = objects(status.devices).filter((device) => !gone.has(deviceOf(device)));
    if (devices.length > 0) status.devices = devices;
    else delete status.devices;
  },
  validate: validateResourceClaim,
  validateUpdate: validateResourceClaimUpdate,
  validateStatusUpdate: validateResourceClaimStatusUpdate,
};

const allocated = (claim: KubeObject): readonly ReadonlyFields[] =>
  objects(object(object(object(claim.status).allocation).devices).results);

const deviceOf = (holder: ReadonlyFields): string =>
  [holder.driver, holder.pool, holder.device].map((part) => text(part)).join("/");
