import type { StoredObject } from "../../../storage/store.js";
import { jsonBytes } from "./json-text.js";
import { type ListEnvelope, listEnd } from "./list-body.js";
import { itemStart, placeOf, versionText, WHOLE } from "./splice.js";
import { encodeStored } from "./stored-json.js";
import type { VersionCodec } from "../../representation/version-codec.js";

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
export function* itemChunks(
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
    const place = codec.isHub && item.revision > 0 ? placeOf(item) : undefined;
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
