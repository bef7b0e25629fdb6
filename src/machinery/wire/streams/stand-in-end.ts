const ends = new WeakMap<object, string>();

/** Marks a connection that a stand-in answers instead of a program; `what` names the stand-in as a phrase with its subject. */
export function markStandIn<T extends object>(connection: T, what: string | undefined): T {
  if (what !== undefined) ends.set(connection, what);
  return connection;
}

/** Names the stand-in at the other end of a connection; undefined where a program answers. */
export const standInAt = (connection: object): string | undefined => ends.get(connection);

/** Thrown for a call that was not made, because no program would answer it. */
export class StandInError extends Error {
  override readonly name = "StandInError";

  /** `what`: what stands in, as a phrase with its subject. */
  constructor(readonly what: string) {
    super(`not called: ${what}`);
  }
}

/** Finds the {@link StandInError} that caused another error. */
export function standInErrorOf(error: unknown): StandInError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof StandInError) return cause;
  }
  return undefined;
}
