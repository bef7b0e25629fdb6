import { encodeJson } from "../machinery/wire/json/json-encoder.js";

/** Encodes JSON as Go encodes a map: keys in byte order, no white space. */
export const sortedJson = (value: unknown): string => encodeJson(value, { sortKeys: true });

/** Encodes an object as a request's body, with the newline of Go's encoder. */
export const encodeBody = (object: unknown): Uint8Array => new TextEncoder().encode(`${sortedJson(object)}\n`);
