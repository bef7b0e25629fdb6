import type { CallerReviews } from "../../src/node/kubelet-api/caller-reviews.js";

/** Of a kubelet whose authorization mode is AlwaysAllow and which knows no tokens: every client with a certificate may do everything. */
export const allowingReviews: CallerReviews = {
  callerOf: () => Promise.resolve(undefined),
  allows: () => Promise.resolve(true),
};

/** For a kubelet's `report`, where nothing may fail. */
export const throwing = (error: unknown): never => {
  throw error;
};
