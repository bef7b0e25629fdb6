import { type CancellationToken, REQUEST_IS_OVER } from "../../../base/async/cancellation.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import type { Timers } from "../../../base/time/timers.js";
import { invalidValue } from "../../../machinery/errors/field-error.js";
import { type GroupResource, invalid, isStatusError } from "../../../machinery/errors/status-error.js";
import type { EventReader } from "../event-log.js";
import { ClosedError, CompactedError } from "../kv.js";
import type { StoredEvent, StoredObject, WatchObjectsOptions } from "../store.js";
import { parseUintText, watchFromElsewhere } from "./errors.js";
import type { ObjectEvent, ObjectView, Reads } from "./reads.js";
import { parseResourceVersion } from "./resource-version.js";

const BOOKMARK_MILLISECONDS = 60_000;
/** How long before its end a watch sends a last bookmark. */
const LAST_BOOKMARK_MILLISECONDS = 2000;
/** Events or objects filtered before a batch is passed on. */
const BATCH = 200;

export interface WatchSources {
  readonly reads: Reads;
  readonly timers: Timers;
  readonly resource: GroupResource;
}

/**
 * Watches the objects below `prefix`, a whole key prefix ending in "/". The start revision is fixed when this resolves. A
 * revision that is compacted or not reached fails the iteration with 410 or 504, because clients look for the error in the
 * stream.
 */
export async function watchObjects(
  sources: WatchSources,
  prefix: string,
  options: WatchObjectsOptions,
): Promise<AsyncIterable<readonly StoredEvent[]>> {
  const { reads, resource } = sources;
  const { resourceVersion = "", sendInitialEvents } = options;
  const requested = parseResourceVersion(resourceVersion);
  if (requested === undefined) {
    const error = invalidValue("resourceVersion", resourceVersion, parseUintText(resourceVersion));
    throw invalid({ group: resource.group, kind: resource.resource }, "", [error]);
  }
  const latest = resourceVersion === "";
  if (sendInitialEvents ?? requested === 0) {
    let view: ObjectView;
    try {
      view = latest ? await reads.latest(prefix) : await reads.notOlder(prefix, requested);
    } catch (error) {
      if (isStatusError(error)) return fail(error);
      throw error;
    }
    return follow(sources, prefix, view.revision, options, view);
  }
  const from = latest ? (await reads.latest(prefix)).revision : await reads.startAfter(requested);
  if (from === undefined) return fail(watchFromElsewhere(requested, (await reads.latest(prefix)).revision));
  return follow(sources, prefix, from, options);
}

// Clients expect a compacted or unreached revision as an error in the stream, not as the answer's status.
// oxlint-disable-next-line require-yield
async function* fail(error: Error): AsyncGenerator<readonly StoredEvent[]> {
  throw error;
}

/** Creates the reader before the first await, so that no event is lost while the initial state is sent. */
function follow(
  { reads, timers }: WatchSources,
  prefix: string,
  from: number,
  options: WatchObjectsOptions,
  view?: ObjectView,
): AsyncGenerator<readonly StoredEvent[]> {
  const reader = reads.follow(prefix, from);
  const { allowWatchBookmarks = false, timeoutMilliseconds } = options;
  const bookmarks = new BookmarkTimer(timers, allowWatchBookmarks, timeoutMilliseconds, () => {
    void reads.requestProgress().then(() => reader.nudge());
  });
  const stop = (): void => {
    bookmarks.stop();
    reader.close();
  };
  // A generator that was never started does not run its finally block.
  if (options.signal.aborted) stop();
  else options.signal.addEventListener("abort", stop, { once: true });
  return tell(reads, reader, bookmarks, prefix, options, view, () => {
    options.signal.removeEventListener("abort", stop);
    stop();
  });
}

async function* tell(
  reads: Reads,
  reader: EventReader<ObjectEvent>,
  bookmarks: BookmarkTimer,
  prefix: string,
  { signal, predicate, ...options }: WatchObjectsOptions,
  view: ObjectView | undefined,
  stop: () => void,
): AsyncGenerator<readonly StoredEvent[]> {
  const token: CancellationToken = {
    signal,
    get isCancelled() {
      return signal.aborted;
    },
  };
  try {
    if (view !== undefined) {
      yield* initialEvents(view, prefix, predicate, token);
      if (options.sendInitialEvents === true && options.allowWatchBookmarks === true) {
        yield [{ type: "BOOKMARK", revision: view.revision, initialEventsEnd: true }];
      }
    }
    options.onInitialized?.();
    while (!signal.aborted) {
      const events = reader.take(BATCH);
      if (reads.upgrade !== undefined)
        await reads.upgrade(events.flatMap(({ object, previous }) => [object, previous]));
      const wanted: StoredEvent[] = [];
      for (const event of events) {
        const seen = seenBy(event, predicate);
        if (seen !== undefined) wanted.push(seen);
        if (predicate !== undefined && sliceIsSpent()) await nextSlice(token);
      }
      if (events.length === 0 && bookmarks.due()) wanted.push({ type: "BOOKMARK", revision: reader.position });
      if (wanted.length > 0) yield wanted;
      else if (events.length === 0) await reader.wait();
    }
  } catch (error) {
    if (error instanceof CompactedError) throw reads.tooOld(error);
    if (!(error instanceof ClosedError) && error !== REQUEST_IS_OVER) throw error;
  } finally {
    stop();
  }
}

async function* initialEvents(
  view: ObjectView,
  prefix: string,
  predicate: WatchObjectsOptions["predicate"],
  token: CancellationToken,
): AsyncGenerator<readonly StoredEvent[]> {
  for (let from = prefix; ; ) {
    const { objects, remaining } = await view.read(from, BATCH);
    const events: StoredEvent[] = [];
    for (const object of objects) {
      if (predicate === undefined || predicate(object)) {
        events.push({ type: "ADDED", object, revision: object.revision });
      }
      if (predicate !== undefined && sliceIsSpent()) await nextSlice(token);
    }
    if (events.length > 0) yield events;
    const last = objects.at(-1);
    if (remaining === 0 || last === undefined) return;
    from = `${last.key}\0`;
    if (sliceIsSpent()) await nextSlice(token);
  }
}

/** The event that a watch with this predicate gets for a change; undefined for none. */
function seenBy(event: ObjectEvent, predicate: WatchObjectsOptions["predicate"]): StoredEvent | undefined {
  const passes = (object: StoredObject | undefined): boolean =>
    object !== undefined && (predicate === undefined || predicate(object));
  const { object, previous, revision } = event;
  const before = passes(previous);
  if (object !== undefined && passes(object)) return { type: before ? "MODIFIED" : "ADDED", object, revision };
  if (!before || previous === undefined) return undefined;
  event.deleted ??= previous.at(revision);
  return { type: "DELETED", object: event.deleted, revision };
}

/** Decides when a bookmark is due: every minute, and shortly before the watch ends. */
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

  /** Returns whether a bookmark is due and resets it. */
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
