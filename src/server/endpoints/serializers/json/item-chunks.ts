import type { StoredObject } from "../../../storage/store.js";
import { jsonBytes, NEWLINE } from "./json-text.js";
import { itemStart, versionPlace, versionText, WHOLE } from "./splice.js";
import { encodeStored } from "./stored-json.js";
import type { VersionCodec } from "../../representation/version-codec.js";

/** What a chunk has room for; one that a larger object needs is as large as that. */
const CHUNK_BYTES = 160 * 1024;
/** A chunk that is this full is handed on. */
const FULL_BYTES = 128 * 1024;
/** `{`, a comma, and the longest resourceVersion there is. */
const ROOM = 64;

const OPEN_BRACE = 0x7b;
const COMMA = 0x2c;

/**
 * A list of a kind as JSON, in chunks: each item's stored bytes with its resourceVersion, and without kind and apiVersion unless the
 * kind's lists have them.
 * A list is mostly this, so its bytes are moved once, from where they are kept to what is written.
 */
export function* itemChunks(
  codec: VersionCodec,
  envelope: Readonly<Record<string, unknown>>,
  items: Iterable<StoredObject>,
): Generator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const begin = Buffer.concat([jsonBytes(envelope).subarray(0, -1), Buffer.from(`,"items":[`)]);
  chunk.set(begin);
  let used = begin.length;
  let first = true;
  const isWhole = codec.schema.namesKindInLists === true;
  for (const item of items) {
    let bytes = item.bytes;
    const start = itemStart(bytes);
    let from = isWhole ? WHOLE : start;
    // Only what is stored in this version and was written can be taken as it is.
    const place = codec.isHub && item.revision > 0 ? versionPlace(bytes, start) : undefined;
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
      // A loop is faster than a view for so few bytes.
      while (from < place) chunk[used++] = bytes[from++] as number;
      const version = versionText(item.revision);
      for (let index = 0; index < version.length; index++) chunk[used++] = version.charCodeAt(index);
    }
    chunk.set(bytes.subarray(from), used);
    used += bytes.length - from;
  }
  chunk[used++] = 0x5d;
  chunk[used++] = 0x7d;
  chunk.set(NEWLINE, used++);
  yield chunk.subarray(0, used);
}
