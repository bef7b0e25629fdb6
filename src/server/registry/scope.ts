import type { Warnings } from "../request/api-request.js";
import type { User } from "../request/user.js";

/** What a registry must know of the request it works for. */
export interface RequestScope {
  readonly user: User;
  /** The apiVersion the request came in: "apps/v1". "" for what the server does by itself. */
  readonly apiVersion: string;
  /** "" for cluster-scoped resources and for requests over all namespaces. */
  readonly namespace: string;
  readonly warnings: Warnings;
  readonly dryRun: boolean;
}
