import { createHash } from "node:crypto";
import type { Clock } from "../../../../base/time/clock.js";
import type { Random } from "../../../../base/numbers/random.js";
import { uuid } from "../../../../base/numbers/uuid.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import { aggregateText } from "../../../../machinery/errors/aggregate-text.js";
import { formatFieldError } from "../../../../machinery/errors/field-error.js";
import { fullyQualifiedDomainErrors } from "../../../../machinery/validation/names.js";
import { aesGcm, SeededAesGcm, SEED_BYTES } from "../aes.js";
import type { RequestSpan } from "../../../../machinery/tracing/request-span.js";
import { inEnvelopePart, noted } from "./envelope-part.js";
import { type OwnTransformer, type Transformed, type Transformer, TransformError } from "../transformer.js";
import { type Annotations, annotationsOf, encryptedObject, entriesOf, KMS_V2 } from "./messages.js";
import type { PluginChannel } from "./plugin-channel.js";

/** How a value's key follows from what the plugin decrypts: it is the key itself, or the seed of one key for each value. */
const SOURCE = { key: 0, seed: 1 } as const;

/** What encrypts a value, as it is stored in front of the value. */
interface KeySource {
  readonly keyId: string;
  readonly encrypted: Uint8Array;
  readonly annotations: Annotations;
  readonly type: number;
}

/** What encrypts at present. It is used for reads however old it is, and for writes until it expires. */
interface WriteKey {
  readonly source: KeySource;
  readonly transformer: OwnTransformer;
  /** By the clock, in milliseconds. */
  expiresAt: number;
}

/** kube-apiserver's time for which a key may encrypt after the plugin was last found healthy. */
const WRITE_KEY_MILLISECONDS = 180_000;
/** How long a decrypted key is kept that nothing encrypts with. */
const CACHE_MILLISECONDS = 86_400_000;

const MOST_ANNOTATION_BYTES = 32 * 1024;
const MOST_KEY_ID_BYTES = 1024;
const MOST_SOURCE_BYTES = 1024;

export interface EnvelopeParts {
  /** The provider's name in the configuration, by which traces name it. */
  readonly provider: string;
  readonly channel: PluginChannel;
  readonly clock: Clock;
  readonly random: Random;
}

/** KMS v2: one seed encrypts all values until the plugin changes its key, and the plugin encrypts the seed. */
export class EnvelopeV2 implements Transformer {
  #current: WriteKey | undefined;
  /** Decrypted keys by what is stored of them. */
  readonly #decrypted = new Map<string, { readonly transformer: OwnTransformer; readonly until: number }>();
  /** Keys that the plugin is decrypting. */
  readonly #asked = new Map<string, Promise<OwnTransformer>>();

  constructor(private readonly parts: EnvelopeParts) {}

  fromStorage(stored: Uint8Array, path: string): Transformed | Promise<Transformed> {
    return inEnvelopePart("TransformFromStorage", this.parts.provider, (span) => this.#read(stored, path, span));
  }

  toStorage(value: Uint8Array, path: string): Uint8Array {
    return inEnvelopePart("TransformToStorage", this.parts.provider, (span) => this.#write(value, path, span));
  }

  #read(stored: Uint8Array, path: string, span: RequestSpan | undefined): Transformed | Promise<Transformed> {
    span?.step("About to decode encrypted object");
    const { data, source } = noted(span, "Decoding encrypted object failed", () => decode(stored));
    span?.step("Decoded encrypted object");
    const current = this.#requireCurrent();
    const isStale = source.keyId !== current.source.keyId || source.type !== current.source.type;
    const read = (transformer: OwnTransformer): Transformed => {
      span?.step("About to decrypt data using DEK");
      const { value, isStale: isOld } = noted(span, "Data decryption failed", () =>
        transformer.fromStorage(data, path),
      );
      span?.step("Data decryption succeeded");
      return { value, isStale: isOld || isStale };
    };
    const name = nameOf(source);
    const known = name === nameOf(current.source) ? current.transformer : this.#decrypted.get(name)?.transformer;
    if (known !== undefined) return read(known);
    span?.step("About to decrypt DEK using remote service");
    return this.#decrypt(name, source).then(
      (transformer) => {
        span?.step("DEK decryption succeeded");
        return read(transformer);
      },
      (error: unknown) =>
        noted(span, "DEK decryption failed", () => {
          throw error;
        }),
    );
  }

