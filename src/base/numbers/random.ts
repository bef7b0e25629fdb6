/** A source of random bytes. uids, generated names and tokens come from the one a caller was given. */
export interface Random {
  /** Returns `length` fresh bytes. */
  bytes(length: number): Uint8Array;
  /**
   * A source for one part of a program: what the part takes from it changes no byte of this one. Left out: parts take the system's
   * randomness.
   */
  fork?(name: string): Random;
}

/** Asking the system costs about as much for many bytes as for a few. Those given away are wiped here. */
class SystemRandom implements Random {
  readonly #pool = new Uint8Array(POOL_BYTES);
  #used = POOL_BYTES;

  bytes(length: number): Uint8Array {
    if (length > POOL_BYTES / 4) return crypto.getRandomValues(new Uint8Array(length));
    if (this.#used + length > POOL_BYTES) {
      crypto.getRandomValues(this.#pool);
      this.#used = 0;
    }
    const end = this.#used + length;
    const bytes = this.#pool.slice(this.#used, end);
    this.#pool.fill(0, this.#used, end);
    this.#used = end;
    return bytes;
  }

  fork(): Random {
    return this;
  }
}

const POOL_BYTES = 4096;

export const systemRandom: Random = new SystemRandom();

/** Whether the bytes repeat, so that what is made of them should too. */
export const isReproducible = (random: Random): boolean => random.fork !== undefined && random !== systemRandom;

/** The source of a part of a program; see {@link Random.fork}. */
export const forkRandom = (random: Random, part: string): Random => random.fork?.(part) ?? systemRandom;
