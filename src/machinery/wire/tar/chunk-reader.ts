import { unexpectedEnd } from "./tar-entry.js";

/** Takes bytes from a sequence of chunks. Holds one chunk at a time, and copies only what lies across chunks. */
export class ChunkReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #offset = 0;

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** How many bytes were taken. */
  get offset(): number {
    return this.#offset;
  }

  /** Between 1 and `most` bytes; undefined at the end. */
  async some(most: number): Promise<Uint8Array | undefined> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return undefined;
      this.#chunk = value;
    }
    const taken = this.#chunk.subarray(0, most);
    this.#chunk = this.#chunk.subarray(taken.length);
    this.#offset += taken.length;
    return taken;
  }

  /** Exactly `length` bytes; undefined when not one is left. Throws when the chunks end before. */
  async exactly(length: number): Promise<Uint8Array | undefined> {
    const first = await this.some(length);
    if (first === undefined || first.length === length) return first;
    const whole = new Uint8Array(length);
    whole.set(first);
    let filled = first.length;
    while (filled < length) {
      const more = await this.some(length - filled);
      if (more === undefined) throw unexpectedEnd();
      whole.set(more, filled);
      filled += more.length;
    }
    return whole;
  }

  /** Drops `length` bytes. Throws when the chunks end before. */
  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      const dropped = await this.some(left);
      if (dropped === undefined) throw unexpectedEnd();
      left -= dropped.length;
    }
  }

  /** Ends the sequence: nothing more is read. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
