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
  /** There when the request is long: to be awaited between the steps of the work, so that others have their turn. */
  readonly pause?: (() => Promise<void>) | undefined;
}
