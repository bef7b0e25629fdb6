/** A source of random bytes. Uids, generated names and tokens come from the source that the caller passes. */
export interface Random {
  /** Returns `length` fresh bytes. */
  bytes(length: number): Uint8Array;
  /** Returns a source for one part of a program, whose use changes no byte of this one. Left out: parts use the system's randomness. */
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

/** Returns whether the source gives the same bytes in every run, so that objects made of them should be the same too. */
export const isReproducible = (random: Random): boolean => random.fork !== undefined && random !== systemRandom;

/** Returns the source of a part of a program; see {@link Random.fork}. */
export const forkRandom = (random: Random, part: string): Random => random.fork?.(part) ?? systemRandom;
