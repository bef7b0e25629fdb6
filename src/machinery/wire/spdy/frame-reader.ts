import { LARGEST_HEADER_BLOCK } from "./header-block.js";

/** Types of control frames. */
export const TYPE = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

export const FLAG_FIN = 1;
export const FLAG_UNIDIRECTIONAL = 2;

/** The reasons for which a stream is reset. */
export const RESET = { protocolError: 1, refusedStream: 3, cancel: 5, flowControlError: 7 } as const;

export const SETTING_INITIAL_WINDOW = 7;

/** Encodes a control frame of version 3. Numbers are written as 32 bits. */
export function controlFrame(type: number, flags: number, ...payload: readonly (number | Uint8Array)[]): Buffer {
  const length = payload.reduce<number>((sum, part) => sum + (typeof part === "number" ? 4 : part.length), 0);
  const frame = Buffer.allocUnsafe(8 + length);
  frame.writeUInt16BE(0x8003, 0);
  frame.writeUInt16BE(type, 2);
  frame.writeUInt32BE(((flags << 24) | length) >>> 0, 4);
  let at = 8;
  for (const part of payload) {
    if (typeof part === "number") at = frame.writeUInt32BE(part, at);
    else {
      frame.set(part, at);
      at += part.length;
    }
  }
  return frame;
}

/** Encodes a SYN_STREAM with no associated stream and the highest priority. */
export function synStream(streamId: number, headers: Uint8Array): Buffer {
  return controlFrame(TYPE.synStream, 0, streamId, 0, Buffer.alloc(2), headers);
}

/** Encodes the eight bytes before the data of a DATA frame. */
export function dataHead(streamId: number, length: number, fin: boolean): Buffer {
  const head = Buffer.allocUnsafe(8);
  head.writeUInt32BE(streamId, 0);
  head.writeUInt32BE((((fin ? FLAG_FIN : 0) << 24) | length) >>> 0, 4);
  return head;
}

/** A whole control frame. */
export interface ControlFrame {
  readonly kind: "control";
  readonly type: number;
  readonly flags: number;
  readonly payload: Buffer;
}

/** A part of a DATA frame, as it arrived. `fin` is true for the last part of a stream's last frame. */
export interface DataPiece {
  readonly kind: "data";
  readonly streamId: number;
  readonly fin: boolean;
  readonly data: Buffer;
}

/** The longest control frame that is read; longer ones of unknown types are skipped. */
const LARGEST_CONTROL_FRAME = LARGEST_HEADER_BLOCK + 10;

/**
 * Finds frames in the bytes of a connection. DATA frames are passed on in the pieces in which they arrive, so that a long frame takes
 * no memory. Throws for what no SPDY/3 peer sends.
 */
export class FrameReader {
  /** The beginning of a head or a control frame, which is complete at `#needed` bytes. */
  #partial: Buffer[] = [];
  #partialLength = 0;
  #needed = 0;
  /** Of the DATA frame that is being read. */
  #data: { readonly streamId: number; readonly fin: boolean } | undefined;
  /** Bytes that are still to come of a DATA frame or a skipped one. */
  #left = 0;

  *read(arrived: Buffer): Generator<ControlFrame | DataPiece, void, void> {
    let bytes = this.#withPartial(arrived);
    while (bytes.length > 0) {
      if (this.#left > 0) {
        const data = bytes.subarray(0, this.#left);
        bytes = bytes.subarray(data.length);
        this.#left -= data.length;
        if (this.#data === undefined) continue;
        const { streamId, fin } = this.#data;
        yield { kind: "data", streamId, fin: fin && this.#left === 0, data };
        continue;
      }
      if (bytes.length < 8) return this.#keep(bytes, 8);
      const first = bytes.readUInt32BE(0);
      const flags = bytes.readUInt8(4);
      const length = bytes.readUInt32BE(4) & 0xffffff;
      if (first < 0x80000000) {
        if (first === 0) throw new Error("spdy: stream id zero is disallowed");
        const fin = (flags & FLAG_FIN) !== 0;
        bytes = bytes.subarray(8);
        this.#data = { streamId: first, fin };
        this.#left = length;
        if (length === 0) yield { kind: "data", streamId: first, fin, data: bytes.subarray(0, 0) };
        continue;
      }
      const version = (first >>> 16) & 0x7fff;
      if (version !== 3) throw new Error(`spdy: unsupported version ${version}`);
      const type = first & 0xffff;
      if (!KNOWN.has(type)) {
        bytes = bytes.subarray(8);
        this.#data = undefined;
        this.#left = length;
        continue;
      }
      if (length > LARGEST_CONTROL_FRAME) throw new Error("spdy: the control frame is too long");
      if (bytes.length < 8 + length) return this.#keep(bytes, 8 + length);
      yield { kind: "control", type, flags, payload: bytes.subarray(8, 8 + length) };
      bytes = bytes.subarray(8 + length);
    }
  }

  /** Empty while what is kept is still incomplete: joining it with each chunk would take quadratic time. */
  #withPartial(arrived: Buffer): Buffer {
    if (this.#partial.length === 0) return arrived;
    if (this.#partialLength + arrived.length < this.#needed) {
      this.#keep(arrived, this.#needed);
      return EMPTY;
    }
    const bytes = Buffer.concat([...this.#partial, arrived]);
    this.#partial = [];
    this.#partialLength = 0;
    return bytes;
  }

  #keep(bytes: Buffer, needed: number): void {
    // A copy, because a part would keep the whole chunk in memory.
    this.#partial.push(Buffer.from(bytes));
    this.#partialLength += bytes.length;
    this.#needed = needed;
  }
}

const EMPTY = Buffer.alloc(0);
const KNOWN: ReadonlySet<number> = new Set(Object.values(TYPE));
