import { errorMessage } from "../../base/text/error-message.js";
import type { Steps } from "../../base/async/steps.js";
import { badRequest } from "../errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind } from "../meta/gvk.js";
import type { JsonValue } from "../meta/json.js";
import type { KubeObject } from "../meta/object.js";
import type { StructSchema } from "../schema/schema.js";
import type { DuplicateKeys } from "./json/exact-json.js";
import { decodeJsonSteps, type DecodedJson, decodeJson, maxBodyDepth } from "./json/json-decoder.js";
import { notRegisteredText, statedKind } from "./stated-kind.js";
import { type DecodedObject, decodeObject, decodeObjectSteps } from "./strict-decode.js";

export interface TypedDecodeOptions {
  /** The kind the endpoint takes; fills in a kind and version that the body leaves out. */
  readonly expected: GroupVersionKind;
  /** The schema of a kind the server knows; undefined when it knows none. */
  readonly schemaOf: (kind: GroupVersionKind) => StructSchema | undefined;
  /** `fieldValidation`: Strict refuses what Warn only reports. */
  readonly mode: "Ignore" | "Warn" | "Strict";
  /** What was said of keys that the YAML sets twice; what became of them no longer shows. */
  readonly repeatedInYaml?: readonly string[];
}

export interface TypedObject {
  /** With apiVersion and kind set. */
  readonly object: KubeObject;
  /** What the body says it is; the caller compares it with what it expects. */
  readonly kind: GroupVersionKind;
  readonly schema: StructSchema;
  /** In mode Warn, to be sent as Warning headers; else empty. */
  readonly warnings: readonly string[];
}

/**
 * Decodes the body of a request as kube-apiserver does. Throws its 400 (BadRequest) in its words for syntax errors, unknown kinds,
 * wrong types and, in mode Strict, unknown and repeated fields.
 */
export function decodeTyped(body: Uint8Array, options: TypedDecodeOptions): TypedObject {
  let decoded: DecodedJson;
  try {
    decoded = decodeJson(body, { maxDepth: maxBodyDepth });
  } catch (error) {
    throw notJson(options, error, body);
  }
  return decodeTypedValue(decoded.value, decoded.duplicates, options, body, true);
}

/** {@link decodeTyped} in steps. */
export function* decodeTypedSteps(body: Uint8Array, options: TypedDecodeOptions): Steps<TypedObject> {
  let decoded: DecodedJson;
  try {
    decoded = yield* decodeJsonSteps(body, { maxDepth: maxBodyDepth });
  } catch (error) {
    throw notJson(options, error, body);
  }
  return yield* decodeTypedValueSteps(decoded.value, decoded.duplicates, options, body, true);
}

/**
 * As {@link decodeTyped}, for a body that is parsed already (YAML). Errors quote `body`. An owned value is shared with no one, and
 * is changed in place.
 */
export function decodeTypedValue(
  value: JsonValue,
  duplicates: DuplicateKeys | undefined,
  options: TypedDecodeOptions,
  body: Uint8Array,
  isOwned = false,
): TypedObject {
  const { mode } = options;
  const target = targetOf(value, options, body);
  try {
    return typed(decodeObject<KubeObject>(value, target.schema, { mode, duplicates, isOwned }), target, options);
  } catch (error) {
    throw unhandled(target.kind, options, errorMessage(error));
  }
}

/** {@link decodeTypedValue} in steps. */
export function* decodeTypedValueSteps(
  value: JsonValue,
  duplicates: DuplicateKeys | undefined,
  options: TypedDecodeOptions,
  body: Uint8Array,
  isOwned = false,
): Steps<TypedObject> {
  const { mode } = options;
  const target = targetOf(value, options, body);
  try {
    yield;
    return typed(
      yield* decodeObjectSteps<KubeObject>(value, target.schema, { mode, duplicates, isOwned }),
      target,
      options,
    );
  } catch (error) {
    throw unhandled(target.kind, options, errorMessage(error));
  }
}

/** The kind that a body says it is. */
interface Target {
  readonly kind: GroupVersionKind;
  readonly schema: StructSchema;
}

function targetOf(value: JsonValue, options: TypedDecodeOptions, body: Uint8Array): Target {
  const kind = interpret(value, options.expected, body);
  const schema = options.schemaOf(kind);
  if (schema === undefined) throw unhandled(kind, options, notRegisteredText(kind));
  return { kind, schema };
}

function typed(
  { object, strictErrors }: DecodedObject<KubeObject>,
  { kind, schema }: Target,
  { mode, repeatedInYaml = [] }: TypedDecodeOptions,
): TypedObject {
  const repeated = mode === "Ignore" ? [] : repeatedInYaml;
  if (mode === "Strict" && strictErrors.length + repeated.length > 0) {
    const yaml = repeated.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${repeated.join("\n  ")}`];
    throw new Error(`strict decoding error: ${[...yaml, ...strictErrors].join(", ")}`);
  }
  const apiVersion = formatGroupVersion(kind);
  const isNamed = object.kind === kind.kind && object.apiVersion === apiVersion;
  const named: KubeObject = isNamed ? object : { kind: kind.kind, apiVersion, ...object };
  return { object: named, kind, schema, warnings: [...repeated, ...strictErrors] };
}

function notJson({ expected }: TypedDecodeOptions, error: unknown, body: Uint8Array): Error {
  return unrecognized(expected, `couldn't get version/kind; json parse error: ${errorMessage(error)}`, body);
}

function unhandled({ kind, version }: GroupVersionKind, { expected }: TypedDecodeOptions, message: string): Error {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${expected.kind}: ${message}`);
}

function interpret(value: JsonValue, expected: GroupVersionKind, body: Uint8Array): GroupVersionKind {
  let stated: GroupVersionKind;
  try {
    stated = statedKind(value);
  } catch (error) {
    throw unrecognized(expected, errorMessage(error), body);
  }
  const kind = stated.kind === "" ? expected.kind : stated.kind;
  if (stated.version !== "") return { ...stated, kind };
  // Go fills in what is missing, the group only together with the version.
  return { group: stated.group === "" ? expected.group : stated.group, version: expected.version, kind };
}

const SUMMARY_BYTES = 30;

/** 400 for a body that does not state its kind; it quotes the beginning of the body. */
export function unrecognized(expected: GroupVersionKind, message: string, body: Uint8Array): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${expected.kind}): ${message} (${summarize(body)})`,
  );
}

/** The start of the body: as text when it looks like JSON, else as hexadecimal digits. */
function summarize(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const head = body.subarray(0, SUMMARY_BYTES);
  const shown =
    body[0] === 0x7b
      ? new TextDecoder().decode(head)
      : [...head].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return body.length > SUMMARY_BYTES ? `${shown} ...` : shown;
}
