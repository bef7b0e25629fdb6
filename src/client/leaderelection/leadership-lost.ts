const BRAND = Symbol.for("kubets.LeadershipLostError");

/**
 * The process was the leader and is none any more, though it was not asked to stop. `cause` is the last error of a renewal,
 * if there was one.
 */
export class LeadershipLostError extends Error {
  override readonly name = "LeadershipLostError";
  readonly [BRAND] = true;

  constructor(lease: string, why: string, cause?: unknown) {
    super(`leader election lost: lease ${lease} ${why}`, cause === undefined ? {} : { cause });
  }
}

export function isLeadershipLost(error: unknown): error is LeadershipLostError {
  return typeof error === "object" && error !== null && BRAND in error;
}
