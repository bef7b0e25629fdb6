import type { Preconditions } from "../storage/store.js";

/** meta.k8s.io/v1 DeleteOptions after validation. */
export interface ValidDeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** The deprecated form of `propagationPolicy`: true is Orphan, false is Background. The two exclude each other. */
  readonly orphanDependents?: boolean | undefined;
}
