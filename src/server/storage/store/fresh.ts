import type { WatchCache } from "../cacher/watch-cache.js";
import type { Kv } from "../kv.js";
import { tooLargeResourceVersion } from "./errors.js";

/** How long a read waits for a revision the client saw elsewhere, as the API server does. */
const PATIENCE_MILLISECONDS = 3000;

/** Returns when the cache shows everything that was acknowledged before this call. */
export async function waitForCurrent(cache: WatchCache, kv: Kv): Promise<void> {
  await cache.ready();
  await cache.waitFor(await kv.currentRevision());
}

/** Returns when the cache shows `revision` or later; throws 504 when that does not come. */
export async function waitForRevision(cache: WatchCache, revision: number): Promise<void> {
  await cache.ready();
  if (!(await cache.waitFor(revision, PATIENCE_MILLISECONDS))) throw tooLargeResourceVersion(revision, cache.applied);
}
