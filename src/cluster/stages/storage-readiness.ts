import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { Storage } from "../../server/storage/create-storage.js";
import type { StorageOptions } from "../open-storage.js";

/** kube-apiserver's default of --storage-initialization-timeout. */
const MILLISECONDS = 60_000;

/**
 * Resolves when the storage can serve reads. When that takes longer than the options allow, it warns in kube-apiserver's words and resolves
 * too: later reads wait for the storage themselves. Rejects when the storage cannot become ready.
 */
export async function untilStorageIsReady(
  storage: Pick<Storage, "ready">,
  timers: Timers,
  { initializationTimeout = MILLISECONDS, onWarning }: Pick<StorageOptions, "initializationTimeout" | "onWarning">,
): Promise<void> {
  let isReady = false;
  const waiting = new AbortController();
  const ready = storage.ready().then(() => void (isReady = true));
  const limit = pause(timers, initializationTimeout, waiting.signal);
  try {
    await Promise.race([ready, limit]);
    if (!isReady) onWarning?.("Deadline exceeded while waiting for storage readiness... ignoring");
  } finally {
    waiting.abort();
    ready.catch(() => {});
  }
}
