import type { Clock } from "../../../../base/time/clock.js";
import type { Random } from "../../../../base/numbers/random.js";
import { errorMessage } from "../../../../base/text/error-message.js";
import { aesCbc, aesGcm, SEED_BYTES } from "../aes.js";
import { type OwnTransformer, type Transformed, type Transformer, TransformError } from "../transformer.js";
import { KMS_V1 } from "./messages.js";
import type { Plugin, PluginChannel } from "./plugin-channel.js";

const VERSION = "v1beta1";
/** How long an answer to a health check holds. */
const HOLDS = { healthy: 20_000, failing: 3000 } as const;

interface PluginParts {
  readonly channel: PluginChannel;
  readonly clock: Clock;
  readonly random: Random;
  /** How many decrypted keys are kept; none where it is negative. */
  readonly cacheSize: number;
}

/** A KMS v1 plugin: each value has a key of its own, which the plugin encrypts. */
export class PluginV1 implements Plugin, Transformer {
  /** Decrypted keys by what is stored of them, the one used longest ago first. */
  readonly #keys = new Map<string, Transformer>();
  #answer: { readonly error: TransformError | undefined; readonly at: number } | undefined;
  #isVersionKnown = false;

  constructor(
    readonly name: string,
    private readonly parts: PluginParts,
  ) {}

  get transformer(): Transformer {
    return this;
  }

  async fromStorage(stored: Uint8Array, path: string): Promise<Transformed> {
    const length = stored.length < 2 ? Number.POSITIVE_INFINITY : (stored[0] ?? 0) * 256 + (stored[1] ?? 0);
    if (stored.length < 2 + length) {
      throw new TransformError(
        "invalid data encountered by envelope transformer: failed to read uint16 length prefixed data",
      );
    }
    const encrypted = stored.subarray(2, 2 + length);
    return (await this.#keyOf(encrypted)).fromStorage(stored.subarray(2 + length), path);
  }

  async toStorage(value: Uint8Array, path: string): Promise<Uint8Array> {
    const key = this.parts.random.bytes(SEED_BYTES);
    const encrypted = await this.#encrypt(key);
    const length = Uint8Array.of(encrypted.length >> 8, encrypted.length & 0xff);
    const stored = this.#keep(encrypted, key).toStorage(value, path);
    return Buffer.concat([length, encrypted, await stored]);
  }

  async check(): Promise<void> {
    const now = this.parts.clock.now();
    const known = this.#answer;
    if (known !== undefined && now - known.at < (known.error === undefined ? HOLDS.healthy : HOLDS.failing)) {
      if (known.error !== undefined) throw known.error;
      return;
    }
    let error: TransformError | undefined;
    try {
      const sealed = await this.#section("encrypt", () => this.#encrypt(Buffer.from("ping")));
      await this.#section("decrypt", () => this.#decrypt(sealed));
    } catch (failure) {
      error = failure as TransformError;
    }
    this.#answer = { error, at: now };
    if (error !== undefined) throw error;
  }

  close(): void {
    this.parts.channel.close();
  }

  async #section<T>(section: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw new TransformError(
        `failed to perform ${section} section of the healthz check for KMS Provider ${this.name}, error: ${errorMessage(error)}`,
        true,
      );
    }
  }

  async #keyOf(encrypted: Uint8Array): Promise<Transformer> {
    const name = Buffer.from(encrypted).toString("base64");
    const known = this.#keys.get(name);
    if (known === undefined) return this.#keep(encrypted, await this.#decrypt(encrypted));
    this.#keys.delete(name);
    this.#keys.set(name, known);
    return known;
  }

  #keep(encrypted: Uint8Array, key: Uint8Array): Transformer {
    const transformer = gcmBeforeCbc(key, this.parts.random);
    const { cacheSize } = this.parts;
    if (cacheSize <= 0) return transformer;
    this.#keys.set(Buffer.from(encrypted).toString("base64"), transformer);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > cacheSize && oldest !== undefined) this.#keys.delete(oldest);
    return transformer;
  }

  async #encrypt(plain: Uint8Array): Promise<Uint8Array> {
    await this.#requireVersion();
    return (await this.parts.channel.call(KMS_V1.encrypt, { version: VERSION, plain })).cipher;
  }

  async #decrypt(cipher: Uint8Array): Promise<Uint8Array> {
    await this.#requireVersion();
    return (await this.parts.channel.call(KMS_V1.decrypt, { version: VERSION, cipher })).plain;
  }

  async #requireVersion(): Promise<void> {
    if (this.#isVersionKnown) return;
    const { version } = await this.parts.channel.call(KMS_V1.version, { version: VERSION });
    if (version !== VERSION) {
      throw new TransformError(
        `KMS provider api version ${version} is not supported, only ${VERSION} is supported now`,
      );
    }
    this.#isVersionKnown = true;
  }
}

/** Writes AES-GCM, and reads AES-CBC too, which earlier versions of Kubernetes wrote. */
function gcmBeforeCbc(key: Uint8Array, random: Random): OwnTransformer {
  const [gcm, cbc] = [aesGcm(key, random), aesCbc(key, random)];
  return {
    fromStorage(stored, path) {
      try {
        return gcm.fromStorage(stored, path);
      } catch {
        return { ...cbc.fromStorage(stored, path), isStale: true };
      }
    },
    toStorage: (value, path) => gcm.toStorage(value, path),
  };
}
