/** Returns one value, which the first call makes; `made` holds it from then on. If making it throws, the next call tries again. */
export interface Once<T> {
  (): T;
  made?: { readonly value: T };
}

/** Returns a function that makes the value at its first call and returns the same one at each later call. A promise is made once too, even one that rejects. */
export function once<T>(make: () => T): Once<T> {
  const get: Once<T> = () => (get.made ??= { value: make() }).value;
  return get;
}
