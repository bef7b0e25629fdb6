import { KeyExistsError, type Kv, RevisionMismatchError } from "../storage/kv.js";
import type { Measuring, ServerMeasures } from "./measures.js";

type Measured = Pick<Kv, "create" | "get" | "list" | "update" | "delete" | "count">;

/** Wraps a store so that its calls are measured while metrics are on. */
export function measuredKv(kv: Kv, measuring: Measuring): Kv {
  async function call<T>(measures: ServerMeasures, operation: string, key: string, run: () => Promise<T>): Promise<T> {
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
  // While nothing is measured a call costs a look.
  const measured: Measured = {
    create(key, value, options) {
      const { on } = measuring;
      if (on === undefined) return kv.create(key, value, options);
      return call(on, "create", key, () => kv.create(key, value, options));
    },
    get(key) {
      const { on } = measuring;
      return on === undefined ? kv.get(key) : call(on, "get", key, () => kv.get(key));
    },
    list(prefix, options) {
      const { on } = measuring;
      return on === undefined ? kv.list(prefix, options) : call(on, "list", prefix, () => kv.list(prefix, options));
    },
    update(key, value, expectedRevision, options) {
      const { on } = measuring;
      if (on === undefined) return kv.update(key, value, expectedRevision, options);
      return call(on, "update", key, () => kv.update(key, value, expectedRevision, options));
    },
    delete(key, revision) {
      const { on } = measuring;
      return on === undefined ? kv.delete(key, revision) : call(on, "delete", key, () => kv.delete(key, revision));
    },
    count(prefix) {
      const { on } = measuring;
      return on === undefined ? kv.count(prefix) : call(on, "listWithCount", prefix, () => kv.count(prefix));
    },
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
