import { NetworkFailure } from "../../client/transport/go-network-error.js";

/** A call was not made, because no program would answer it. */
export class StandInError extends NetworkFailure {
  /** `what`: what stands in, as a phrase with its subject. */
  constructor(readonly what: string) {
    super(`not called: ${what}`);
  }
}

/** The {@link StandInError} that is the cause of another error. */
export function standInErrorOf(error: unknown): StandInError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StandInError) return cause;
  }
  return undefined;
}
