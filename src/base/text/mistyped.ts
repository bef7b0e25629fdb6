const MISTYPED = Symbol.for("kubets.Mistyped");

/** A word that was not recognized, and the words that would have been recognized in its place. */
export interface Mistyped {
  readonly typed: string;
  readonly known: Iterable<string>;
  /** Returns the suggestion for one of `known`, for example a whole path of which it is a part. Default: the word itself. */
  readonly suggest?: ((name: string) => string) | undefined;
  /** A suggestion that leaves no doubt, and comes before those of `known`: the place of a field that was written without it, say. */
  readonly meant?: string | undefined;
}

/**
 * Attaches to an error the words that would have been understood, which the command line suggests on a terminal. The message stays.
 * `mistyped` is called only for a suggestion, so it may search through objects.
 */
export function withMistyped<E extends Error>(error: E, mistyped: () => Mistyped): E {
  return Object.defineProperty(error, MISTYPED, { value: mistyped });
}

/** Returns what {@link withMistyped} attached to the error; undefined for every other error. */
export function mistypedIn(error: unknown): Mistyped | undefined {
  if (typeof error !== "object" || error === null || !(MISTYPED in error)) return undefined;
  return (error[MISTYPED] as () => Mistyped)();
}
