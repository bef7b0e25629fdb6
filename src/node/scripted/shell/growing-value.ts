import { CommandError } from "./control-flow.js";

/** The most bytes of what a shell holds as one value: the output of $(...), or a line that it reads. */
const LARGEST_VALUE = 8 * 1024 * 1024;

/** The bytes of a value as they come. */
export class GrowingValue {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** False where the bytes do not fit any more. */
  add(chunk: Uint8Array): boolean {
    if (this.#length + chunk.length > LARGEST_VALUE) return false;
    this.#length += chunk.length;
    this.#chunks.push(chunk);
    return true;
  }

  toString(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}

/** A value does not fit into the shell. */
export const outOfSpace = (): CommandError => new CommandError("Out of space");
