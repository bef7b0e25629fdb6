import { atOnce, type Steps } from "../../base/steps.js";
import { badRequest } from "../errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind } from "../meta/gvk.js";
import type { JsonValue } from "../meta/json.js";
import type { KubeObject } from "../meta/object.js";
import type { StructSchema } from "../schema/schema.js";
import type { DuplicateKeys } from "./exact-json.js";
import { decodeJsonSteps } from "./decode-json-steps.js";
import { maxBodyDepth } from "./json-decoder.js";
import { notRegisteredText, statedKind } from "./stated-kind.js";
import { decodeObjectSteps } from "./strict-decode.js";

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
 * A request body as kube-apiserver decodes it. Throws the 400 (BadRequest) kube-apiserver answers, in its words, for
 * syntax errors, unknown kinds, wrong types and, in mode Strict, unknown and repeated fields.
 */
export function decodeTyped(body: Uint8Array, options: TypedDecodeOptions): TypedObject {
  return atOnce(decodeTypedSteps(body, options));
}

/** {@link decodeTyped} in steps. */
export function* decodeTypedSteps(body: Uint8Array, options: TypedDecodeOptions): Steps<TypedObject> {
  const { expected } = options;
  let decoded: { value: JsonValue; duplicates?: DuplicateKeys | undefined };
  try {
    decoded = yield* decodeJsonSteps(body, { maxDepth: maxBodyDepth });
  } catch (error) {
    throw unrecognized(expected, `couldn't get version/kind; json parse error: ${messageOf(error)}`, body);
  }
  return yield* decodeTypedValueSteps(decoded.value, decoded.duplicates, options, body);
}

/** {@link decodeTypedSteps} for a body that is already a value (YAML). `body` is quoted in errors. */
export function* decodeTypedValueSteps(
  value: JsonValue,
  duplicates: DuplicateKeys | undefined,
  options: TypedDecodeOptions,
  body: Uint8Array,
): Steps<TypedObject> {
  const { expected, schemaOf, mode } = options;
  const repeated = mode === "Ignore" ? [] : (options.repeatedInYaml ?? []);
  const kind = interpret(value, expected, body);
  const fail = (message: string): Error =>
    badRequest(`${kind.kind} in version "${kind.version}" cannot be handled as a ${expected.kind}: ${message}`);
  const schema = schemaOf(kind);
  if (schema === undefined) throw fail(notRegisteredText(kind));
  try {
    yield;
    const { object, strictErrors } = yield* decodeObjectSteps<KubeObject>(value, schema, { mode, duplicates });
    if (mode === "Strict" && strictErrors.length + repeated.length > 0) {
      const yaml = repeated.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${repeated.join("\n  ")}`];
      throw new Error(`strict decoding error: ${[...yaml, ...strictErrors].join(", ")}`);
    }
    const apiVersion = formatGroupVersion(kind);
    const isNamed = object.kind === kind.kind && object.apiVersion === apiVersion;
    const named: KubeObject = isNamed ? object : { kind: kind.kind, apiVersion, ...object };
    return { object: named, kind, schema, warnings: [...repeated, ...strictErrors] };
  } catch (error) {
    throw fail(messageOf(error));
  }
}

function interpret(value: JsonValue, expected: GroupVersionKind, body: Uint8Array): GroupVersionKind {
  let stated: GroupVersionKind;
  try {
    stated = statedKind(value);
  } catch (error) {
    throw unrecognized(expected, messageOf(error), body);
  }
  const kind = stated.kind === "" ? expected.kind : stated.kind;
  if (stated.version !== "") return { ...stated, kind };
  // Go fills in what is missing, the group only together with the version.
  return { group: stated.group === "" ? expected.group : stated.group, version: expected.version, kind };
}

const SUMMARY_BYTES = 30;

/** The 400 for a body that does not say what it is; it quotes the body's beginning. */
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
