import { atOnce } from "../../../base/async/steps.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { isJsonObject, type JsonObject } from "../../../machinery/meta/json.js";
import { emitYaml } from "../../../machinery/text/yaml/emit.js";
import { splitYaml } from "../../../machinery/text/yaml/documents.js";
import { readYamlSteps } from "../../../machinery/text/yaml/read.js";
import { decodeOwnJson } from "../../../machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import type { ObjectPlace } from "./layout.js";

/** The content of an object's file. */
export interface ObjectFile {
  readonly object: JsonObject;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
}

/** The file does not contain the object that belongs at its path. The message tells why. */
export class ObjectFileError extends Error {
  override readonly name = "ObjectFileError";
}

const EXPIRES = "# expires: ";

/**
 * Encodes an object as a file: YAML with the fields in their order in `value`, after a comment with its expiry time if it has one.
 * Returns undefined for a value that is not the JSON of the object at that place.
 */
export function writeObjectFile(place: ObjectPlace, value: Uint8Array, expiresAt?: number): string | undefined {
  const object = objectOf(value);
  if (object === undefined || faultOf(place, object) !== undefined) return undefined;
  const header = expiresAt === undefined ? "" : `${EXPIRES}${new Date(expiresAt).toISOString()}\n`;
  return header + emitYaml(object, { inGivenOrder: true, anyCharacter: true, quotesMerge: true });
}

function objectOf(value: Uint8Array): JsonObject | undefined {
  if (value[0] !== 0x7b) return undefined;
  try {
    const object = decodeOwnJson(value);
    return isJsonObject(object) ? object : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a file that {@link writeObjectFile} or a person wrote. Throws {@link ObjectFileError}. */
export function readObjectFile(place: ObjectPlace, bytes: Uint8Array): ObjectFile {
  const text = decode(bytes);
  const object = parse(text);
  const fault = faultOf(place, object);
  if (fault !== undefined) throw new ObjectFileError(fault);
  return { object, expiresAt: expiryOf(text) };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ObjectFileError("it is not UTF-8 text");
  }
}

function parse(text: string): JsonObject {
  if (text.trim() === "") throw new ObjectFileError("it is empty");
  let value: unknown;
  try {
    if (holdsSeveral(text)) throw new ObjectFileError("it holds several documents");
    const read = atOnce(readYamlSteps(text));
    if (read.repeated[0] !== undefined) throw new ObjectFileError(read.repeated[0]);
    ({ value } = read);
  } catch (error) {
    throw error instanceof ObjectFileError ? error : new ObjectFileError(errorMessage(error));
  }
  if (!isJsonObject(value)) throw new ObjectFileError("it does not hold an object");
  return value;
}

const holdsSeveral = (text: string): boolean =>
  text.includes("\n---") && [...splitYaml(text)].filter((one) => withoutComments(one.text) !== "").length > 1;

const withoutComments = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !line.startsWith("#") && !line.startsWith("---"))
    .join("")
    .trim();

/** Why the object does not belong to the place; undefined where it does. */
function faultOf(place: ObjectPlace, object: JsonObject): string | undefined {
  const { apiVersion, kind, metadata } = object;
  if (typeof apiVersion !== "string" || apiVersion === "") return "apiVersion is missing";
  if (typeof kind !== "string" || kind === "") return "kind is missing";
  if (!isJsonObject(metadata)) return "metadata is missing";
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
  const fits = place.kinds?.some((one) => one.group === group && one.kind === kind) ?? group === place.group;
  if (!fits) {
    const wanted = place.kinds?.map((one) => `${one.kind} of ${shownGroup(one.group)}`).join(" or ");
    return `it holds a ${kind} of ${apiVersion}, and its folder is for ${wanted ?? `objects of ${shownGroup(place.group)}`}`;
  }
  const { name = "", namespace = place.namespace } = metadata;
  if (name !== place.name) return `metadata.name is ${quoted(name)}, and the file is that of ${quoted(place.name)}`;
  if (namespace === place.namespace || (namespace === "" && place.namespace === "")) return undefined;
  const wanted = place.namespace === "" ? "no namespace" : quoted(place.namespace);
  return `metadata.namespace is ${quoted(namespace)}, and its folder is for ${wanted}`;
}

const quoted = (value: unknown): string => JSON.stringify(value);

const shownGroup = (group: string): string => (group === "" ? "the core group" : group);

function expiryOf(text: string): number | undefined {
  if (!text.startsWith(EXPIRES)) return undefined;
  const end = text.indexOf("\n");
  const at = Date.parse(text.slice(EXPIRES.length, end < 0 ? undefined : end).trim());
  if (Number.isNaN(at)) throw new ObjectFileError("the time in its first line, at which it expires, is none");
  return at;
}

/** The stored bytes of an object that was read from a file. */
export const valueOf = (object: JsonObject): Uint8Array => Buffer.from(encodeJson(object));
