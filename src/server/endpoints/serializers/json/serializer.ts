import { decodeTyped, decodeTypedSteps } from "../../../../machinery/wire/decode-typed.js";
import { encodeObject } from "../../../../machinery/wire/encode.js";
import { encodeObjectSteps } from "../../../../machinery/wire/encode-steps.js";
import { decodeOwnJson } from "../../../../machinery/wire/json/json-decoder.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { Serializer, View } from "../serializer.js";
import { byLength } from "../../negotiation/request-body.js";
import { itemChunks } from "./item-chunks.js";
import { JsonFrames } from "./frames.js";
import { indented, jsonBytes, NEWLINE } from "./json-text.js";
import { indentedParts, jsonParts, isPlain, listBody, listEnvelope } from "./list-body.js";
import { shaper } from "./shapes.js";
import { encodeStoredLine } from "./stored-json.js";

/** JSON as Go's encoder writes it, with a newline behind each document; indented for people. */
export const jsonSerializer: Serializer = {
  mediaType: "application/json",

  object(view, stored) {
    if (isPlain(view)) return encodeStoredLine(view.resource.codec, stored);
    return document(shaper(view).one(stored), view.format.pretty);
  },

  value: (value, { pretty }, schema) =>
    document(schema === undefined ? jsonBytes(value) : encodeObject(value, schema), pretty),

  list(view, list) {
    // Mostly stored bytes, so they are moved once.
    if (isPlain(view)) return itemChunks(view.resource.codec, listEnvelope(view, list), list.items);
    const body = listBody(view, list);
    return view.format.pretty ? indentedParts(body) : jsonParts(body);
  },

  stream: {
    contentType: "application/json",
    open: (view: View, capacity: number) => new JsonFrames(view, capacity),
    messages: lines,
    messageType: "text",
  },

  storage: {
    isComplete: true,
    encode: encodeObject,
    encodeSteps: encodeObjectSteps,
    decode: (bytes) => decodeOwnJson(bytes) as KubeObject,
  },

  decode: (body, { expected, mode, schemaOf, token }) => {
    const options = { expected, schemaOf, mode };
    return byLength(
      body,
      () => decodeTyped(body, options),
      () => decodeTypedSteps(body, options),
      token,
    );
  },
};

const document = (json: Uint8Array, pretty: boolean): Uint8Array =>
  pretty ? indented(json) : Buffer.concat([json, NEWLINE]);

/** No JSON has a newline inside. */
function* lines(frames: Uint8Array): Generator<Uint8Array> {
  for (let start = 0, end = 0; start < frames.length; start = end) {
    end = frames.indexOf(0x0a, start) + 1;
    yield frames.subarray(start, end);
  }
}
