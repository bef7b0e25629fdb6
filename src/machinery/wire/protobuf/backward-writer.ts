const utf8 = new TextEncoder();

const FIRST_BYTES = 64 * 1024;
/** A buffer that grew beyond this is not kept for the next message. */
const KEPT_BYTES = 1024 * 1024;
/** Up to this length a loop is faster than a view for the encoder. */
const SHORT_TEXT = 48;

/**
 * Writes a protobuf message from its end to its beginning, as Go's generated marshallers do: the length of what is inside
 * is known before it is written, so no byte is moved twice. Fields, list items and map entries are given last first. Zero
 * values are written as others are.
 */
export class BackwardWriter {
  #buffer = new Uint8Array(FIRST_BYTES);
  #at = FIRST_BYTES;

  /** How many bytes were written since {@link finish}. A field whose value is a message begins by noting it. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  /** Writes the length of what was written since `length` was `mark`, and the tag of the field that holds it. */
  close(field: number, mark: number): void {
    this.#varint(this.length - mark);
    this.#tag(field, 2);
  }

  /** int32, int64 and bool: a negative number takes ten bytes. */
  integer(field: number, value: number | bigint | boolean): void {
    if (typeof value === "number" && value >= 0) this.#varint(value);
    else this.#longVarint(BigInt.asUintN(64, BigInt(value)));
    this.#tag(field, 0);
  }

  double(field: number, value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    new DataView(this.#buffer.buffer).setFloat64(this.#at, value, true);
    this.#tag(field, 1);
  }

  text(field: number, value: string): void {
    const mark = this.length;
    if (!(value.length <= SHORT_TEXT ? this.#shortAscii(value) : this.#longAscii(value))) {
      this.raw(utf8.encode(value));
    }
    this.close(field, mark);
  }

  bytes(field: number, value: Uint8Array): void {
    const mark = this.length;
    this.raw(value);
    this.close(field, mark);
  }

  /** Bytes of no field of their own. */
  raw(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#at -= value.length;
    this.#buffer.set(value, this.#at);
  }

  /** The message; the writer is empty again. */
  finish(): Uint8Array {
    const message = this.#buffer.slice(this.#at);
    this.discard();
    return message;
  }

  /** Forgets what was written. */
  discard(): void {
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array(FIRST_BYTES);
    this.#at = this.#buffer.length;
  }

  /** False, having written nothing, when there is another character. */
  #shortAscii(value: string): boolean {
    this.#reserve(value.length);
    const buffer = this.#buffer;
    let at = this.#at;
    for (let index = value.length - 1; index >= 0; index--) {
      const code = value.charCodeAt(index);
      if (code >= 0x80) return false;
      buffer[--at] = code;
    }
    this.#at = at;
    return true;
  }

  #longAscii(value: string): boolean {
    this.#reserve(value.length);
    const start = this.#at - value.length;
    const { read } = utf8.encodeInto(value, this.#buffer.subarray(start, this.#at));
    if (read !== value.length) return false;
    this.#at = start;
    return true;
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  /** Of a number from 0 to 2^53. */
  #varint(value: number): void {
    this.#reserve(8);
    const buffer = this.#buffer;
    if (value < 0x80) {
      buffer[--this.#at] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    this.#at -= size;
    let at = this.#at;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) buffer[at++] = (rest % 0x80) | 0x80;
    buffer[at] = rest;
  }

  #longVarint(value: bigint): void {
    const bytes: number[] = [];
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.raw(Uint8Array.from(bytes));
  }

  #reserve(more: number): void {
    if (more <= this.#at) return;
    const { length } = this;
    const larger = new Uint8Array(Math.max(2 * this.#buffer.length, length + more));
    larger.set(this.#buffer.subarray(this.#at), larger.length - length);
    this.#buffer = larger;
    this.#at = larger.length - length;
  }
}
