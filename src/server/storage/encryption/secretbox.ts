import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import type { Random } from "../../../base/numbers/random.js";
import { type OwnTransformer, TransformError } from "./transformer.js";

const NONCE = 24;
const TAG = 16;

/** NaCl's secretbox, XSalsa20 and Poly1305, under a random nonce. It does not authenticate the path. */
export const secretbox = (key: Uint8Array, random: Random): OwnTransformer => ({
  fromStorage(stored) {
    if (stored.length < NONCE + TAG) throw new TransformError("the stored data was shorter than the required size");
    try {
      const value = xsalsa20poly1305(key, stored.subarray(0, NONCE)).decrypt(stored.subarray(NONCE));
      return { value, isStale: false };
    } catch {
      throw new TransformError("output array was not large enough for encryption");
    }
  },
  toStorage(value) {
    const nonce = random.bytes(NONCE);
    return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(value)]);
  },
});
