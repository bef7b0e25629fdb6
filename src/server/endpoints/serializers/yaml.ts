import { atOnce, type Steps } from "../../../base/async/steps.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { inOrder } from "../../../base/async/turns.js";
import { decodeTypedValue, decodeTypedValueSteps } from "../../../machinery/wire/decode-typed.js";
import { encodeObject } from "../../../machinery/wire/encode.js";
import { decodeJsonSteps, maxJsonDepth } from "../../../machinery/wire/json/json-decoder.js";
import { byLength, isLarge } from "../negotiation/request-body.js";
import { jsonBytes } from "./json/json-text.js";
import { yamlParts, listBody } from "./json/list-body.js";
import { shaper } from "./json/shapes.js";
import type { Serializer } from "./serializer.js";

/** YAML with the contents of the JSON document, in goyaml's dialect. The reader and the emitter are loaded on first use. */
export const yamlSerializer: Serializer = {
  mediaType: "application/yaml",

  object: (view, stored) => document(shaper(view).one(stored)),

  value: (value, _, schema) => document(schema === undefined ? jsonBytes(value) : encodeObject(value, schema)),

  async list(view, list) {
    return yamlParts(listBody(view, list), await emitter());
  },

  async decode(body, { expected, mode, schemaOf, token }) {
    const { readYamlBody } = await inOrder(import("../negotiation/yaml-body.js"));
    const { value, repeated } = await readYamlBody(body);
    const options = { expected, schemaOf, mode, repeatedInYaml: repeated };
    return byLength(
      body,
      () => decodeTypedValue(value, undefined, options, body),
      () => decodeTypedValueSteps(value, undefined, options, body),
      token,
    );
  },
};

async function document(json: Uint8Array): Promise<Uint8Array> {
  const emit = await emitter();
  const steps = documentSteps(json, emit);
  return isLarge(json) ? inSlices(steps) : atOnce(steps);
}

function* documentSteps(json: Uint8Array, emit: (value: unknown) => Steps<string>): Steps<Uint8Array> {
  const { value } = yield* decodeJsonSteps(json, { maxDepth: maxJsonDepth });
  yield;
  return Buffer.from(yield* emit(value), "utf8");
}

async function emitter(): Promise<(value: unknown) => Steps<string>> {
  const { emitYamlSteps } = await inOrder(import("../../../machinery/text/yaml/emit.js"));
  return (value) => emitYamlSteps(value, { anyCharacter: true });
}
