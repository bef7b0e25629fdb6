/** Returns a function that makes the value at its first call and returns the same one at each later call. */
export function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
