import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { forkRandom, isReproducible, type Random } from "../../base/numbers/random.js";
import { integer, sequence } from "./der.js";
import { reproducibleKey, reproducibleSignature } from "./reproducible-ecdsa.js";

/** Makes private keys of P-256, and signatures by them. */
export interface KeyMaker {
  make(): KeyObject;
  /** In DER, over a SHA-256 of `data`. */
  sign(key: KeyObject, data: Uint8Array): Uint8Array;
}

export const openSslKeys: KeyMaker = {
  make: () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
  sign: (key, data) => sign("sha256", data, { key, dsaEncoding: "der" }),
};

/** Makes keys and signatures with OpenSSL or, for reproducible randomness, reproducibly: objects contain the CA's certificate. */
export function keyMaker(random: Random): KeyMaker {
  if (!isReproducible(random)) return openSslKeys;
  const own = forkRandom(random, "keys");
  return {
    make: () => reproducibleKey(own.bytes(32)),
    sign(key, data) {
      const signature = reproducibleSignature(key, data);
      return sequence(integer(signature.subarray(0, 32)), integer(signature.subarray(32)));
    },
  };
}
