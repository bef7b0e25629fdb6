import { CommandError } from "../control-flow.js";

/** The limit of bytes in one value of a shell: a variable, the output of $(...), or a line that it reads. */
export const LARGEST_VALUE = 8 * 1024 * 1024;

/** What a chunk takes beside its bytes. */
const CHUNK_BYTES = 128;
/** Chunks that come in smaller pieces are put together. */
const SMALL_CHUNK = 4096;

/** Collects the bytes of a value as they arrive. */
export class GrowingValue {
  readonly #chunks: Uint8Array[] = [];
  #small = Buffer.alloc(0);
  #smallUsed = 0;
  #length = 0;

  /** `take` counts the bytes that the value holds. */
  constructor(private readonly take: (bytes: number) => void) {}

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** False where the bytes do not fit any more. Keeps none of the chunk's memory. */
  add(chunk: Uint8Array): boolean {
    if (this.#length + chunk.length > LARGEST_VALUE) return false;
    this.#length += chunk.length;
    if (chunk.length >= SMALL_CHUNK) {
      this.#flush();
      this.take(CHUNK_BYTES + chunk.length);
      this.#chunks.push(Buffer.copyBytesFrom(chunk));
      return true;
    }
    if (this.#smallUsed + chunk.length > this.#small.length) {
      this.#flush();
      const size = this.#chunks.length === 0 && chunk.length * 4 < SMALL_CHUNK ? chunk.length * 4 : SMALL_CHUNK;
      this.take(CHUNK_BYTES + size);
      this.#small = Buffer.allocUnsafeSlow(size);
    }
    this.#small.set(chunk, this.#smallUsed);
    this.#smallUsed += chunk.length;
    return true;
  }

  toString(): string {
    this.#flush();
    return Buffer.concat(this.#chunks).toString("utf8");
  }

  #flush(): void {
    if (this.#smallUsed > 0) this.#chunks.push(this.#small.subarray(0, this.#smallUsed));
    this.#small = Buffer.alloc(0);
    this.#smallUsed = 0;
  }
}

/** Makes the error for a value that exceeds the shell's memory. */
export const outOfSpace = (): CommandError => new CommandError("Out of space");
