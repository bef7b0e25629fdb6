import { WebSocketProtocolError } from "./close-error.js";
import { LARGEST_CONTROL_PAYLOAD, OPCODE, mask } from "./frames.js";

/** A part of a message, as it arrived. */
export interface MessagePiece {
  readonly kind: "message";
  readonly text: boolean;
  /** The message begins with this part. */
  readonly first: boolean;
  /** The message ends with this part. */
  readonly last: boolean;
  readonly data: Buffer;
}

export interface ControlMessage {
  readonly kind: "control";
  readonly opcode: number;
  readonly payload: Buffer;
}

/** More than what may be kept of one chunk for the next: a head of 14 bytes and a control frame's payload. */
const LARGEST_CUT = 14 + LARGEST_CONTROL_PAYLOAD + 1;

interface Frame {
  readonly opcode: number;
  readonly fin: boolean;
  readonly key: Buffer | undefined;
}

/** In the eight bytes behind the first two. No connection lives to the end of a frame that is longer than an integer can be. */
function longLength(head: Buffer): number {
  const length = head.readBigInt64BE(2);
  if (length < 0n) throw new WebSocketProtocolError("read limit exceeded");
  return Math.min(Number(length), Number.MAX_SAFE_INTEGER);
}

/**
 * Finds frames (RFC 6455, without extensions) in the bytes of a connection, and unmasks them in place. Messages are passed on in the
 * pieces in which they arrive, so that a long one takes no memory. Throws a WebSocketProtocolError for what the protocol forbids.
 */
export class FrameReader {
  #partial: Buffer | undefined;
  #frame: Frame | undefined;
  #left = 0;
  #done = 0;
  /** Of the message that is under way. */
  #text: boolean | undefined;
  #first = true;

  /** `masked`: a server reads masked frames only, a client those that are not. */
  constructor(private readonly masked: boolean) {}

  *read(arrived: Buffer): Generator<MessagePiece | ControlMessage, void, void> {
    let bytes = arrived;
    // A head or a control frame was cut: what is missing of it is joined, not all of a chunk that may be long.
    while (this.#partial !== undefined && bytes.length > 0) {
      const joined = Buffer.concat([this.#partial, bytes.subarray(0, LARGEST_CUT)]);
      this.#partial = undefined;
      bytes = bytes.subarray(LARGEST_CUT);
      yield* this.#frames(joined);
    }
    yield* this.#frames(bytes);
  }

  *#frames(arrived: Buffer): Generator<MessagePiece | ControlMessage, void, void> {
    let bytes = arrived;
    for (;;) {
      if (this.#frame === undefined) {
        const length = this.#readHead(bytes);
        if (length === undefined) break;
        bytes = bytes.subarray(length);
      }
      const frame = this.#frame;
      if (frame === undefined) break;
      const isControl = frame.opcode >= OPCODE.close;
      // A control frame is short, and passed on as a whole.
      if (isControl ? bytes.length < this.#left : bytes.length === 0 && this.#left > 0) break;
      const data = bytes.subarray(0, this.#left);
      bytes = bytes.subarray(data.length);
      if (frame.key !== undefined) mask(data, frame.key, this.#done);
      this.#done += data.length;
      this.#left -= data.length;
      if (this.#left === 0) this.#frame = undefined;
      yield isControl ? { kind: "control", opcode: frame.opcode, payload: data } : this.#piece(frame, data);
    }
    if (bytes.length > 0) this.#partial = Buffer.from(bytes);
  }

  #piece({ fin }: Frame, data: Buffer): MessagePiece {
    const last = fin && this.#left === 0;
    const piece: MessagePiece = { kind: "message", text: this.#text === true, first: this.#first, last, data };
    this.#first = last;
    if (last) this.#text = undefined;
    return piece;
  }

  /** The length of the head; undefined while it is incomplete. */
  #readHead(bytes: Buffer): number | undefined {
    const [first, second] = bytes;
    if (first === undefined || second === undefined) return undefined;
    const short = second & 0x7f;
    const masked = (second & 0x80) !== 0;
    const opcode = first & 0xf;
    const fin = (first & 0x80) !== 0;
    this.#check(first, opcode, fin, masked, short);
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
    const headLength = 2 + lengthBytes + (masked ? 4 : 0);
    if (bytes.length < headLength) return undefined;
    const length = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : longLength(bytes);
    // A copy: the payload is unmasked in the same memory, and the key is needed for all of it.
    const key = masked ? Buffer.from(bytes.subarray(headLength - 4, headLength)) : undefined;
    this.#frame = { opcode, fin, key };
    this.#left = length;
    this.#done = 0;
    if (opcode === OPCODE.text || opcode === OPCODE.binary) this.#text = opcode === OPCODE.text;
    return headLength;
  }

  #check(first: number, opcode: number, fin: boolean, masked: boolean, short: number): void {
    const faults: string[] = [0x40, 0x20, 0x10].flatMap((bit, index) =>
      (first & bit) === 0 ? [] : [`RSV${index + 1} set`],
    );
    if (opcode > OPCODE.pong || (opcode > OPCODE.binary && opcode < OPCODE.close)) faults.push(`bad opcode ${opcode}`);
    else if (opcode >= OPCODE.close) {
      if (short > LARGEST_CONTROL_PAYLOAD) faults.push("len > 125 for control");
      if (!fin) faults.push("FIN not set on control");
    } else if (opcode === OPCODE.continuation) {
      if (this.#text === undefined) faults.push("continuation after FIN");
    } else if (this.#text !== undefined) faults.push("data before FIN");
    if (masked !== this.masked) faults.push("bad MASK");
    if (faults.length > 0) throw new WebSocketProtocolError(faults.join(", "));
  }
}
