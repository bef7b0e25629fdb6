import { decodeTyped, decodeTypedSteps } from "../../../../machinery/wire/decode-typed.js";
import { encodeObject } from "../../../../machinery/wire/encode.js";
import { encodeObjectSteps } from "../../../../machinery/wire/encode-steps.js";
import { decodeOwnJson } from "../../../../machinery/wire/json/json-decoder.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { Serializer, View } from "../serializer.js";
import { byLength } from "../../negotiation/request-body.js";
import { JsonFrames } from "./frames.js";
import { indented, jsonBytes, NEWLINE } from "./json-text.js";
import { indentedParts, jsonParts, isPlain, listBody, listEnvelope, type ListEnvelope, listEnd } from "./list-body.js";
import { shaper } from "./shapes.js";
import { encodeStoredLine, encodeStored } from "./stored-json.js";
import type { StoredObject } from "../../../storage/store.js";
import { itemStart, placeOf, versionText, WHOLE } from "./splice.js";
import type { VersionCodec } from "../../representation/version-codec.js";

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

/** What a chunk has room for; one that a larger object needs is as large as that. */
const CHUNK_BYTES = 160 * 1024;
/** A chunk that is this full is handed on. */
const FULL_BYTES = 128 * 1024;
/** `{`, a comma, and the longest resourceVersion there is. */
const ROOM = 64;

/** A loop copies fewer bytes than this faster than a view. */
const LONG_BYTES = 200;

const OPEN_BRACE = 0x7b;
const COMMA = 0x2c;

/**
 * Yields the JSON of a list in chunks: each item's stored bytes with its resourceVersion, and without kind and apiVersion unless items of
 * the kind's lists have them. These bytes are most of a list, so they are copied only once.
 */
function* itemChunks(
  codec: VersionCodec,
  envelope: ListEnvelope,
  items: Iterable<StoredObject>,
): Generator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const begin = Buffer.concat([jsonBytes(envelope.before).subarray(0, -1), Buffer.from(`,"items":[`)]);
  chunk.set(begin);
  let used = begin.length;
  let first = true;
  const isWhole = codec.schema.isUnstructured === true;
  for (const item of items) {
    let bytes = item.bytes;
    let from = isWhole ? WHOLE : itemStart(bytes);
    // Only what is stored in this version and was written can be taken as it is.
    const place = codec.isStored && item.revision > 0 ? placeOf(item) : undefined;
    if (place === undefined) {
      bytes = encodeStored(codec, item);
      from = isWhole ? WHOLE : itemStart(bytes);
    }
    const needed = bytes.length + ROOM;
    if (used > FULL_BYTES || used + needed > chunk.length) {
      yield chunk.subarray(0, used);
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed + ROOM));
      used = 0;
    }
    if (!first) chunk[used++] = COMMA;
    first = false;
    chunk[used++] = OPEN_BRACE;
    if (place !== undefined) {
      if (place - from > LONG_BYTES) {
        chunk.set(bytes.subarray(from, place), used);
        used += place - from;
        from = place;
      }
      while (from < place) chunk[used++] = bytes[from++] as number;
      const version = versionText(item.revision);
      for (let index = 0; index < version.length; index++) chunk[used++] = version.charCodeAt(index);
    }
    chunk.set(bytes.subarray(from), used);
    used += bytes.length - from;
  }
  const end = Buffer.from(`${listEnd(envelope)}\n`);
  const fits = used + end.length <= chunk.length;
  if (fits) chunk.set(end, used);
  yield chunk.subarray(0, fits ? used + end.length : used);
  if (!fits) yield end;
}
