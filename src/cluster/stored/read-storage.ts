import { isProtobufDocument } from "../../machinery/wire/protobuf/envelope.js";
import type { Kv } from "../../server/storage/kv.js";
import { errorMessage } from "../../base/text/error-message.js";
import { decodeValue, requireFittingFields, type StoredValue } from "./decode-value.js";
import { isInternalKey, misplacement } from "./expected-key.js";
import { readPages, ROOT } from "./pages.js";
import { StoredError, withStoredErrors } from "./stored-error.js";
import { type NamedStorage, openExisting, type OpenOptions } from "./storage-place.js";

/** A key as `storage list` shows it. */
export interface ListedKey {
  readonly key: string;
  readonly createRevision: number;
  readonly revision: number;
  /** The size of the value. */
  readonly bytes: number;
  /** Undefined for a value that begins as neither does. */
  readonly mediaType: string | undefined;
}

export interface ListedKeys {
  readonly revision: number;
  readonly keys: readonly ListedKey[];
}

/** Completes a key: "pods/default/web" becomes "/registry/pods/default/web". */
export const wholeKey = (key: string): string => (key.startsWith("/") ? key : ROOT + key);

export const listStorage = (storage: NamedStorage, prefix: string, options: OpenOptions): Promise<ListedKeys> =>
  reading(storage, options, async (kv) => {
    const pages = readPages(kv, wholeKey(prefix));
    const keys: ListedKey[] = [];
    for await (const page of pages) {
      options.signal?.throwIfAborted();
      for (const { key, createRevision, revision, value } of page) {
        keys.push({ key, createRevision, revision, bytes: value.length, mediaType: mediaTypeOf(value) });
      }
    }
    return { revision: pages.revision, keys };
  });

/** Reads and decodes one stored value. Throws a {@link StoredError} where the key does not exist or the value cannot be decoded. */
export const readStored = (storage: NamedStorage, key: string, options: OpenOptions): Promise<StoredValue> =>
  reading(storage, options, async (kv) => {
    const whole = wholeKey(key);
    const { kv: entry } = await kv.get(whole);
    if (entry === undefined) throw new StoredError(`there is no key ${whole} in ${storage.name}`);
    return decodeValue(entry.value);
  });

export interface CheckedStorage {
  readonly revision: number;
  readonly keys: number;
  readonly bytes: number;
  readonly faults: number;
}

export interface CheckOptions extends OpenOptions {
  readonly onFault: (key: string, fault: string) => void;
  readonly onProgress: (keys: number) => void;
}

/** Decodes every value, and compares every key with its object. Changes nothing. */
export const checkStorage = (storage: NamedStorage, options: CheckOptions): Promise<CheckedStorage> =>
  reading(storage, options, async (kv) => {
    const pages = readPages(kv);
    let [keys, bytes, faults] = [0, 0, 0];
    for await (const page of pages) {
      options.signal?.throwIfAborted();
      for (const { key, value } of page) {
        const fault = faultOf(key, value);
        keys += 1;
        bytes += value.length;
        if (fault === undefined) continue;
        faults += 1;
        options.onFault(key, fault);
      }
      options.onProgress(keys);
    }
    return { revision: pages.revision, keys, bytes, faults };
  });

function faultOf(key: string, value: Uint8Array): string | undefined {
  try {
    const stored = decodeValue(value);
    if (isInternalKey(key)) return undefined;
    requireFittingFields(stored);
    return misplacement(key, stored.object);
  } catch (error) {
    if (error instanceof StoredError) return errorMessage(error);
    throw error;
  }
}

/** Opens a storage that is there, and closes it after `read`. */
export const reading = <T>(storage: NamedStorage, options: OpenOptions, read: (kv: Kv) => Promise<T>): Promise<T> =>
  withStoredErrors(async () => {
    const kv = await openExisting(storage, options);
    try {
      return await read(kv);
    } finally {
      await kv.close();
    }
  });

function mediaTypeOf(value: Uint8Array): string | undefined {
  if (isProtobufDocument(value)) return "application/vnd.kubernetes.protobuf";
  return value[0] === "{".charCodeAt(0) ? "application/json" : undefined;
}
