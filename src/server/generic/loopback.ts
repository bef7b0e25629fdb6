import type { RequestScope } from "../registry/scope.js";
import { Warnings } from "../request/api-request.js";

/** The server's own identity, for what it writes without being asked. */
const LOOPBACK_USER = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** What the server does by itself in a namespace, "" for what has none. */
export function loopbackScope(namespace: string): RequestScope {
  return { user: LOOPBACK_USER, apiVersion: "", namespace, warnings: new Warnings(), dryRun: false };
}