  #write(value: Uint8Array, path: string, span: RequestSpan | undefined): Uint8Array {
    const { source, transformer, expiresAt } = this.#requireCurrent();
    const now = this.parts.clock.now();
    if (now > expiresAt) {
      throw new TransformError(
        `encryptedDEKSource with keyID hash ${goQuote(hashOf(source.keyId))} expired at ${goTime(expiresAt)} (current time is ${goTime(now)})`,
        true,
      );
    }
    span?.step("About to encrypt data using DEK");
    const encrypted = noted(span, "Data encryption failed", () => transformer.toStorage(value, path));
    span?.step("Data encryption succeeded");
    span?.step("About to encode encrypted object");
    const stored = encode(source, encrypted);
    span?.step("Encoded encrypted object");
    return stored;
  }

  /**
   * Goes on with the current seed where the plugin's key is still the one that encrypted it, and makes a new one else. Where that fails, the
   * current one goes on until it expires, and the promise rejects. Resolves to whether there is a new one.
   */
  async useKey(keyId: string): Promise<boolean> {
    // Counted from before the call: no value is encrypted by a key that was confirmed longer ago.
    const expiresAt = this.parts.clock.now() + WRITE_KEY_MILLISECONDS;
    const current = this.#current;
    if (current?.source.keyId === keyId) {
      current.expiresAt = expiresAt;
      return false;
    }
    const id = uuid(this.parts.random);
    const describe = (encryptKeyId: string, error: string): string =>
      `failed to rotate DEK uid=${goQuote(id)}, useSeed=true, errState=${current === undefined ? "got unexpected nil transformer" : "<nil>"}, errGen=${error}, ` +
      `statusKeyIDHash=${goQuote(hashOf(keyId))}, encryptKeyIDHash=${goQuote(hashOf(encryptKeyId))}, stateKeyIDHash=${goQuote(hashOf(current?.source.keyId ?? ""))}`;
    let made: WriteKey;
    try {
      made = await this.#newKey(id, expiresAt);
    } catch (error) {
      if (!(error instanceof TransformError)) throw error;
      throw new TransformError(describe("", error.message), error.isTransient);
    }
    if (made.source.keyId !== keyId) throw new TransformError(describe(made.source.keyId, "<nil>"), true);
    if (current !== undefined) this.#keep(nameOf(current.source), current.transformer);
    this.#current = made;
    return true;
  }

  async #newKey(uid: string, expiresAt: number): Promise<WriteKey> {
    const { channel, random } = this.parts;
    const seed = random.bytes(SEED_BYTES);
    const { ciphertext, keyId, annotations } = await channel
      .call(KMS_V2.encrypt, { plaintext: seed, uid })
      .catch(failed("failed to encrypt DEK, error: "));
    const source = { keyId, encrypted: ciphertext, annotations: annotationsOf(annotations), type: SOURCE.seed };
    requireSound(source);
    return { source, transformer: new SeededAesGcm(seed, random), expiresAt };
  }

  /** Values of one key are read together: the plugin is asked once. */
  #decrypt(name: string, source: KeySource): Promise<OwnTransformer> {
    const asked = this.#asked.get(name);
    if (asked !== undefined) return asked;
    const asking = this.#askPlugin(name, source).finally(() => this.#asked.delete(name));
    this.#asked.set(name, asking);
    return asking;
  }

  async #askPlugin(name: string, { encrypted, keyId, annotations, type }: KeySource): Promise<OwnTransformer> {
    const { channel, random } = this.parts;
    const entries = entriesOf(annotations);
    const request = { ciphertext: encrypted, uid: uuid(random), keyId, annotations: entries };
    const { plaintext } = await channel.call(KMS_V2.decrypt, request).catch(failed("failed to decrypt DEK, error: "));
    const transformer = type === SOURCE.seed ? new SeededAesGcm(plaintext, random) : aesGcm(plaintext, random);
    this.#keep(name, transformer);
    return transformer;
  }

  #keep(name: string, transformer: OwnTransformer): void {
    const now = this.parts.clock.now();
    for (const [old, { until }] of this.#decrypted) if (until < now) this.#decrypted.delete(old);
    this.#decrypted.set(name, { transformer, until: now + CACHE_MILLISECONDS });
  }

  #requireCurrent(): WriteKey {
    if (this.#current === undefined) throw new TransformError("got unexpected nil transformer", true);
    return this.#current;
  }
}

