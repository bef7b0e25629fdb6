import type { FieldsOf } from "../../../../machinery/meta/received.js";
import type { ApiObject } from "../../../../machinery/meta/object.js";
import { encodeObject } from "../../../../machinery/wire/encode.js";
import type { StoredObject } from "../../../storage/store.js";
import type { VersionCodec } from "../../representation/version-codec.js";
import { NEWLINE } from "./json-text.js";
import { isJson, spliceResourceVersion } from "./splice.js";

/**
 * Encodes a stored object as JSON in the codec's version, without a newline. The result is cached for each revision where making it is
 * expensive.
 */
export function encodeStored(codec: VersionCodec, stored: StoredObject): Uint8Array {
  if (codec.isStored) {
    // Never written: it has no version.
    if (stored.revision === 0 && isJson(stored.bytes)) return stored.bytes;
    const spliced = spliceResourceVersion(stored.bytes, stored.revision);
    if (spliced !== undefined) return spliced;
  }
  const prepared = codec.prepared(stored);
  if (prepared !== undefined) return prepared;
  const key = `${codec.apiVersion}/${codec.gvk.kind} application/json`;
  let bytes = stored.encodings.get(key);
  if (bytes === undefined) {
    bytes = encodeObject(codec.kind.fromHub(stored.object()), codec.schema);
    stored.encodings.set(key, bytes);
  }
  return bytes;
}

/** As {@link encodeStored}, with a newline at the end. */
export function encodeStoredLine(codec: VersionCodec, stored: StoredObject): Uint8Array {
  if (codec.isStored && stored.revision > 0) {
    const spliced = spliceResourceVersion(stored.bytes, stored.revision, NEWLINE);
    if (spliced !== undefined) return spliced;
  }
  return Buffer.concat([encodeStored(codec, stored), NEWLINE]);
}

/** Encodes an object of the codec's kind that has only metadata: a bookmark. */
export function encodeEmpty(codec: VersionCodec, metadata: object): Uint8Array {
  return encodeObject(
    { kind: codec.gvk.kind, apiVersion: codec.apiVersion, metadata } satisfies FieldsOf<ApiObject>,
    codec.schema,
  );
}
