import type { CancellationToken } from "../../../../base/async/cancellation.js";
import { nextSlice, sliceIsSpent } from "../../../../base/async/time-slice.js";
import { encodeProtobufMessage } from "../../../../machinery/wire/protobuf/encode-protobuf.js";
import { envelopeOf } from "../../../../machinery/wire/protobuf/envelope.js";
import { WireWriter } from "../../../../machinery/wire/protobuf/wire-writer.js";
import type { ListOfObjects, StoredObject } from "../../../storage/store.js";
import { listMetaSchema, protobufTypes } from "../../meta-kinds.js";
import { listMetadata } from "../serializer.js";
import type { Messages } from "./stored-message.js";

/** Messages of a list that are kept from when they are measured to when they are written. The others are made twice. */
const KEPT_BYTES = 32 * 1024 * 1024;
/** What a chunk has room for; one that a larger object needs is as large as that. */
const CHUNK_BYTES = 160 * 1024;
/** A chunk that is this full is handed on. */
const FULL_BYTES = 128 * 1024;

const METADATA = 1;
const ITEMS = 2;
const ITEMS_TAG = (ITEMS << 3) | 2;

/**
 * The document of a list, in chunks. A protobuf document begins with its length, so every item is measured first: encoded,
 * in slices of the event loop's time.
 */
export async function listDocument(
  messages: Messages,
  list: ListOfObjects,
  token?: CancellationToken,
): Promise<Iterable<Uint8Array>> {
  const metadata = new WireWriter().bytes(METADATA, listMeta(list)).finish();
  const kept: (Uint8Array | undefined)[] = [];
  let keptBytes = 0;
  let length = metadata.length;
  for (const item of list.items) {
    const message = messages.of(item);
    length += 1 + varintLength(message.length) + message.length;
    if (keptBytes < KEPT_BYTES) {
      kept.push(message);
      keptBytes += message.length;
    }
    if (sliceIsSpent()) await nextSlice(token);
  }
  const { head, tail } = envelopeOf(messages.listKind, length);
  return chunks(Buffer.concat([head, metadata]), membersOf(messages, list.items, kept), tail);
}

function* membersOf(
  messages: Messages,
  items: readonly StoredObject[],
  kept: readonly (Uint8Array | undefined)[],
): Generator<Uint8Array> {
  for (const [index, item] of items.entries()) yield kept[index] ?? messages.of(item);
}

function* chunks(head: Uint8Array, members: Iterable<Uint8Array>, tail: Uint8Array): Generator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  let used = head.length;
  chunk.set(head);
  for (const member of members) {
    const needed = 1 + MOST_VARINT_BYTES + member.length;
    if (used > FULL_BYTES || used + needed > chunk.length) {
      yield chunk.subarray(0, used);
      chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed));
      used = 0;
    }
    chunk[used++] = ITEMS_TAG;
    let rest = member.length;
    for (; rest >= 0x80; rest >>>= 7) chunk[used++] = (rest & 0x7f) | 0x80;
    chunk[used++] = rest;
    chunk.set(member, used);
    used += member.length;
  }
  yield chunk.subarray(0, used);
  yield tail;
}

/** Of a length, which has 32 bits. */
const MOST_VARINT_BYTES = 5;

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest >>>= 7) length++;
  return length;
}

const listMeta = (list: ListOfObjects): Uint8Array =>
  encodeProtobufMessage(listMetadata(list), listMetaSchema(), protobufTypes);
