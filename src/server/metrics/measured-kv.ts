import { KeyExistsError, type Kv, RevisionMismatchError } from "../storage/kv.js";
import type { Measuring } from "./measures.js";

type Measured = Pick<Kv, "create" | "get" | "list" | "update" | "delete" | "count">;

/** The store, whose calls are measured while somebody takes the measures. */
export function measuredKv(kv: Kv, measuring: Measuring): Kv {
  async function call<T>(operation: string, key: string, run: () => Promise<T>): Promise<T> {
    const measures = measuring.on;
    if (measures === undefined) return run();
    const began = measures.now();
    let failed = false;
    try {
      return await run();
    } catch (error) {
      // The store has answered: another write was first.
      failed = !(error instanceof KeyExistsError || error instanceof RevisionMismatchError);
      throw error;
    } finally {
      measures.stored(operation, key, measures.now() - began, failed);
    }
  }
  const measured: Measured = {
    create: (key, ...given) => call("create", key, () => kv.create(key, ...given)),
    get: (key) => call("get", key, () => kv.get(key)),
    list: (prefix, options) => call("list", prefix, () => kv.list(prefix, options)),
    update: (key, ...given) => call("update", key, () => kv.update(key, ...given)),
    delete: (key, revision) => call("delete", key, () => kv.delete(key, revision)),
    count: (prefix) => call("listWithCount", prefix, () => kv.count(prefix)),
  };
  const { requestProgress, recent, expiring, restore, outsideEdits, size } = kv;
  return {
    freshness: kv.freshness,
    ...measured,
    watch: (...given) => kv.watch(...given),
    compact: (revision) => kv.compact(revision),
    currentRevision: () => kv.currentRevision(),
    check: (kind) => kv.check(kind),
    close: () => kv.close(),
    ...(requestProgress && { requestProgress: () => requestProgress.call(kv) }),
    ...(recent && { recent: (limits) => recent.call(kv, limits) }),
    ...(expiring && { expiring: () => expiring.call(kv) }),
    ...(restore && { restore: (restored) => restore.call(kv, restored) }),
    ...(outsideEdits && { outsideEdits: (apply) => outsideEdits.call(kv, apply) }),
    ...(size && { size: () => size.call(kv) }),
  };
}
