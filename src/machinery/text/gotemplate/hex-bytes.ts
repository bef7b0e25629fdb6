import { bytesOf } from "../../../base/text/byte-text.js";
import type { Spec } from "./format-verbs.js";

/** The bytes of a string in hexadecimal, for %x and %X. */
export function hexBytes(text: string, { verb, flags, precision }: Spec): string {
  const bytes = bytesOf(text);
  const shown = Array.from(precision === undefined ? bytes : bytes.subarray(0, precision), (byte) =>
    byte.toString(16).padStart(2, "0"),
  );
  const prefix = flags.includes("#") && shown.length > 0 ? "0x" : "";
  const separator = flags.includes(" ") ? ` ${prefix}` : "";
  const hex = prefix + shown.join(separator);
  return verb === "X" ? hex.toUpperCase() : hex;
}
