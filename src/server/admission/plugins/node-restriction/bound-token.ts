import type { Pod } from "../../../../api/types/core/v1.js";
import type { TokenRequest } from "../../../../api/types/authentication/v1.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import { list, object, type ReceivedObject, text } from "../../../../machinery/meta/received.js";
import { checkOf } from "../../resource-check.js";
import { listed, nodeOf, type NodeRequest, POD, permitIf } from "./node-request.js";
import { usesAudience } from "./pod-audiences.js";

/** A node takes tokens of service accounts for its own pods only, which they are bound to, and for the audiences that these use. */
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
