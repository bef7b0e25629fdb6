import { decodeJson, JsonDecodeError, maxBodyDepth } from "../wire/json/json-decoder.js";
import { encodeJson } from "../wire/json/json-encoder.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { getOwn } from "../patch/json-values.js";
import { areTooLong } from "../validation/labels.js";
import { compare } from "./compare.js";
import { difference, type FieldSet } from "./field-set.js";
import { toFieldSet } from "./to-field-set.js";
import type { TypeDescriptor } from "./type-descriptor.js";
import { validate } from "./validate.js";
import { TypeMismatch } from "./apply-error.js";

const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

/** Returns the annotation in which client-side apply keeps the last applied configuration; "" without one. */
export function lastAppliedOf(object: JsonObject): string {
  const text = getOwn(annotationsOf(object), ANNOTATION);
  return typeof text === "string" ? text : "";
}

/**
 * Returns the fields that client-side apply owned: those in the annotation whose values the live object still has. Undefined when
 * the annotation is invalid.
 */
export function lastAppliedFields(live: JsonObject, apiVersion: string, type: TypeDescriptor): FieldSet | undefined {
  const text = lastAppliedOf(live);
  if (text === "") return undefined;
  try {
    const applied = decodeJson(text, { maxDepth: maxBodyDepth }).value;
    if (!isJsonObject(applied) || getOwn(applied, "apiVersion") !== apiVersion) return undefined;
    validate(applied, type);
    const { removed, modified, added } = compare(applied, live, type);
    return difference(difference(difference(toFieldSet(applied, type), modified), added), removed);
  } catch (error) {
    if (error instanceof JsonDecodeError || error instanceof TypeMismatch) return undefined;
    throw error;
  }
}

/** Returns the object with the annotation of the configuration that was applied now; without the annotation if that would be too large. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations: JsonObject = { ...annotationsOf(object), [ANNOTATION]: printApplied(applied) };
  if (areTooLong(annotations as Record<string, string>)) delete annotations[ANNOTATION];
  return { ...object, metadata: { ...metadataOf(object), annotations } };
}

function printApplied(applied: JsonObject): string {
  const { [ANNOTATION]: _, ...annotations } = annotationsOf(applied);
  const metadata = metadataOf(applied);
  const own = isJsonObject(metadata["annotations"]) ? { ...applied, metadata: { ...metadata, annotations } } : applied;
  return `${encodeJson(own, { sortKeys: true })}\n`;
}

const metadataOf = (object: JsonObject): JsonObject => objectAt(object, "metadata");
const annotationsOf = (object: JsonObject): JsonObject => objectAt(metadataOf(object), "annotations");

function objectAt(object: JsonObject, field: string): JsonObject {
  const value: JsonValue | undefined = getOwn(object, field);
  return isJsonObject(value) ? value : {};
}
