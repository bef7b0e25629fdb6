const METADATA = Buffer.from('"metadata":{');
const UID = Buffer.from('"uid":"');
const UUID_LENGTH = 36;
const QUOTE = 0x22;

/**
 * Puts metadata.resourceVersion into stored bytes, right after uid, where Go writes it. Only what cannot hold a quote
 * (kind, apiVersion, name, generateName, namespace) stands before uid in canonical bytes; undefined when they are not.
 */
export function spliceResourceVersion(bytes: Uint8Array, revision: number): Uint8Array | undefined {
  const at = splicePoint(bytes);
  if (at === undefined) return undefined;
  const inserted = Buffer.from(`,"resourceVersion":"${revision}"`, "latin1");
  const result = Buffer.allocUnsafe(bytes.length + inserted.length);
  result.set(bytes.subarray(0, at));
  result.set(inserted, at);
  result.set(bytes.subarray(at), at + inserted.length);
  return result;
}

function splicePoint(bytes: Uint8Array): number | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const metadata = buffer.indexOf(METADATA);
  if (metadata < 0) return undefined;
  const uid = buffer.indexOf(UID, metadata);
  if (uid < 0) return undefined;
  const end = uid + UID.length + UUID_LENGTH;
  // Labels come after uid in canonical order: an opening brace in between means this is another uid.
  for (let index = metadata + METADATA.length; index < uid; index++) if (buffer[index] === 0x7b) return undefined;
  return buffer[end] === QUOTE ? end + 1 : undefined;
}

/** How long `{"kind":"X","apiVersion":"v1",` is: what an item of a list leaves out, its opening brace excepted. */
export function itemStart(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Math.max(0, buffer.indexOf(METADATA));
}
