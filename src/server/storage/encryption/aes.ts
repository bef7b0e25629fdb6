import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import type { Random } from "../../../base/numbers/random.js";
import { type OwnTransformer, type Transformed, TransformError } from "./transformer.js";

const BLOCK = 16;
const NONCE = 12;
const TAG = 16;
/** The length of an extended nonce, of the key that is derived by it, and of the shortest seed. */
const EXTENDED = 32;

const TOO_SHORT = "the stored data was shorter than the required size";

/** Throws in Go's words for a key that AES cannot use. */
export function requireAesKey(key: Uint8Array): void {
  if (![16, 24, 32].includes(key.length)) throw new Error(`crypto/aes: invalid key size ${key.length}`);
}

/** AES-GCM under a random nonce, which authenticates the path: a value that is moved to another key cannot be read. */
export function aesGcm(key: Uint8Array, random: Random): OwnTransformer {
  requireAesKey(key);
  const algorithm = gcmOf(key);
  return {
    fromStorage(stored, path) {
      if (stored.length < NONCE) throw new TransformError(TOO_SHORT);
      return { value: open(stored.subarray(0, NONCE), stored.subarray(NONCE), path), isStale: false };
    },
    toStorage(value, path) {
      const nonce = random.bytes(NONCE);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(path));
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
  };
  function open(nonce: Uint8Array, sealed: Uint8Array, path: string): Uint8Array {
    const end = sealed.length - TAG;
    if (end < 0) throw new TransformError(NOT_AUTHENTIC);
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: TAG }).setAAD(Buffer.from(path));
    decipher.setAuthTag(sealed.subarray(end));
    const value = decipher.update(sealed.subarray(0, end));
    try {
      return Buffer.concat([value, decipher.final()]);
    } catch {
      throw new TransformError(NOT_AUTHENTIC);
    }
  }
}

const NOT_AUTHENTIC = "cipher: message authentication failed";

const gcmOf = (key: Uint8Array): "aes-128-gcm" | "aes-192-gcm" | "aes-256-gcm" =>
  `aes-${(key.length * 8) as 128 | 192 | 256}-gcm`;

/** AES-CBC with a random initialization vector, without authentication. */
export function aesCbc(key: Uint8Array, random: Random): OwnTransformer {
  requireAesKey(key);
  const algorithm = `aes-${key.length * 8}-cbc`;
  return {
    fromStorage(stored) {
      if (stored.length < BLOCK) throw new TransformError(TOO_SHORT);
      const sealed = stored.subarray(BLOCK);
      if (sealed.length % BLOCK !== 0) {
        throw new TransformError("the stored data is not a multiple of the block size");
      }
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, BLOCK)).setAutoPadding(false);
      return { value: withoutPadding(Buffer.concat([decipher.update(sealed), decipher.final()])), isStale: false };
    },
    toStorage(value) {
      const vector = random.bytes(BLOCK);
      const cipher = createCipheriv(algorithm, key, vector);
      return Buffer.concat([vector, cipher.update(value), cipher.final()]);
    },
  };
}

/** Removes the padding of PKCS #7. */
function withoutPadding(padded: Uint8Array): Uint8Array {
  const size = padded.at(-1) ?? 0;
  if (size === 0 || size > padded.length) throw new TransformError("invalid PKCS7 data (empty or not padded)");
  const end = padded.length - size;
  if (padded.subarray(end).some((byte) => byte !== size)) throw new TransformError("invalid padding on input");
  return padded.subarray(0, end);
}

/** AES-GCM with a separate key for each value, which HKDF derives from a seed and 32 random bytes before the value. */
export class SeededAesGcm implements OwnTransformer {
  constructor(
    private readonly seed: Uint8Array,
    private readonly random: Random,
  ) {
    if (seed.length < EXTENDED) throw new TransformError(`invalid seed length ${seed.length} used for key generation`);
  }

  fromStorage(stored: Uint8Array, path: string): Transformed {
    if (stored.length < EXTENDED) throw new TransformError(TOO_SHORT);
    return this.#transformer(stored.subarray(0, EXTENDED)).fromStorage(stored.subarray(EXTENDED), path);
  }

  toStorage(value: Uint8Array, path: string): Uint8Array {
    const info = this.random.bytes(EXTENDED);
    return Buffer.concat([info, this.#transformer(info).toStorage(value, path)]);
  }

  /** HKDF's expansion with SHA-256: the key is as long as one of its blocks. */
  #transformer(info: Uint8Array): OwnTransformer {
    const key = createHmac("sha256", this.seed).update(info).update(Uint8Array.of(1)).digest();
    return aesGcm(key, this.random);
  }
}

/** The length of a seed and of a key of 256 bits, in bytes. */
export const SEED_BYTES = EXTENDED;
