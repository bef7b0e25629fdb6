import type { RequestScope } from "./scope.js";
import { Warnings } from "../request/api-request.js";

/** The identity of the server's own requests, as kube-apiserver's loopback client has it. */
const LOOPBACK_USER = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** Returns the scope of the server's own requests in a namespace; "" for cluster-scoped objects. */
export function loopbackScope(namespace: string): RequestScope {
  return { user: LOOPBACK_USER, verb: "", apiVersion: "", namespace, warnings: new Warnings(), dryRun: false };
}
