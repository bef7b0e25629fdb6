import { encodeJson } from "../machinery/wire/json/json-encoder.js";

/** JSON as Go writes a map: keys in byte order, no white space. */
export const sortedJson = (value: unknown): string => encodeJson(value, { sortKeys: true });

/** An object as a request's body: with the newline Go's encoder ends it with. */
export const encodeBody = (object: unknown): Uint8Array => new TextEncoder().encode(`${sortedJson(object)}\n`);
