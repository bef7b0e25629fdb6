import type { Clock } from "../../../base/time/clock.js";
import { prefixEnd } from "../../../base/collections/key-order.js";
import { OrderedMap } from "../../../base/collections/ordered-map.js";
import type { Timers } from "../../../base/time/timers.js";
import { EventLog, type EventLogLimits } from "../event-log.js";
import { ClosedError, CompactedError, FutureRevisionError, type Kv, type KvEvent, type WatchBatch } from "../kv.js";
import { Snapshots } from "../snapshots.js";
import type { Codecs } from "../store/codecs.js";
import { readableEvent, weightOf } from "../store/direct-reads.js";
import type { KvObject } from "../store/kv-object.js";
import type { ObjectEvent } from "../store/reads.js";

export interface WatchCacheOptions {
  readonly kv: Kv;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: EventLogLimits;
  readonly codecs: Codecs;
  /** Called with the events of each batch that was applied. */
  readonly onEvents?: ((events: readonly KvEvent[]) => void) | undefined;
}

/** The size of a page while the cache loads the store. */
const PAGE = 1000;
/** The past events that the cache replays when it loads, so that watchers can resume after a restart. */
const REPLAY = { revisions: 10_000, bytes: 2 ** 20 };
const RETRY_MILLISECONDS = 1000;

/**
 * The watch cache: every object of the store in memory, fed by a single watch, with the recent events. Reads and watches are
 * served from it. Its state is always that of one revision, {@link applied}; a consistent read waits for a revision.
 */
export class WatchCache {
  readonly #snapshots = new Snapshots<KvObject>();
  readonly #waiting = new Set<{ readonly revision: number; done(error?: Error): void }>();
  readonly #firstObjects = new FirstObjects();
  #root = OrderedMap.empty<KvObject>();
  /** What {@link below} answered, by prefix; without those that have changed since. */
  readonly #below = new Map<string, readonly KvObject[]>();
  #log: EventLog<ObjectEvent>;
  #applied = 0;
  /** The store's revision when the cache loaded it. */
  #replayedTo = 0;
  #ready: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  #closing = false;
  #stopPause: (() => void) | undefined;

  constructor(private readonly options: WatchCacheOptions) {
    this.#log = this.#newLog(0);
  }

  /** The revision of {@link root}. */
  get applied(): number {
    return this.#applied;
  }

  /** True until the cache has replayed the events from before it was loaded. Its state may be old until then. */
  get replaying(): boolean {
    return this.#applied < this.#replayedTo;
  }

  get root(): OrderedMap<KvObject> {
    return this.#root;
  }

  /** The objects below a prefix that is asked for often, in key order: the same list until one of them changes. */
  below(prefix: string): readonly KvObject[] {
    const kept = this.#below.get(prefix);
    if (kept !== undefined) return kept;
    const objects = this.#root.values(prefix, prefixEnd(prefix), Number.POSITIVE_INFINITY);
    this.#below.set(prefix, objects);
    return objects;
  }

  /** As {@link Reads.whenOccupied}. */
  whenOccupied(prefix: string, listener: () => void): () => void {
    if (this.#applied > 0 && this.#isEmpty(prefix)) return this.#firstObjects.wait(prefix, listener);
    listener();
    return () => {};
  }

  get log(): EventLog<ObjectEvent> {
    return this.#log;
  }

  /** Loads the store on the first call. Resolves when reads can be served. */
  ready(): Promise<void> {
    this.#ready ??= this.#start();
    return this.#ready;
  }

  /** Resolves to true once {@link applied} is at least `revision`, to false after `milliseconds`. */
  async waitFor(revision: number, milliseconds = Number.POSITIVE_INFINITY): Promise<boolean> {
    if (this.#applied >= revision) return true;
    if (this.#closing) throw new ClosedError();
    return new Promise((resolve, reject) => {
      const finish = (error: Error | undefined, reached: boolean): void => {
        this.#waiting.delete(waiter);
        cancel?.();
        if (error === undefined) resolve(reached);
        else reject(error);
      };
      const waiter = { revision, done: (error?: Error): void => finish(error, true) };
      const cancel = Number.isFinite(milliseconds)
        ? this.options.timers.start(milliseconds, () => finish(undefined, false))
        : undefined;
      this.#waiting.add(waiter);
    });
  }

  /** Returns the objects as of `revision`; undefined when the history does not reach back to it. */
  at(revision: number): OrderedMap<KvObject> | undefined {
    if (revision < this.#log.floor) return undefined;
    const current = { revision: this.#applied, root: this.#root };
    return this.#snapshots.at(revision, current, (to, from, visit) =>
      this.#log.visitBack(to, (event) => {
        if (event.revision <= from) visit(event);
      }),
    );
  }

  /** Keeps the current state for the next page of a list. */
  remember(revision: number, root: OrderedMap<KvObject>): void {
    this.#snapshots.remember(revision, root);
  }

  /** Call it after the store is closed, so that the cache delivers the last writes to waiting reads. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stopPause?.();
    await this.#running;
    this.#log.close();
    for (const { done } of this.#waiting) done(new ClosedError());
  }

  #isEmpty(prefix: string): boolean {
    return this.#root.values(prefix, prefixEnd(prefix), 1).length === 0;
  }

  #newLog(floor: number): EventLog<ObjectEvent> {
    const { clock, limits } = this.options;
    return new EventLog({ clock, floor, limits, weigh: weightOf });
  }

  async #start(): Promise<void> {
    const { kv } = this.options;
    const current = await kv.currentRevision();
    await this.#load(Math.max(1, (await kv.recent?.(REPLAY)) ?? current - REPLAY.revisions));
    this.#replayedTo = current;
    this.#running = this.#run();
    if (kv.freshness === "every-revision") await this.waitFor(current);
    // The last write may have been another server's, outside this watch. A progress request ends the replay then.
    else await kv.requestProgress?.();
  }

  /** Loads the state at `from`, or the oldest later state that the store still has. */
  async #load(from: number): Promise<void> {
    let revision = from;
    for (;;) {
      try {
        this.#root = await this.#readAll(revision);
        this.#below.clear();
        break;
      } catch (error) {
        if (!(error instanceof CompactedError)) throw error;
        // Not every store reports its oldest revision.
        revision = error.compacted > revision ? error.compacted : await this.options.kv.currentRevision();
      }
    }
    this.#log = this.#newLog(revision);
    this.#snapshots.forget(Number.POSITIVE_INFINITY);
    this.#applied = revision;
    this.#firstObjects.lookAgain((prefix) => this.#isEmpty(prefix));
  }

  async #readAll(revision: number): Promise<OrderedMap<KvObject>> {
    let root = OrderedMap.empty<KvObject>();
    let startAfter: string | undefined;
    for (;;) {
      const page = await this.options.kv.list("", {
        limit: PAGE,
        revision,
        ...(startAfter !== undefined && { startAfter }),
      });
      for (const { key, revision: written, value } of page.items) {
        root = root.set(key, this.options.codecs.object(key, written, value));
        startAfter = key;
      }
      if (page.remaining === 0 || page.items.length === 0) return root;
    }
  }

