import type { FieldsOf } from "../../machinery/meta/received.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { formatFieldErrors } from "../../machinery/errors/field-error.js";
import { formatGroupVersion, parseGroupVersion } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import { deepCopy, getOwn, goTypeOf, setOwn } from "../../machinery/patch/json-values.js";
import { validateAnnotations, validateLabels } from "../../machinery/validation/labels.js";

/** The beginnings of the error messages about one object: of errors in its metadata, and of others. */
export interface Blame {
  /** "returned invalid object" */
  readonly object: string;
  /** Before what is wrong with version and kind: "returned invalid object at index 0". */
  readonly kind: string;
  /** "returned invalid metadata" */
  readonly metadata: string;
}

/**
 * Checks what a webhook made of an object, as apiextensions-apiserver does, and puts the original's metadata back: a webhook may change
 * labels and annotations alone. Returns a new object. Throws an Error in apiextensions' words.
 */
export function checkedObject(
  original: KubeObject,
  converted: JsonValue,
  desiredApiVersion: string,
  blame: Blame,
): KubeObject {
  const object = objectOf(converted, blame);
  const [version, kind] = [textOf(object, "apiVersion"), textOf(object, "kind")];
  if (version !== desiredApiVersion) {
    throw new Error(
      `${blame.kind}: invalid groupVersion (expected ${desiredApiVersion}, received ${groupVersionText(version)})`,
    );
  }
  if (kind !== original.kind) {
    throw new Error(`${blame.kind}: invalid kind (expected ${original.kind ?? ""}, received ${kind})`);
  }
  const metadata = getOwn(object, "metadata");
  const answered = isJsonObject(metadata) ? metadata : {};
  for (const [what, field] of IMMUTABLE) {
    const [was, is] = [original.metadata?.[field] ?? "", textOf(answered, field)];
    if (was !== is) throw new Error(`${blame.object}: must have the same ${what}: ${was} != ${is}`);
  }
  if (metadata === undefined) throw new Error(`${blame.metadata}: missing metadata in converted object`);
  if (!isJsonObject(metadata)) {
    throw new Error(`${blame.metadata}: invalid metadata of type ${typeText(metadata)} in converted object`);
  }
  return { ...object, metadata: restored(original, metadata, blame.metadata) } satisfies FieldsOf<ApiObject>;
}

const IMMUTABLE = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["UID", "uid"],
] as const;

function objectOf(value: JsonValue, blame: Blame): JsonObject {
  if (value === null) throw new Error(`${blame.kind}: unexpected end of JSON input`);
  if (!isJsonObject(value) || textOf(value, "kind") === "") {
    throw new Error(`${blame.kind}: Object 'Kind' is missing in '${encodeJson(value)}'`);
  }
  return value;
}

/** The original's metadata with the labels and annotations of the answer. */
function restored(original: KubeObject, answered: JsonObject, blame: string): NonNullable<KubeObject["metadata"]> {
  const metadata = deepCopy(original.metadata ?? {}) as JsonObject;
  for (const field of ["labels", "annotations"] as const) {
    const given = getOwn(answered, field);
    if (given === undefined || given === null) {
      delete metadata[field];
      continue;
    }
    if (!isJsonObject(given)) {
      throw new Error(`${blame}: invalid metadata.${field} of type ${typeText(given)} in converted object`);
    }
    checkTexts(field, original.metadata?.[field] ?? {}, given, blame);
    setOwn(metadata, field, given);
  }
  return metadata;
}

/** What the webhook left as it was is not checked again. */
function checkTexts(
  field: "labels" | "annotations",
  before: Readonly<Record<string, string>>,
  given: JsonObject,
  blame: string,
): void {
  for (const [key, value] of Object.entries(given)) {
    if (typeof value === "string") continue;
    throw new Error(
      `${blame}: metadata.${field}[${key}] must be a string, but is ${typeText(value)} in converted object`,
    );
  }
  const texts = given as Record<string, string>;
  const keys = Object.keys(texts);
  if (keys.length === Object.keys(before).length && keys.every((key) => before[key] === texts[key])) return;
  const errors =
    field === "labels" ? validateLabels(texts, "metadata.labels") : validateAnnotations(texts, "metadata.annotation");
  if (errors.length > 0) throw new Error(`${blame}: ${formatFieldErrors(errors)}`);
}

function textOf(object: JsonObject, key: string): string {
  const value = getOwn(object, key);
  return typeof value === "string" ? value : "";
}

const typeText = (value: JsonValue): string => (value === null ? "<nil>" : goTypeOf(value));

/** What Go reads of an apiVersion: nothing of one that is none. */
function groupVersionText(apiVersion: string): string {
  try {
    return apiVersion === "" ? "" : formatGroupVersion(parseGroupVersion(apiVersion));
  } catch {
    return "";
  }
}
