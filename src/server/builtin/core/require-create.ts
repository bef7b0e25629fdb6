import type { Authorizer } from "../../authz/authorizer.js";
import { refusal } from "../../authz/refusal.js";
import type { RequestScope } from "../../registry/scope.js";

/** A connection into a pod: "exec" of the pod "web". `verb` is that of the request. */
export interface PodConnection {
  readonly verb: string;
  readonly name: string;
  readonly subresource: "exec" | "attach" | "portforward";
}

/**
 * Throws 403 for a GET by a user who may not create the subresource. A WebSocket can only begin with GET, and the right to read a pod's
 * exec shall not run programs in it. Source: kube-apiserver's AuthorizePodWebsocketUpgradeCreatePermission, on from 1.35.
 */
export async function requireCreate(
  authorize: Authorizer,
  { user, namespace }: RequestScope,
  { verb, name, subresource }: PodConnection,
): Promise<void> {
  if (verb !== "get") return;
  const attributes = {
    user,
    verb: "create",
    isResourceRequest: true,
    apiGroup: "",
    apiVersion: "v1",
    resource: "pods",
    subresource,
    namespace,
    name,
    path: "",
  };
  const { decision, reason } = await authorize(attributes);
  if (decision !== "allow") throw refusal(attributes, reason);
}
