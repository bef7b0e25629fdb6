import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { errorMessage } from "../../../base/text/error-message.js";

/** Converts between an object's bytes and the bytes that are stored. */
export interface Transformer {
  /**
   * `path` is the whole key in etcd ("/registry/secrets/default/a"), which some providers authenticate. Throws or rejects with a
   * {@link TransformError} in kube-apiserver's words.
   */
  fromStorage(stored: Uint8Array, path: string): Transformed | Promise<Transformed>;
  /** Throws or rejects as {@link fromStorage}. */
  toStorage(value: Uint8Array, path: string): Uint8Array | Promise<Uint8Array>;
}

/** A transformer that needs no other process, and is synchronous. */
export interface OwnTransformer extends Transformer {
  fromStorage(stored: Uint8Array, path: string): Transformed;
  toStorage(value: Uint8Array, path: string): Uint8Array;
}

export interface Transformed {
  readonly value: Uint8Array;
  /** Whether the first provider, or the first of its keys, would write something else: the next write stores the value again. */
  readonly isStale: boolean;
}

/** A value cannot be encrypted or decrypted. */
export class TransformError extends Error {
  override readonly name = "TransformError";
  constructor(
    message: string,
    /** Whether the same call may succeed later: a KMS does not answer. */
    readonly isTransient = false,
  ) {
    super(message);
  }
}

/** A transformer for the values that begin with `prefix`, which it gets without it. */
export interface PrefixTransformer {
  readonly prefix: Uint8Array;
  readonly transformer: Transformer;
}

export const prefixed = (prefix: string, transformer: Transformer): PrefixTransformer => ({
  prefix: Buffer.from(prefix),
  transformer,
});

/** The prefix of every encrypted value. */
export const ENCRYPTED_PREFIX = Buffer.from("k8s:enc:");

export const isEncrypted = (stored: Uint8Array): boolean => beginsWith(stored, ENCRYPTED_PREFIX);

/** The text for an encrypted value of a resource that no provider encrypts. */
export const READ_ENCRYPTED = "identity transformer tried to read encrypted data";

/** Stores values without encryption. It refuses to read values that another provider has encrypted. */
export const identity: OwnTransformer = {
  fromStorage(stored) {
    if (isEncrypted(stored)) throw new TransformError(READ_ENCRYPTED);
    return { value: stored, isStale: false };
  },
  toStorage: (value) => value,
};

/**
 * Writes with the first of `transformers`, and reads with those whose prefix matches, in order, until one succeeds. `noMatch` is
 * the error where no prefix matches.
 */
export class PrefixTransformers implements Transformer {
  constructor(
    private readonly noMatch: string,
    private readonly transformers: readonly PrefixTransformer[],
  ) {}

  fromStorage(stored: Uint8Array, path: string): Transformed | Promise<Transformed> {
    return this.#read(0, [], stored, path);
  }

  #read(
    first: number,
    failures: readonly TransformError[],
    stored: Uint8Array,
    path: string,
  ): Transformed | Promise<Transformed> {
    let failed = failures;
    for (let index = first; index < this.transformers.length; index++) {
      const { prefix, transformer } = this.transformers[index] as PrefixTransformer;
      if (!beginsWith(stored, prefix)) continue;
      try {
        const read = transformer.fromStorage(stored.subarray(prefix.length), path);
        if (!(read instanceof Promise)) return staleBehind(read, index);
        const before = failed;
        return read.then(
          (value) => staleBehind(value, index),
          (error: unknown) => this.#read(index + 1, withFailure(before, prefix, error), stored, path),
        );
      } catch (error) {
        failed = withFailure(failed, prefix, error);
      }
    }
    if (failed.length === 0) throw new TransformError(this.noMatch);
    const isTransient = failed.some((failure) => failure.isTransient);
    throw new TransformError(aggregateText(failed.map(({ message }) => message)), isTransient);
  }

  toStorage(value: Uint8Array, path: string): Uint8Array | Promise<Uint8Array> {
    const [first] = this.transformers;
    if (first === undefined) throw new TransformError(this.noMatch);
    const stored = first.transformer.toStorage(value, path);
    const whole = (bytes: Uint8Array): Uint8Array =>
      first.prefix.length === 0 ? bytes : Buffer.concat([first.prefix, bytes]);
    return stored instanceof Promise ? stored.then(whole) : whole(stored);
  }
}

const staleBehind = (read: Transformed, index: number): Transformed =>
  index === 0 || read.isStale ? read : { ...read, isStale: true };

/** The identity provider, whose prefix is empty, leaves encrypted values to the providers behind it. */
function withFailure(
  failures: readonly TransformError[],
  prefix: Uint8Array,
  error: unknown,
): readonly TransformError[] {
  if (prefix.length === 0) return failures;
  return [...failures, error instanceof TransformError ? error : new TransformError(errorMessage(error))];
}

function beginsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  if (bytes.length < prefix.length) return false;
  for (let index = 0; index < prefix.length; index++) if (bytes[index] !== prefix[index]) return false;
  return true;
}
