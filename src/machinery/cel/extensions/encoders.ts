import type { Library } from "../functions/declaration.js";
import { BYTES, STRING } from "../types/type.js";
import { spendSteps } from "../values/meter.js";
import { ErrorValue, type Value } from "../values/value.js";

const ALPHABET = /^[A-Za-z0-9+/]*$/;

/** Reads base64, with its padding or without. */
function decode(text: string): Value {
  spendSteps(text.length / 8);
  const joined = text.replaceAll(/[\r\n]/g, "");
  const digits = joined.replace(/={1,2}$/, "");
  const padded = digits.length !== joined.length;
  if (!ALPHABET.test(digits) || digits.length % 4 === 1 || (padded && joined.length % 4 !== 0)) {
    return new ErrorValue(`illegal base64 data at input byte ${/[^A-Za-z0-9+/]/.exec(digits)?.index ?? digits.length}`);
  }
  return Uint8Array.from(atob(digits), (character) => character.charCodeAt(0));
}

/** What one call of `fromCharCode` takes. */
const SLICE = 8192;

function encode(bytes: Uint8Array): Value {
  spendSteps(bytes.length / 8);
  let binary = "";
  for (let start = 0; start < bytes.length; start += SLICE) {
    binary += String.fromCharCode(...bytes.subarray(start, start + SLICE));
  }
  return btoa(binary);
}

/** `base64.encode` and `base64.decode`. */
export const ENCODERS: Library = {
  functions: [
    {
      name: "base64.decode",
      overloads: [{ id: "base64_decode_string", args: [STRING], result: BYTES, call: decode }],
    },
    {
      name: "base64.encode",
      overloads: [{ id: "base64_encode_bytes", args: [BYTES], result: STRING, call: encode }],
    },
  ],
};
