/** kubectl's default keys, by which the user leaves an attached container that goes on running. */
export const DETACH_KEYS = "ctrl-p,ctrl-q";

const CONTROLS = "@abcdefghijklmnopqrstuvwxyz[\\]^_";
const DELETE = 127;

/** Parses keys separated by commas into their bytes: `a`, `ctrl-p`, `DEL`. Throws for an unknown key. */
export function parseDetachKeys(keys: string): Uint8Array {
  return Buffer.concat(
    keys.split(",").map((key) => {
      const bytes = Buffer.from(key);
      if (bytes.length === 1) return bytes;
      const control = /^ctrl-(.)$/.exec(key)?.[1];
      const code = control === undefined ? -1 : CONTROLS.indexOf(control);
      if (code >= 0) return Buffer.of(code);
      if (key === "DEL") return Buffer.of(DELETE);
      throw new Error(`Unknown character: '${key}'`);
    }),
  );
}

/**
 * Yields the input up to the detach keys. Bytes that may be their beginning are held back. `detached` is called once the keys are complete;
 * the input ends there.
 */
export async function* untilDetached(
  input: AsyncIterable<Uint8Array>,
  keys: Uint8Array,
  detached: () => void,
): AsyncGenerator<Uint8Array, void> {
  let matched = 0;
  for await (const chunk of input) {
    const passed: number[] = [];
    for (const byte of chunk) {
      if (byte === keys[matched]) {
        matched += 1;
        if (matched < keys.length) continue;
        if (passed.length > 0) yield Uint8Array.from(passed);
        detached();
        return;
      }
      passed.push(...keys.subarray(0, matched), byte);
      matched = 0;
    }
    if (passed.length > 0) yield Uint8Array.from(passed);
  }
}
