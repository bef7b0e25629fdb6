/** Sets an own property under any name; a plain assignment to "__proto__" would set the prototype instead. */
export function setKey(object: object, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    (object as Record<string, unknown>)[key] = value;
  }
}

/** Returns an own property; undefined where it is absent. */
export function ownValue(object: object, key: string): unknown {
  const value = (object as Record<string, unknown>)[key];
  // Most are absent, which costs one look.
  return value === undefined || Object.hasOwn(object, key) ? value : undefined;
}
