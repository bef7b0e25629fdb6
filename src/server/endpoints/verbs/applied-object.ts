import { isUtf8 } from "node:buffer";
import type { Release } from "../../../api/facts/index.js";
import type { CancellationToken } from "../../../base/async/cancellation.js";
import { inOrder } from "../../../base/async/turns.js";
import { decodeJsonSteps, JsonDecodeError, maxBodyDepth } from "../../../machinery/wire/json/json-decoder.js";
import { goValueOf } from "../../../machinery/wire/go-types.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../machinery/meta/json.js";
import type { ApiRequest } from "../../request/api-request.js";
import { runSteps } from "../negotiation/request-body.js";
import type { WriteOptions } from "../options/write-options.js";

export interface AppliedObject {
  readonly object: JsonObject;
  /**
   * Reports keys that the body sets twice, as `fieldValidation` asks. Called after the object was applied, as in kube-apiserver. Throws 400.
   */
  checkKeys(): void;
}

/** Reads the body of an apply: one YAML document that is an object; an empty body is an empty object. Throws 400. */
export async function readAppliedObject(
  bytes: Uint8Array,
  { fieldValidation }: WriteOptions,
  request: ApiRequest,
  release: Release,
): Promise<AppliedObject> {
  // K37-106: Kubernetes 1.37 calls the body a patch.
  const noun = release.atLeast("1.37") ? "patch" : "YAML";
  const { value, repeated } = await parse(bytes, request, noun);
  const object = value ?? {};
  if (!isJsonObject(object)) {
    throw badRequest(
      `error decoding ${noun}: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goValueOf(value)} into Go value of type map[string]interface {}`,
    );
  }
  return {
    object,
    checkKeys() {
      if (repeated.length === 0 || fieldValidation === "Ignore") return;
      if (fieldValidation === "Strict") {
        const problems = `yaml: unmarshal errors:\n  ${repeated.join("\n  ")}`;
        throw badRequest(`error strict decoding ${noun}: error converting YAML to JSON: ${problems}`);
      }
      for (const text of repeated) request.warnings.add(text);
    },
  };
}

/** Kubernetes 1.37 makes JSON of the body for the audit log, before it reads it as an object. */
const encodingFault = (text: string): string =>
  `error encoding patch: ${text.replace(/^error converting YAML to JSON: /, "")}`;

const OPENING_BRACE = 0x7b;
/**
 * Parses the body as JSON, which most clients send and which is much faster, or else as YAML. Where a key is set twice, YAML's error text is
 * needed.
 */
async function parse(
  bytes: Uint8Array,
  token: CancellationToken,
  noun: "patch" | "YAML",
): Promise<{ readonly value: JsonValue; readonly repeated: readonly string[] }> {
  if (bytes[0] === OPENING_BRACE && isUtf8(bytes)) {
    try {
      const { value, duplicates } = await runSteps(bytes, decodeJsonSteps(bytes, { maxDepth: maxBodyDepth }), token);
      if (duplicates === undefined) return { value, repeated: [] };
    } catch (error) {
      if (!(error instanceof JsonDecodeError)) throw error;
    }
  }
  const { readYamlBody } = await inOrder(import("../negotiation/yaml-body.js"));
  return readYamlBody(bytes, noun === "YAML" ? (text) => `error decoding YAML: ${text}` : encodingFault);
}
