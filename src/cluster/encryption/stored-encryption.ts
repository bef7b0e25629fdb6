import { systemRandom } from "../../base/numbers/random.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import { EncryptedKv } from "../../server/storage/encryption/encrypted-kv.js";
import { READ_ENCRYPTED } from "../../server/storage/encryption/transformer.js";
import type { Kv } from "../../server/storage/kv.js";
import { type LoadedEncryption, loadEncryption, readConfigurationText } from "./load-encryption.js";

export interface StoredEncryption {
  /** The path of an EncryptionConfiguration. */
  readonly file: string;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly warn: (text: string) => void;
}

/** Wraps a storage so that reads of keys below `root` are decrypted. Closing it closes `kv`. Rejects for a wrong file as a server does. */
export async function decryptingKv(kv: Kv, root: string, encryption: StoredEncryption): Promise<Kv> {
  const { transformers, keys } = await load(encryption, root);
  return new DecryptingKv(kv, keys, encryption.timers, () => transformers.close());
}

class DecryptingKv extends EncryptedKv {
  constructor(
    kv: Kv,
    keys: LoadedEncryption["keys"],
    timers: Timers,
    private readonly end: () => void,
  ) {
    super(kv, keys, timers);
  }

  override close(): Promise<void> {
    this.end();
    return super.close();
  }
}

/** Decrypts one value with any provider of the configuration that can. `key` is the key that it was stored at; "" where that is not known. */
export async function decryptValue(value: Uint8Array, key: string, encryption: StoredEncryption): Promise<Uint8Array> {
  const { transformers } = await load(encryption, "/registry");
  let problem = READ_ENCRYPTED;
  try {
    for (const resource of transformers.resources) {
      try {
        const read = await transformers.of(resource)?.fromStorage(value, key);
        if (read !== undefined) return read.value;
      } catch (error) {
        problem = errorMessage(error);
      }
    }
  } finally {
    transformers.close();
  }
  throw new Error(problem);
}

async function load({ file, clock, timers, warn }: StoredEncryption, root: string): Promise<LoadedEncryption> {
  const options = { encryption: file, reloads: false, root, kmsV1: true };
  return loadEncryption(await readConfigurationText(file), options, { clock, timers, random: systemRandom, warn });
}