  async #run(): Promise<void> {
    const { signal } = new AbortController();
    while (!this.#closing) {
      try {
        for await (const batch of this.options.kv.watch("", this.#applied, { signal })) this.#apply(batch);
        return;
      } catch (error) {
        if (error instanceof ClosedError) return;
        const lost = error instanceof CompactedError || error instanceof FutureRevisionError;
        if (!lost || !(await this.#reload(error))) await this.#pause();
      }
    }
  }

  /** Loads the store again after the watch lost events. Watchers that need the lost events fail with 410. */
  async #reload(cause: CompactedError | FutureRevisionError): Promise<boolean> {
    const old = this.#log;
    const kept = cause instanceof CompactedError && cause.compacted > this.#applied ? cause.compacted : undefined;
    try {
      await this.#load(kept ?? (await this.options.kv.currentRevision()));
      if (kept === undefined) this.#replayedTo = this.#applied;
    } catch {
      return false;
    }
    // After a restored backup, resourceVersions of the old history have no meaning in the new one.
    if (kept === undefined) old.close(new CompactedError(old.head, this.#log.floor));
    else old.handOver(this.#log);
    this.#wake();
    return true;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.options.timers.start(RETRY_MILLISECONDS, resolve);
      this.#stopPause = () => {
        cancel();
        resolve();
      };
      if (this.#closing) this.#stopPause();
    });
  }

  #apply({ events, revision: told }: WatchBatch): void {
    const changes: ObjectEvent[] = [];
    for (const { key, revision, value } of events) {
      const previous = this.#root.get(key);
      for (const prefix of this.#below.keys()) if (key.startsWith(prefix)) this.#below.delete(prefix);
      let object: KvObject | undefined;
      if (value === undefined) {
        this.#root = this.#root.delete(key);
      } else {
        object = this.options.codecs.object(key, revision, value);
        this.#root = this.#root.set(key, object);
      }
      const change = readableEvent({ revision, key, object, previous });
      if (change !== undefined) changes.push(change);
    }
    this.options.onEvents?.(events);
    this.#applied = told;
    this.#wake();
    this.#log.append(changes);
    this.#log.advance(told);
    this.#snapshots.forget(this.#log.floor);
    for (const { key, previous } of changes) if (previous === undefined) this.#firstObjects.created(key);
  }

  #wake(): void {
    for (const { revision, done } of this.#waiting) if (revision <= this.#applied) done();
  }
}

/** Callbacks for the first object below a prefix. Prefixes are whole key prefixes ending in "/". */
class FirstObjects {
  readonly #waiting = new Map<string, readonly (() => void)[]>();

  /** Calls `listener` once, when an object below `prefix` is created; never after the returned function is called. */
  wait(prefix: string, listener: () => void): () => void {
    this.#waiting.set(prefix, [...(this.#waiting.get(prefix) ?? []), listener]);
    return () => {
      const others = this.#waiting.get(prefix)?.filter((one) => one !== listener) ?? [];
      if (others.length === 0) this.#waiting.delete(prefix);
      else this.#waiting.set(prefix, others);
    };
  }

  /** An object was created at `key`. */
  created(key: string): void {
    if (this.#waiting.size === 0) return;
    for (let end = key.indexOf("/", 1); end !== -1; end = key.indexOf("/", end + 1)) this.#call(key.slice(0, end + 1));
  }

  /** Many objects may have been created. */
  lookAgain(isEmpty: (prefix: string) => boolean): void {
    for (const prefix of this.#waiting.keys()) if (!isEmpty(prefix)) this.#call(prefix);
  }

  #call(prefix: string): void {
    const listeners = this.#waiting.get(prefix);
    if (listeners === undefined) return;
    this.#waiting.delete(prefix);
    for (const listener of listeners) listener();
  }
}
