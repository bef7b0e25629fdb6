import type { Clock } from "../../../base/time/clock.js";
import type { StatusError } from "../../../machinery/errors/status-error.js";
import { EventLog, type EventReader } from "../event-log.js";
import { ClosedError, CompactedError, type Kv, type WatchBatch, type ListResult } from "../kv.js";
import type { Codecs } from "./codecs.js";
import { storeWatchExpired, tooLargeResourceVersion } from "./errors.js";
import type { KvObject } from "./kv-object.js";
import type { ObjectEvent, ObjectView, Reads } from "./reads.js";

/** How far a watch may fall behind before it fails with 410. */
const BACKLOG = { events: 10_000, bytes: 16 * 2 ** 20, milliseconds: Number.POSITIVE_INFINITY, keep: 0 };

/** Reads from the key-value store on every call. It needs no memory for a cache and never returns stale objects. */
export class DirectReads implements Reads {
  readonly ignoresLimitOfAny = false;
  readonly #following = new Set<AbortController>();

  constructor(
    private readonly kv: Kv,
    private readonly codecs: Codecs,
    private readonly clock: Clock,
    /** When a client may retry a revision that was not reached; 0: unknown. */
    private readonly retryAfterSeconds: number,
  ) {}

  ready(): Promise<void> {
    return Promise.resolve();
  }

  async latestOf(key: string): Promise<KvObject | undefined> {
    return this.notOlderOf(key, 0);
  }

  async notOlderOf(key: string, minimum: number): Promise<KvObject | undefined> {
    const { kv, revision } = await this.kv.get(key);
    if (revision < minimum) throw tooLargeResourceVersion(minimum, revision, this.retryAfterSeconds);
    return kv === undefined ? undefined : this.codecs.object(key, kv.revision, kv.value);
  }

  now(): undefined {
    return undefined;
  }

  whenOccupied(_prefix: string, listener: () => void): () => void {
    listener();
    return () => {};
  }

  async latest(prefix: string): Promise<ObjectView> {
    return new KvView(this.kv, this.codecs, prefix, await this.kv.currentRevision());
  }

  async notOlder(prefix: string, minimum: number): Promise<ObjectView> {
    const view = await this.latest(prefix);
    if (view.revision < minimum) throw tooLargeResourceVersion(minimum, view.revision, this.retryAfterSeconds);
    return view;
  }

  async exactly(prefix: string, revision: number): Promise<ObjectView | undefined> {
    const current = await this.kv.currentRevision();
    if (revision > current) throw tooLargeResourceVersion(revision, current, this.retryAfterSeconds);
    try {
      await this.kv.list(prefix, { revision, limit: 1 });
    } catch (error) {
      if (error instanceof CompactedError) return undefined;
      throw error;
    }
    return new KvView(this.kv, this.codecs, prefix, revision);
  }

  async startAfter(revision: number): Promise<number | undefined> {
    const current = await this.kv.currentRevision();
    if (revision > current) return undefined;
    return revision === 0 ? current : revision;
  }

  follow(prefix: string, revision: number): EventReader<ObjectEvent> {
    const log = new EventLog<ObjectEvent>({ clock: this.clock, floor: revision, limits: BACKLOG, weigh: weightOf });
    const ending = new AbortController();
    this.#following.add(ending);
    void this.#pump(prefix, revision, log, ending.signal);
    const reader = log.read(prefix, revision);
    reader.onClose = () => {
      this.#following.delete(ending);
      ending.abort();
    };
    return reader;
  }

  tooOld(): StatusError {
    return storeWatchExpired();
  }

  async requestProgress(): Promise<void> {
    // The next event reports the progress instead.
    await this.kv.requestProgress?.().catch(() => {});
  }

  acknowledged(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async close(): Promise<void> {
    for (const ending of this.#following) ending.abort();
  }

  async #pump(prefix: string, from: number, log: EventLog<ObjectEvent>, signal: AbortSignal): Promise<void> {
    try {
      for await (const batch of this.kv.watch(prefix, from, { signal })) {
        log.append(eventsOf(this.codecs, batch));
        log.advance(batch.revision);
      }
      log.close(new ClosedError());
    } catch (error) {
      log.close(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** The memory that V8 uses for an event besides its object's bytes: the event, its key, labels, fields and tree node. */
const EVENT_BYTES = 768;

export function weightOf(event: ObjectEvent): number {
  return EVENT_BYTES + (event.object?.heldBytes ?? 0);
}

function eventsOf(codecs: Codecs, { events }: WatchBatch): ObjectEvent[] {
  return events
    .map(({ key, revision, value, previous }) => ({
      key,
      revision,
      object: value === undefined ? undefined : codecs.object(key, revision, value),
      previous: previous === undefined ? undefined : codecs.object(key, previous.revision, previous.value),
    }))
    .flatMap((event) => readableEvent(event) ?? []);
}

/**
 * Adapts an event for watchers. When an object becomes unreadable, watchers keep its last state; when it becomes readable again
 * they get it as new, and as deleted when it is deleted. Undefined where watchers get no event.
 */
export function readableEvent(event: ObjectEvent): ObjectEvent | undefined {
  const { object, previous } = event;
  if (object?.isUnreadable === true) {
    object.lastReadable = previous?.isUnreadable === true ? previous.lastReadable : previous;
    return undefined;
  }
  if (previous?.isUnreadable === true) {
    if (object !== undefined) return { ...event, previous: undefined };
    return previous.lastReadable && { ...event, previous: previous.lastReadable };
  }
  return object === undefined && previous === undefined ? undefined : event;
}

/** A state of the objects below `prefix` in the key-value store. */
class KvView implements ObjectView {
  constructor(
    private readonly kv: Kv,
    private readonly codecs: Codecs,
    private readonly prefix: string,
    readonly revision: number,
  ) {}

  async read(from: string, limit: number): Promise<{ objects: readonly KvObject[]; remaining: number }> {
    const { kv, prefix, revision } = this;
    if (from === prefix) return this.#objects(await kv.list(prefix, { revision, limit }));
    // A key that ends in NUL is the first key after the same one without it.
    if (from.endsWith("\0"))
      return this.#objects(await kv.list(prefix, { revision, limit, startAfter: from.slice(0, -1) }));
    // `startAfter` excludes its key and there is no key just before `from`, so `from` is read separately.
    const [own, after] = await Promise.all([
      kv.list(from, { revision, limit: 1 }),
      kv.list(prefix, { revision, limit, startAfter: from }),
    ]);
    const items = [...own.items.filter(({ key }) => key === from), ...after.items];
    const shown = limit > 0 ? items.slice(0, limit) : items;
    return this.#objects({ items: shown, remaining: after.remaining + items.length - shown.length });
  }

  keep(): void {
    // The store keeps the state until it is compacted.
  }

  #objects({ items, remaining }: Pick<ListResult, "items" | "remaining">): {
    objects: readonly KvObject[];
    remaining: number;
  } {
    return { objects: items.map(({ key, revision, value }) => this.codecs.object(key, revision, value)), remaining };
  }
}
