import type { Steps } from "./steps.js";

/** The value, or in steps what the promise resolves to. Throws what it rejects with. */
export function* waitFor<T>(value: T | Promise<T>): Steps<T> {
  if (!(value instanceof Promise)) return value;
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  yield value.then(
    (resolved) => {
      outcome = { value: resolved };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  // TypeScript does not see that the callbacks ran.
  const settled = outcome as { readonly value: T } | { readonly error: unknown } | undefined;
  if (settled === undefined) throw new Error("the work has to wait for a promise and cannot be done at once");
  if ("error" in settled) throw settled.error;
  return settled.value;
}
