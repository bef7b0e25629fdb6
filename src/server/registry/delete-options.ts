import type { Preconditions } from "../storage/store.js";

/** meta.k8s.io/v1 DeleteOptions, checked. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** The old way to say Orphan or Background; not together with `propagationPolicy`. */
  readonly orphanDependents?: boolean | undefined;
}
