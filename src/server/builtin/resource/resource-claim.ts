import { claimRuleErrors, claimTemplateRuleErrors } from "../../../api/validation/resource/device-rules.js";
import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimTemplate,
} from "../../../api/types/resource/v1.js";
import {
  validateResourceClaim,
  validateResourceClaimUpdate,
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
} from "../../../api/validation/resource/device-claim.js";
import { validateResourceClaimStatusUpdate } from "../../../api/validation/resource/resource-claim-status.js";
import { append } from "../../../base/collections/append.js";
import {
  ensureChild,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns, NAME_AND_AGE } from "../tables/columns.js";
import { allocatedAdminAccess, requestedAdminAccess } from "./admin-access.js";
import { claimStatusRights } from "./claim-status-rights.js";

/** The record of ResourceClaims. When a device is deallocated, the drivers' status of the device is removed. */
export const resourceClaimRecord: RecordOf<ResourceClaim> = {
  group: "resource.k8s.io",
  resource: "resourceclaims",
  strategy: {
    prepareForStatusUpdate(draft, old) {
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
    async beforeValidation(draft, old, context, subresource) {
      const { metadata, spec } = draft;
      if (old === undefined) return requestedAdminAccess(spec, metadata?.namespace, context);
      // A spec never changes.
      if (subresource !== "status") return [];
      return [
        ...(await allocatedAdminAccess(allocated(draft), allocated(old), metadata?.namespace, context)),
        ...(await claimStatusRights(draft, old, context)),
      ];
    },
    validate: (claim) => [...validateResourceClaim(claim), ...claimRuleErrors(claim)],
    validateUpdate: validateResourceClaimUpdate,
    validateStatusUpdate: validateResourceClaimStatusUpdate,
    columns: columns(
      ["Name", ["State", "Whether devices are allocated and reserved for pods."], "Age"],
      (claim, now) => {
        const status = object(claim.status);
        const deleted = claim.metadata?.deletionTimestamp !== undefined;
        const states = deleted ? ["deleted"] : [];
        if (status.allocation !== undefined) {
          append(states, ["allocated"], list(status.reservedFor).length > 0 ? ["reserved"] : []);
        } else if (!deleted) states.push("pending");
        return [name(claim), states.join(","), age(claim, now)];
      },
    ),
  },
};

const allocated = (claim: ReceivedObject<ResourceClaim>): readonly Received<DeviceRequestAllocationResult>[] =>
  objects(object(object(object(claim.status).allocation).devices).results);

const deviceOf = (holder: Received<AllocatedDeviceStatus | DeviceRequestAllocationResult>): string =>
  [holder.driver, holder.pool, holder.device, holder.shareID].map((part) => text(part)).join("/");

export const resourceClaimTemplateRecord: RecordOf<ResourceClaimTemplate> = {
  group: "resource.k8s.io",
  resource: "resourceclaimtemplates",
  strategy: {
    async beforeValidation({ metadata, spec }, old, context) {
      // A spec never changes.
      if (old !== undefined) return [];
      return requestedAdminAccess(object(spec).spec, metadata?.namespace, context);
    },
    validate: (template) => [...validateResourceClaimTemplate(template), ...claimTemplateRuleErrors(template)],
    validateUpdate: validateResourceClaimTemplateUpdate,
    columns: NAME_AND_AGE,
  },
};
