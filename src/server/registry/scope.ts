import type { Warnings } from "../request/api-request.js";
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
  /** Present for long requests. The registry awaits it between steps, so that other requests get the event loop. */
  readonly pause?: (() => Promise<void>) | undefined;
}
