import { BackwardWriter } from "../../../../machinery/wire/protobuf/backward-writer.js";
import { encodeProtobufMessage } from "../../../../machinery/wire/protobuf/encode-protobuf.js";
import { envelopeOf } from "../../../../machinery/wire/protobuf/envelope.js";
import type { Status } from "../../../../machinery/errors/status-error.js";
import type { GroupVersionKind } from "../../../../machinery/meta/gvk.js";
import type { StoredEvent } from "../../../storage/store.js";
import { metaSchema, protobufTypes, STATUS } from "../../meta-kinds.js";
import { recentFrames } from "../recent-frames.js";
import { bookmarkMetadata, type FrameWriter, type View } from "../serializer.js";
import { type Messages, messagesOf } from "./stored-message.js";

/** Each frame begins with its length, big endian. */
const LENGTH_BYTES = 4;
/** The fields of a WatchEvent, and that of the RawExtension in it. */
const TYPE = 1;
const OBJECT = 2;
const RAW = 1;

/** Frames each event of a watch in protobuf: its length, then a meta/v1 WatchEvent whose object is a document with its envelope. */
export class ProtobufFrames implements FrameWriter {
  readonly #messages: Messages;
  #frames: Uint8Array[] = [];
  #length = 0;

  constructor(private readonly view: View) {
    this.#messages = messagesOf(view);
  }

  get length(): number {
    return this.#length;
  }

  addEvent(event: StoredEvent, _following: number, isShared: boolean): void {
    this.#add(this.#frame(event, isShared));
  }

  addError(status: Status): void {
    this.#add(frame("ERROR", STATUS, statusMessage(status)));
  }

  take(): Uint8Array {
    const [only] = this.#frames;
    const taken = this.#frames.length === 1 && only !== undefined ? only : Buffer.concat(this.#frames, this.#length);
    this.#frames = [];
    this.#length = 0;
    return taken;
  }

  #add(bytes: Uint8Array): void {
    this.#frames.push(bytes);
    this.#length += bytes.length;
  }

  #frame(event: StoredEvent, isShared: boolean): Uint8Array {
    const { type, object } = event;
    const { resource, format } = this.view;
    const messages = this.#messages;
    if (object === undefined) return frame(type, messages.kind, messages.empty(bookmarkMetadata(event)));
    const make = (): Uint8Array => frame(type, messages.kind, messages.of(object));
    return isShared ? recentFrames.get(object, { resource, type, format }, make) : make();
  }
}

/** Splits frames into their WatchEvents, because a WebSocket has its own lengths. */
export function* watchEvents(frames: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(frames.buffer, frames.byteOffset, frames.byteLength);
  for (let start = 0; start < frames.length; ) {
    const from = start + LENGTH_BYTES;
    start = from + view.getUint32(start);
    yield frames.subarray(from, start);
  }
}

/** Encoding is never interrupted, so one buffer does for all watches. */
const writer = new BackwardWriter();

function frame(type: string, kind: GroupVersionKind, message: Uint8Array): Uint8Array {
  const { head, tail } = envelopeOf(kind, message.length);
  writer.raw(tail);
  writer.raw(message);
  writer.raw(head);
  writer.close(RAW, 0);
  writer.close(OBJECT, 0);
  writer.text(TYPE, type);
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, writer.length);
  writer.raw(length);
  return writer.finish();
}

const statusMessage = (status: Status): Uint8Array => encodeProtobufMessage(status, metaSchema(STATUS), protobufTypes);
