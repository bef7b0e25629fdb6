import { inOrder } from "../../../base/turns.js";
import { decodeTypedValue, decodeTypedValueSteps } from "../../../machinery/codec/decode-typed.js";
import { encodeObject } from "../../../machinery/codec/encode.js";
import { decodeJson } from "../../../machinery/codec/json-decoder.js";
import { byLength } from "../negotiation/request-body.js";
import { jsonBytes } from "./json/json-text.js";
import { yamlParts } from "./json/list-body.js";
import { listBody } from "./json/list-members.js";
import { shaper } from "./json/shapes.js";
import type { Serializer } from "./serializer.js";

/** YAML: what the JSON of a document means, in goyaml's dialect. The reader and the emitter are loaded on first use. */
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
  return Buffer.from(emit(decodeJson(json).value), "utf8");
}

async function emitter(): Promise<(value: unknown) => string> {
  const { emitYaml } = await inOrder(import("../../../machinery/yaml/emit.js"));
  return (value) => emitYaml(value, { anyCharacter: true });
}
