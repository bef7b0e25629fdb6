import type { Timers } from "../../../base/timers.js";
import { invalidValue } from "../../../machinery/errors/field-error.js";
import { type GroupResource, invalid } from "../../../machinery/errors/status-error.js";
import type { EventReader } from "../event-log.js";
import { ClosedError, CompactedError, type Kv } from "../kv.js";
import type { CachedEvent, WatchCache } from "../cacher/watch-cache.js";
import type { StoredEvent, StoredObject, WatchObjectsOptions } from "../store.js";
import { parseUintText, watchExpired, watchFromElsewhere } from "./errors.js";
import { waitForCurrent, waitForRevision } from "./fresh.js";
import { parseResourceVersion } from "./resource-version.js";

const BOOKMARK_MILLISECONDS = 60_000;
/** How long before its end a watch says once more how far it got. */
const LAST_BOOKMARK_MILLISECONDS = 2000;
/** Events looked at before a batch is handed on. */
const BATCH = 500;

export interface WatchSources {
  readonly cache: WatchCache;
  readonly kv: Kv;
  readonly timers: Timers;
  readonly resource: GroupResource;
}

/**
 * Watches below `prefix`, a whole key prefix ending in "/". The place where the watch starts is fixed when this
 * resolves; a place that is gone is reported by the iteration, as 410, because clients look for it there.
 */
export async function watchObjects(
  sources: WatchSources,
  prefix: string,
  options: WatchObjectsOptions,
): Promise<AsyncIterable<readonly StoredEvent[]>> {
  const { cache, kv } = sources;
  const { resourceVersion = "", sendInitialEvents } = options;
  const requested = parseResourceVersion(resourceVersion);
  if (requested === undefined) {
    const error = invalidValue("resourceVersion", resourceVersion, parseUintText(resourceVersion));
    throw invalid({ group: sources.resource.group, kind: sources.resource.resource }, "", [error]);
  }
  if (resourceVersion === "") await waitForCurrent(cache, kv);
  else if (sendInitialEvents === true) await waitForRevision(cache, requested);
  else if (requested > cache.applied) await waitForCurrent(cache, kv);
  else await cache.ready();
  const withState = sendInitialEvents ?? requested === 0;
  const from = withState || requested === 0 ? cache.applied : requested;
  const initial = withState ? initialEvents(cache, prefix, options.predicate) : [];
  if (sendInitialEvents === true && options.allowWatchBookmarks === true) {
    initial.push({ type: "BOOKMARK", revision: from, initialEventsEnd: true });
  }
  if (from > cache.applied) return fail(watchFromElsewhere(from, cache.applied));
  return follow(sources, cache.log.read(prefix, from), initial, options);
}

// Clients look for a revision that is gone in the stream, not in the answer's status.
// oxlint-disable-next-line require-yield
async function* fail(error: Error): AsyncGenerator<readonly StoredEvent[]> {
  throw error;
}

function initialEvents(cache: WatchCache, prefix: string, predicate: WatchObjectsOptions["predicate"]): StoredEvent[] {
  const events: StoredEvent[] = [];
  cache.root.scan(prefix, (key, object) => {
    if (!key.startsWith(prefix)) return false;
    if (predicate === undefined || predicate(object)) {
      events.push({ type: "ADDED", object, revision: object.revision });
    }
    return true;
  });
  return events;
}

async function* follow(
  { timers }: WatchSources,
  reader: EventReader<CachedEvent>,
  initial: readonly StoredEvent[],
  { signal, predicate, allowWatchBookmarks, timeoutMilliseconds }: WatchObjectsOptions,
): AsyncGenerator<readonly StoredEvent[]> {
  const bookmarks = new BookmarkTimer(timers, allowWatchBookmarks === true, timeoutMilliseconds, () => reader.nudge());
  try {
    if (initial.length > 0) yield initial;
    while (!signal.aborted) {
      const events = reader.take(BATCH);
      const wanted: StoredEvent[] = [];
      for (const event of events) {
        const seen = seenBy(event, predicate);
        if (seen !== undefined) wanted.push(seen);
      }
      if (events.length === 0 && bookmarks.due()) wanted.push({ type: "BOOKMARK", revision: reader.position });
      if (wanted.length > 0) yield wanted;
      else if (events.length === 0) await reader.wait(signal);
    }
  } catch (error) {
    if (error instanceof CompactedError) throw watchExpired(error.requested, error.compacted);
    if (!(error instanceof ClosedError)) throw error;
  } finally {
    bookmarks.stop();
    reader.close();
  }
}

/** What a watcher that sees only some objects is told of a change; undefined for nothing. */
function seenBy(event: CachedEvent, predicate: WatchObjectsOptions["predicate"]): StoredEvent | undefined {
  const passes = (object: StoredObject | undefined): boolean =>
    object !== undefined && (predicate === undefined || predicate(object));
  const { object, previous, revision } = event;
  const before = passes(previous);
  if (object !== undefined && passes(object)) return { type: before ? "MODIFIED" : "ADDED", object, revision };
  if (!before || previous === undefined) return undefined;
  event.deleted ??= previous.at(revision);
  return { type: "DELETED", object: event.deleted, revision };
}

/** Tells when to say how far the watch has got: every minute, and shortly before its end. */
class BookmarkTimer {
  #due = false;
  readonly #cancels = new Set<() => void>();

  constructor(
    private readonly timers: Timers,
    enabled: boolean,
    timeoutMilliseconds: number | undefined,
    private readonly onDue: () => void,
  ) {
    if (!enabled) return;
    this.#repeat();
    if (timeoutMilliseconds === undefined) return;
    const wait = timeoutMilliseconds - LAST_BOOKMARK_MILLISECONDS;
    if (wait > 0) this.#cancels.add(timers.start(wait, () => this.#fire()));
  }

  /** Whether a bookmark is owed; asking settles it. */
  due(): boolean {
    const due = this.#due;
    this.#due = false;
    return due;
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #repeat(): void {
    const cancel = this.timers.start(BOOKMARK_MILLISECONDS, () => {
      this.#cancels.delete(cancel);
      this.#fire();
      this.#repeat();
    });
    this.#cancels.add(cancel);
  }

  #fire(): void {
    this.#due = true;
    this.onDue();
  }
}
