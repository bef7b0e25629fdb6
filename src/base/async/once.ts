/** Gives one value, made at the first call; `made` holds it from then on. A call whose making throws leaves nothing made. */
export interface Once<T> {
  (): T;
  made?: { readonly value: T };
}

/** Makes a value when it is first asked for: a promise is made once too, also one that fails. */
export function once<T>(make: () => T): Once<T> {
  const get: Once<T> = () => (get.made ??= { value: make() }).value;
  return get;
}
