import { decodeJson, JsonDecodeError } from "../../../machinery/codec/json-decoder.js";
import { goValueOf } from "../../../machinery/codec/go-types.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../machinery/meta/json.js";

/** The body of an apply: one YAML document that is an object; an empty one is an empty object. Throws 400. */
export async function readAppliedObject(bytes: Uint8Array): Promise<JsonObject> {
  const value = await parse(bytes);
  if (value === null) return {};
  if (isJsonObject(value)) return value;
  throw badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goValueOf(value)} into Go value of type map[string]interface {}`,
  );
}

const OPENING_BRACE = 0x7b;
/** The YAML reader's own, so that nothing that walks an applied object can run out of stack. */
const MAX_DEPTH = 1000;

/** Clients send JSON, which is YAML too and much faster to read. */
async function parse(bytes: Uint8Array): Promise<JsonValue> {
  if (bytes[0] === OPENING_BRACE) {
    try {
      return decodeJson(bytes, { maxDepth: MAX_DEPTH }).value;
    } catch (error) {
      if (!(error instanceof JsonDecodeError)) throw error;
    }
  }
  const { parseYamlBody } = await import("../negotiation/yaml-body.js");
  return parseYamlBody(bytes, "error decoding YAML: ");
}
