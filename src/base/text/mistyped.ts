const MISTYPED = Symbol.for("kubets.Mistyped");

/** A word that was not understood, and those that would have been in its place. */
export interface Mistyped {
  readonly typed: string;
  readonly known: Iterable<string>;
  /** What to suggest for one of `known`: a whole path, say, of which it is a part. Default: the word itself. */
  readonly suggest?: ((name: string) => string) | undefined;
}

/**
 * The same error with what would have been understood, which the command line suggests on a terminal. The message stays as it is.
 * `mistyped` is called only then, so it may look through objects.
 */
export function withMistyped<E extends Error>(error: E, mistyped: () => Mistyped): E {
  return Object.defineProperty(error, MISTYPED, { value: mistyped });
}

/** What {@link withMistyped} put on the error; undefined for every other error. */
export function mistypedIn(error: unknown): Mistyped | undefined {
  if (typeof error !== "object" || error === null || !(MISTYPED in error)) return undefined;
  return (error[MISTYPED] as () => Mistyped)();
}
