import type { Pod, PersistentVolume, PersistentVolumeClaim, Volume } from "../../../../api/types/core/v1.js";
import type { TokenRequest } from "../../../../api/types/authentication/v1.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import {
  list,
  object,
  type ReceivedObject,
  text,
  absent,
  objects,
  type Received,
} from "../../../../machinery/meta/received.js";
import { checkOf } from "../../resource-check.js";
import { listed, nodeOf, type NodeRequest, POD, permitIf } from "./node-request.js";
import type { CSIDriver } from "../../../../api/types/storage/v1.js";
import { aggregateText } from "../../../../machinery/errors/aggregate-text.js";
import { formatGroupResource, type GroupResource } from "../../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import { refused } from "../../attributes.js";

/**
 * Allows a node to request service account tokens only for its own pods, to which the tokens must be bound, and for at most one
 * audience: one that the pod uses, or one that the node has a right to.
 */
export async function checkToken(request: NodeRequest): Promise<void> {
  const { attributes, node } = request;
  const { operation, subresource, namespace } = attributes;
  const asked: ReceivedObject<TokenRequest> | undefined = attributes.object;
  if (operation !== "CREATE" || subresource !== "token") return;
  const spec = object(asked?.spec);
  const { apiVersion, kind, name, uid } = object(spec.boundObjectRef);
  const isBound = apiVersion === "v1" && kind === "Pod" && text(name) !== "";
  permitIf(isBound, request, "node requested token not bound to a pod");
  permitIf(text(uid) !== "", request, "node requested token with a pod binding without a uid");
  const pod = await listed(request, POD, namespace, text(name));
  const recreated = `the UID in the bound object reference (${text(uid)}) does not match the UID in record. The object might have been deleted and then recreated`;
  permitIf(pod.metadata?.uid === uid, request, recreated);
  permitIf(nodeOf(pod) === node, request, "node requested token bound to a pod scheduled on a different node");
  await checkAudience(list(spec.audiences), pod, request);
}

/** An audience that the pod does not use needs a right: the verb below on a resource of the audience's name. */
async function checkAudience(
  audiences: readonly (string | null)[],
  pod: ReceivedObject<Pod>,
  request: NodeRequest,
): Promise<void> {
  const { attributes, context } = request;
  const { user, namespace, name } = attributes;
  permitIf(audiences.length <= 1, request, "node may only request 0 or 1 audiences");
  const audience = text(audiences[0]);
  if (await usesAudience(pod, audience, request)) return;
  const verb = "request-serviceaccounts-token-audience";
  const check = { verb, group: "", version: "v1", resource: audience, namespace, name };
  const { decision } = await context.authorize(checkOf(user, check));
  const unused = `audience ${goQuote(audience)} not found in pod spec volume`;
  const message = `${unused}, ${user.name} is not authorized to request tokens for this audience`;
  permitIf(decision === "allow", request, message);
}

/**
 * Whether a volume of the pod takes a token for the audience: a projected one, or one whose CSI driver asks for such tokens.
 * Throws 403 where the pod's volumes name a claim, a volume or a driver that does not exist, and none takes such a token.
 */
async function usesAudience(pod: ReceivedObject<Pod>, audience: string, request: NodeRequest): Promise<boolean> {
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
