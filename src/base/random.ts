/** A source of random bytes. uids, generated names and tokens come from the one a caller was given. */
export interface Random {
  /** Returns `length` fresh bytes. */
  bytes(length: number): Uint8Array;
}

export const systemRandom: Random = {
  bytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
};
