import type { CancellationToken } from "../../base/async/cancellation.js";
import { Warnings } from "../request/api-request.js";
import type { User } from "../request/user.js";

/** The part of a request that a registry reads. */
export interface RequestScope {
  readonly user: User;
  /** The verb of the request: "update", "patch". "" for a request that the server itself makes. */
  readonly verb: string;
  /** The apiVersion of the request: "apps/v1". "" for a request that the server itself makes. */
  readonly apiVersion: string;
  /** "" for cluster-scoped resources and for requests over all namespaces. */
  readonly namespace: string;
  readonly warnings: Warnings;
  readonly dryRun: boolean;
  /**
   * The token of the request; absent for work of the server itself. A write that is cancelled before it is stored leaves nothing behind.
   */
  readonly token?: CancellationToken | undefined;
  /**
   * Present for long requests. The registry awaits it between steps, so that other requests get the event loop. Rejects with
   * REQUEST_IS_OVER when what it is given is cancelled.
   */
  readonly pause?: ((token: CancellationToken | undefined) => Promise<void>) | undefined;
}

/** The identity of the server's own requests, as kube-apiserver's loopback client has it. */
const LOOPBACK_USER = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** Returns the scope of the server's own requests in a namespace; "" for cluster-scoped objects. */
export function loopbackScope(namespace: string): RequestScope {
  return { user: LOOPBACK_USER, verb: "", apiVersion: "", namespace, warnings: new Warnings(), dryRun: false };
}
