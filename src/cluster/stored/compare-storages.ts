import { compareKeys } from "../../base/collections/key-order.js";
import type { KeyValue, Kv } from "../../server/storage/kv.js";
import { SCHEMA_EPOCHS_KEY } from "../../server/storage/schema-epochs.js";
import type { MigrateOptions } from "./migrate-storage.js";
import { readPages } from "./pages.js";
import { StoredError } from "./stored-error.js";

export interface ComparedStorages {
  /** Keys of the target, with the record of schema epochs. */
  readonly keys: number;
  /** Their values together. */
  readonly bytes: number;
}

interface CompareOptions {
  /** Keys that expire, which one of the storages may no longer have. */
  readonly expires: ReadonlyMap<string, number>;
  readonly all: number;
  readonly options: MigrateOptions;
}

/** Reads both storages side by side. Throws a {@link StoredError} for the first key that is not the same in both. */
export async function compareStorages(source: Kv, target: Kv, compare: CompareOptions): Promise<ComparedStorages> {
  const { expires, options, all } = compare;
  const [ours, theirs] = [keysOf(source), keysOf(target)];
  let [left, right] = [await ours.next(), await theirs.next()];
  let [keys, bytes] = [0, 0];
  while (left.done !== true || right.done !== true) {
    const order = orderOf(left.value, right.value);
    const { key, value } = (order <= 0 ? left.value : right.value) as KeyValue;
    const isEqual = order === 0 && Buffer.compare(value, (right.value as KeyValue).value) === 0;
    const mayDiffer = key === SCHEMA_EPOCHS_KEY || (order !== 0 && expires.has(key));
    if (!isEqual && !mayDiffer) throw new StoredError(differs(key));
    if (order <= 0) {
      keys += 1;
      bytes += value.length;
      left = await ours.next();
    }
    if (order >= 0) right = await theirs.next();
    if (keys % REPORTED !== 0) continue;
    options.signal?.throwIfAborted();
    options.onProgress({ step: "compared", keys, all });
  }
  return { keys, bytes };
}

const REPORTED = 500;

const differs = (key: string): string =>
  `${key} is not the same in both storages: one was changed meanwhile; stop the servers that use them and run the same command again, it goes on from there`;

function orderOf(left: KeyValue | undefined, right: KeyValue | undefined): number {
  if (left === undefined) return 1;
  return right === undefined ? -1 : compareKeys(left.key, right.key);
}

async function* keysOf(kv: Kv): AsyncGenerator<KeyValue, undefined> {
  for await (const page of readPages(kv)) yield* page;
  return undefined;
}
