import { decodeJson } from "../../../machinery/codec/json-decoder.js";
import { encodeJson } from "../../../machinery/codec/json-encoder.js";
import type { ResponseFormat } from "../negotiation/response-format.js";

const utf8 = new TextEncoder();

/** JSON bytes as the format asks for them; JSON ends in a newline, as Go's encoder writes it. */
export async function renderJson(json: Uint8Array, format: ResponseFormat): Promise<Uint8Array> {
  if (format.mediaType === "application/json") {
    if (!format.pretty) return Buffer.concat([json, NEWLINE]);
    return utf8.encode(encodeJson(decodeJson(json).value, { indent: 2 }));
  }
  const { emitYaml } = await import("../../../machinery/yaml/emit.js");
  return utf8.encode(emitYaml(decodeJson(json).value, { anyCharacter: true }));
}

/** A plain value as one line of JSON, without a newline. */
export const jsonBytes = (value: unknown): Uint8Array => utf8.encode(encodeJson(value));

export const NEWLINE: Uint8Array = Uint8Array.of(0x0a);

/** {@link jsonBytes} as a string. */
export const jsonText = (value: unknown): string => encodeJson(value);