const failed =
  (what: string) =>
  (error: unknown): never => {
    if (error instanceof TransformError) throw new TransformError(what + error.message, error.isTransient);
    throw error;
  };

function decode(stored: Uint8Array): { readonly data: Uint8Array; readonly source: KeySource } {
  let object: ReturnType<typeof encryptedObject.decode>;
  try {
    object = encryptedObject.decode(stored);
  } catch {
    throw new TransformError("proto: cannot parse invalid wire-format data");
  }
  const { encryptedData, keyId, encryptedDekSource, annotations, encryptedDekSourceType } = object;
  const source = {
    keyId,
    encrypted: encryptedDekSource,
    annotations: annotationsOf(annotations),
    type: encryptedDekSourceType,
  };
  if (source.type !== SOURCE.key && source.type !== SOURCE.seed) {
    throw new TransformError(`unknown encryptedDEKSourceType: ${source.type}`);
  }
  if (encryptedData.length === 0) throw new TransformError("encrypted data is empty");
  requireSound(source);
  return { data: encryptedData, source };
}

const encode = ({ keyId, encrypted, annotations, type }: KeySource, encryptedData: Uint8Array): Uint8Array =>
  encryptedObject.encode({
    encryptedData,
    keyId,
    encryptedDekSource: encrypted,
    annotations: entriesOf(annotations),
    ...(type !== SOURCE.key && { encryptedDekSourceType: type }),
  });

function requireSound({ keyId, encrypted, annotations }: KeySource): void {
  const source = "failed to validate encrypted DEK source: ";
  if (encrypted.length === 0) throw new TransformError(`${source}encrypted DEK source is empty`);
  if (encrypted.length > MOST_SOURCE_BYTES) {
    throw new TransformError(
      `${source}encrypted DEK source is ${encrypted.length} bytes, which exceeds the max size of ${MOST_SOURCE_BYTES}`,
    );
  }
  const fault = keyIdFault(keyId);
  if (fault !== undefined) throw new TransformError(`failed to validate key id: ${fault}`);
  const faults = [...annotations.keys()].flatMap((name) =>
    fullyQualifiedDomainErrors(name, "annotations").map(formatFieldError),
  );
  let size = 0;
  for (const [name, value] of annotations) size += Buffer.byteLength(name) + value.length;
  if (size > MOST_ANNOTATION_BYTES) {
    faults.push(`total size of annotations is ${size}, which exceeds the max size of ${MOST_ANNOTATION_BYTES}`);
  }
  if (faults.length > 0) throw new TransformError(`failed to validate annotations: ${aggregateText(faults)}`);
}

/** Returns why a plugin's id of its key cannot be stored; undefined where it can. */
export function keyIdFault(keyId: string): string | undefined {
  const length = Buffer.byteLength(keyId);
  if (length === 0) return "keyID is empty";
  return length > MOST_KEY_ID_BYTES
    ? `keyID is ${length} bytes, which exceeds the max size of ${MOST_KEY_ID_BYTES}`
    : undefined;
}

/** What distinguishes a key from all others. */
const nameOf = ({ keyId, encrypted, annotations, type }: KeySource): string =>
  JSON.stringify([
    type,
    keyId,
    Buffer.from(encrypted).toString("base64"),
    ...[...annotations].map(([key, value]) => `${key}=${Buffer.from(value).toString("base64")}`).sort(),
  ]);

/** The hash by which a key id is shown, because ids are never shown themselves. */
export const hashOf = (text: string): string =>
  text === "" ? "" : `sha256:${createHash("sha256").update(text).digest("hex")}`;

const goTime = (at: number): string => new Date(at).toISOString().replace(/\.\d{3}Z$/, "Z");
