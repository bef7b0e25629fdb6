import type { CSIDriver } from "../../../../api/types/storage/v1.js";
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from "../../../../api/types/core/v1.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import { aggregateText } from "../../../../machinery/errors/aggregate-text.js";
import {
  absent,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../../machinery/meta/received.js";
import { formatGroupResource, type GroupResource } from "../../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import { refused } from "../../refusal.js";
import type { NodeRequest } from "./node-request.js";

/**
 * Whether a volume of the pod takes a token for the audience: a projected one, or one whose CSI driver asks for such tokens.
 * Throws 403 where the pod's volumes name a claim, a volume or a driver that does not exist, and none takes such a token.
 */
export async function usesAudience(pod: ReceivedObject<Pod>, audience: string, request: NodeRequest): Promise<boolean> {
  const missing: string[] = [];
  for (const volume of objects(object(pod.spec).volumes)) {
    if (projects(volume, audience)) return true;
    try {
      const driver = await driverOf(volume, pod, request);
      if (driver !== "" && (await isAskedBy(driver, audience, request))) return true;
    } catch (error) {
      if (!(error instanceof MissingObject)) throw error;
      missing.push(error.message);
    }
  }
  if (missing.length === 0) return false;
  const reasons = aggregateText(missing);
  throw refused(request.attributes, `error validating audience ${goQuote(audience)}: ${reasons}`);
}

class MissingObject extends Error {
  override readonly name = "MissingObject";
}

const projects = ({ projected }: Received<Volume>, audience: string): boolean =>
  objects(object(projected).sources).some(
    ({ serviceAccountToken: token }) => !absent(token) && text(object(token).audience) === audience,
  );

/** The CSI driver behind a volume; "" for another kind of volume, and for a claim that is not bound. */
async function driverOf(volume: Received<Volume>, pod: ReceivedObject<Pod>, request: NodeRequest): Promise<string> {
  const { csi, ephemeral, persistentVolumeClaim } = volume;
  if (!absent(csi)) return text(object(csi).driver);
  const { name = "", namespace = "" } = pod.metadata ?? {};
  const claim = absent(ephemeral) ? text(object(persistentVolumeClaim).claimName) : `${name}-${text(volume.name)}`;
  if (absent(ephemeral) && claim === "") return "";
  const found: ReceivedObject<PersistentVolumeClaim> = await existing(
    request,
    { group: "", resource: "persistentvolumeclaims" },
    namespace,
    claim,
  );
  const bound = text(object(found.spec).volumeName);
  if (bound === "") return "";
  const persistent: ReceivedObject<PersistentVolume> = await existing(
    request,
    { group: "", resource: "persistentvolumes" },
    "",
    bound,
  );
  return text(object(object(persistent.spec).csi).driver);
}

async function isAskedBy(driver: string, audience: string, request: NodeRequest): Promise<boolean> {
  const found: ReceivedObject<CSIDriver> = await existing(
    request,
    { group: "storage.k8s.io", resource: "csidrivers" },
    "",
    driver,
  );
  return objects(object(found.spec).tokenRequests).some((asked) => text(asked.audience) === audience);
}

/** As client-go's listers name it: by its kind. */
async function existing(
  { context }: NodeRequest,
  { group, resource }: GroupResource,
  namespace: string,
  name: string,
): Promise<KubeObject> {
  const found = await context.objects.cached.get(group, resource, namespace, name);
  if (found !== undefined) return found;
  const kind = formatGroupResource({ group, resource: resource.replace(/s$/, "") });
  throw new MissingObject(`${kind} ${goQuote(name)} not found`);
}
