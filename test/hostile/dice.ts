import { seededRandom } from "../helpers/seeded-random.js";

/** Chances that are the same for the same seed. */
export class Dice {
  readonly #random;
  #block: Uint8Array = new Uint8Array();
  #used = 0;

  constructor(seed: string) {
    this.#random = seededRandom(seed);
  }

  /** A whole number from 0 up to and without `limit`. */
  below(limit: number): number {
    const [a = 0, b = 0, c = 0, d = 0] = this.bytes(4);
    return (((a << 16) | (b << 8) | c) * 256 + d) % limit;
  }

  chance(probability: number): boolean {
    return this.below(1_000_000) < probability * 1_000_000;
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)];
    if (item === undefined && list.length === 0) throw new Error("nothing to pick from");
    return item as T;
  }

  bytes(length: number): Uint8Array {
    if (this.#used + length > this.#block.length) {
      this.#block = this.#random.bytes(Math.max(length, 512));
      this.#used = 0;
    }
    this.#used += length;
    return this.#block.subarray(this.#used - length, this.#used);
  }
}
