import type { StoredObject } from "../../../storage/store.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const METADATA_LETTER = 0x6d;
const LETTER_A = 0x61;
const LETTER_U = 0x75;
const LETTER_I = 0x69;
const LETTER_D = 0x64;

/** Returns whether bytes are a JSON object, and not a protobuf document. */
export const isJson = (bytes: Uint8Array): boolean => bytes[0] === OPEN;

/** The {@link itemStart} of an item that is shown whole. */
export const WHOLE = 1;

/** Returns the length of `{"kind":"X","apiVersion":"v1",`, which an item of a list leaves out except for the opening brace. */
export function itemStart(bytes: Uint8Array): number {
  let at = 1;
  while (bytes[at] === QUOTE && bytes[at + 1] !== METADATA_LETTER) {
    at = behindStringField(bytes, at);
    if (at < 0 || bytes[at++] !== COMMA) return 1;
  }
  return at;
}

/** Whether the keys of an object are in byte order, as those of a custom resource are: it begins with its apiVersion. */
export const isSorted = (bytes: Uint8Array): boolean => bytes[2] === LETTER_A;

/**
 * Returns the index behind metadata.uid, where Go writes the resourceVersion; `item` is the object's {@link itemStart}. Canonical bytes have
 * only plain strings before it (name, generateName, namespace); undefined for any other bytes. Where keys are in byte order it is the index
 * before metadata.uid.
 */
export function versionPlace(bytes: Uint8Array, item: number): number | undefined {
  if (isSorted(bytes)) return placeBeforeUid(bytes);
  const colon = behindString(bytes, item);
  if (colon < 0 || bytes[colon] !== COLON || bytes[colon + 1] !== OPEN) return undefined;
  let at = colon + 2;
  for (;;) {
    const uid = bytes[at + 1] === LETTER_U && bytes[at + 2] === LETTER_I && bytes[at + 3] === LETTER_D;
    at = behindStringField(bytes, at);
    if (at < 0) return undefined;
    if (uid) return at;
    if (bytes[at++] !== COMMA) return undefined;
  }
}

/** Finds the {@link versionPlace} of a stored object. If the keys of the bytes are sorted, it is found once and kept. */
export function placeOf(stored: Pick<StoredObject, "bytes" | "versionPlace">): number | undefined {
  const { bytes } = stored;
  if (!isSorted(bytes)) return versionPlace(bytes, itemStart(bytes));
  return (stored.versionPlace ??= placeBeforeUid(bytes));
}

/** The place of the comma before metadata.uid. Of what stands before it nothing is taken for granted. */
function placeBeforeUid(bytes: Uint8Array): number | undefined {
  let depth = 0;
  let isInMetadata = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === QUOTE) {
      const end = endOfString(bytes, index);
      if (end < 0) return undefined;
      if (depth <= 2 && bytes[end + 1] === COLON) {
        if (depth === 1) isInMetadata = isName(bytes, index, end, METADATA);
        else if (isInMetadata && isName(bytes, index, end, UID)) {
          return bytes[index - 1] === COMMA ? index - 1 : undefined;
        }
      }
      index = end;
    } else if (byte === OPEN) depth++;
    else if (byte === CLOSE) {
      depth--;
      if (depth === 1 && isInMetadata) return undefined;
    }
  }
  return undefined;
}

const METADATA = Buffer.from("metadata");
const UID = Buffer.from("uid");

/** Whether the string between two quotes is this one. */
function isName(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  if (end - start - 1 !== name.length) return false;
  for (let index = 0; index < name.length; index++) if (bytes[start + 1 + index] !== name[index]) return false;
  return true;
}

/**
 * Returns an object with only the metadata of stored bytes: `head` is its beginning, up to metadata. Undefined when the stored
 * bytes are not canonical, or in byte order.
 */
export function spliceMetadata(bytes: Uint8Array, revision: number, head: string): Uint8Array | undefined {
  if (isSorted(bytes)) return undefined;
  const start = itemStart(bytes);
  const place = versionPlace(bytes, start);
  const end = place === undefined ? -1 : behindObject(bytes, place);
  if (place === undefined || end < 0) return undefined;
  const version = versionText(revision);
  const result = Buffer.allocUnsafe(head.length + (end - start) + version.length + 1);
  let at = result.write(head, 0, "latin1");
  at += copy(bytes, start, place, result, at);
  at += result.write(version, at, "latin1");
  at += copy(bytes, place, end, result, at);
  result[at] = CLOSE;
  return result;
}

function copy(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): number {
  to.set(from.subarray(start, end), at);
  return end - start;
}

/** Behind the brace that closes the object in which `at` is, between two of its fields; -1 when there is none. */
function behindObject(bytes: Uint8Array, at: number): number {
  let depth = 1;
  for (let index = at; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === QUOTE) {
      index = endOfString(bytes, index);
      if (index < 0) return -1;
    } else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return index + 1;
  }
  return -1;
}

/** Where the string that begins at `start` ends; -1 when it does not. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let index = start + 1; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === QUOTE) return index;
    if (byte === BACKSLASH) index++;
  }
  return -1;
}

/** Behind `"name":"value"` that begins at `at`; -1 when it is not that. */
function behindStringField(bytes: Uint8Array, at: number): number {
  const colon = behindString(bytes, at);
  return colon < 0 || bytes[colon] !== COLON ? -1 : behindString(bytes, colon + 1);
}

function behindString(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return -1;
  for (let index = at + 1; index < bytes.length; index++) {
    const byte = bytes[index];
    if (byte === QUOTE) return index + 1;
    if (byte === BACKSLASH) return -1;
  }
  return -1;
}

/** Returns the text that is inserted at the {@link versionPlace}. */
export const versionText = (revision: number): string => `,"resourceVersion":"${revision}"`;

/** Inserts metadata.resourceVersion into stored bytes and appends `tail`; undefined when the bytes are not canonical. */
export function spliceResourceVersion(
  bytes: Uint8Array,
  revision: number,
  tail: Uint8Array = NOTHING,
): Uint8Array | undefined {
  const at = versionPlace(bytes, itemStart(bytes));
  if (at === undefined) return undefined;
  const inserted = versionText(revision);
  const result = Buffer.allocUnsafe(bytes.length + inserted.length + tail.length);
  // All of it where its end belongs, then the beginning to the front: views of parts cost more than moving bytes.
  result.set(bytes, inserted.length);
  result.copyWithin(0, inserted.length, inserted.length + at);
  result.write(inserted, at, "latin1");
  if (tail.length > 0) result.set(tail, bytes.length + inserted.length);
  return result;
}

const NOTHING = new Uint8Array();
