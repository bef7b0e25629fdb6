import { decodeJson } from "../../../../machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../../machinery/wire/json/json-encoder.js";

const utf8 = new TextEncoder();

/** JSON bytes indented, for people. */
export const indented = (json: Uint8Array): Uint8Array =>
  utf8.encode(encodeJson(decodeJson(json).value, { indent: 2 }));

/** A plain value as one line of JSON, without a newline. */
export const jsonBytes = (value: unknown): Uint8Array => utf8.encode(encodeJson(value));

export const NEWLINE: Uint8Array = Uint8Array.of(0x0a);

/** {@link jsonBytes} as a string. */
export const jsonText = (value: unknown): string => encodeJson(value);
