/** Small pieces are put together in blocks of this size, in bytes. */
const BLOCK = 64 * 1024;
const SMALLEST_BLOCK = 64;

/** The bytes of a file. What is appended in small pieces does not take more memory than they have bytes, but for one block. */
export class FileContent {
  readonly #chunks: Uint8Array[] = [];
  /** The last chunk, while more fits into it. */
  #block = new Uint8Array();
  #blockUsed = 0;
  #size = 0;

  /** `bytes` are kept as they are. */
  constructor(bytes?: Uint8Array) {
    if (bytes === undefined || bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#size = bytes.length;
  }

  get size(): number {
    return this.#size;
  }

  append(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#size += bytes.length;
    // A large chunk that has its memory alone is kept as it is.
    if (bytes.length >= BLOCK / 2 && bytes.length === bytes.buffer.byteLength) {
      this.#finishBlock();
      this.#chunks.push(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; ) {
      if (this.#blockUsed === this.#block.length) this.#grow(bytes.length - at);
      const part = bytes.subarray(at, at + this.#block.length - this.#blockUsed);
      this.#block.set(part, this.#blockUsed);
      this.#blockUsed += part.length;
      at += part.length;
    }
  }

  /** The chunks from a byte on, those too that are appended meanwhile. */
  *read(from = 0): Generator<Uint8Array, void> {
    let skip = from;
    /** Of the chunk at `index`, so many bytes are shown or skipped. A block becomes the chunk at its place when it is full. */
    let shown = 0;
    for (let index = 0; ; ) {
      const isBlock = index === this.#chunks.length;
      const chunk = isBlock ? this.#block.subarray(0, this.#blockUsed) : this.#chunks[index];
      if (chunk !== undefined && shown < chunk.length) {
        const part = chunk.subarray(shown);
        shown = chunk.length;
        if (skip < part.length) yield part.subarray(skip);
        skip = Math.max(0, skip - part.length);
      } else if (isBlock) return;
      else {
        index += 1;
        shown = 0;
      }
    }
  }

  #grow(needed: number): void {
    // A block that is full is a chunk, or is made larger.
    if (this.#block.length < BLOCK && this.#blockUsed > 0) {
      const larger = new Uint8Array(Math.min(BLOCK, Math.max(2 * this.#block.length, this.#blockUsed + needed)));
      larger.set(this.#block);
      this.#block = larger;
      return;
    }
    this.#finishBlock();
    this.#block = new Uint8Array(Math.min(BLOCK, Math.max(SMALLEST_BLOCK, needed)));
  }

  #finishBlock(): void {
    if (this.#blockUsed > 0) this.#chunks.push(this.#block.subarray(0, this.#blockUsed));
    this.#block = new Uint8Array();
    this.#blockUsed = 0;
  }
}
