import type { Clock } from "../../../base/clock.js";
import { OrderedMap } from "../../../base/ordered-map.js";
import type { Timers } from "../../../base/timers.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { EventLog, type EventLogLimits } from "../event-log.js";
import { ClosedError, CompactedError, type Kv, type WatchBatch } from "../kv.js";
import { Snapshots } from "../snapshots.js";
import type { ObjectCodec } from "../store.js";
import { CachedObject, type ObjectSource } from "./cached-object.js";
import { HotSet } from "./hot-set.js";

/** One change to one object. At least one of the two states is there. */
export interface CachedEvent {
  readonly revision: number;
  readonly key: string;
  /** Absent when the object was deleted. */
  readonly object: CachedObject | undefined;
  /** Absent when the object was created. */
  readonly previous: CachedObject | undefined;
  /** `previous` at this event's revision, for watchers that see the object go; made once and shared by them. */
  deleted?: CachedObject;
}

export interface WatchCacheOptions {
  readonly kv: Kv;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly limits: EventLogLimits;
  /** Bytes of objects whose parsed and encoded forms are kept. */
  readonly hotBytes: number;
}

/** Objects read from the store at a time while loading. */
const PAGE = 1000;
/** Events replayed at most when loading, to give watchers of before a restart what they missed. */
const REPLAY = 10_000;
const RETRY_MILLISECONDS = 1000;

/**
 * Every object of the store in memory, fed by one watch, with the recent events: what all reads and watches are served
 * from. All of it shows one revision, {@link applied}; waiting for a revision is how a read becomes consistent.
 */
export class WatchCache implements ObjectSource {
  readonly hot: HotSet<CachedObject>;
  readonly #snapshots = new Snapshots<CachedObject>();
  readonly #codecs = new Map<string, ObjectCodec>();
  readonly #waiting = new Set<{ readonly revision: number; done(error?: Error): void }>();
  /** What is being written, by its bytes, so that what comes back in the watch is not decoded again. */
  readonly #written = new WeakMap<Uint8Array, KubeObject>();
  #root = OrderedMap.empty<CachedObject>();
  #log: EventLog<CachedEvent>;
  #applied = 0;
  #ready: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();
  #closing = false;
  #stopPause: (() => void) | undefined;

  constructor(private readonly options: WatchCacheOptions) {
    this.hot = new HotSet(options.hotBytes);
    this.#log = this.#newLog(0);
  }

  /** The revision that {@link root} shows. */
  get applied(): number {
    return this.#applied;
  }

  get root(): OrderedMap<CachedObject> {
    return this.#root;
  }

  get log(): EventLog<CachedEvent> {
    return this.#log;
  }

  /** Loads the store on the first call; resolves when reads can be served. */
  ready(): Promise<void> {
    this.#ready ??= this.#start();
    return this.#ready;
  }

  /** Objects below `prefix`, which ends in "/", are read by `codec` from now on. */
  register(prefix: string, codec: ObjectCodec): void {
    this.#codecs.set(prefix, codec);
  }

  codecFor(key: string): ObjectCodec {
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
      const codec = this.#codecs.get(key.slice(0, end + 1));
      if (codec !== undefined) return codec;
    }
    throw new Error(`no resource is registered for key ${key}`);
  }

  /** Announces that `bytes` are about to be written and stand for `object`. */
  expect(bytes: Uint8Array, object: KubeObject): void {
    this.#written.set(bytes, object);
  }

  /** Resolves with true once {@link applied} is at least `revision`, with false after `milliseconds` without that. */
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

  /** The objects as they stood at `revision`, or undefined when the events back to then are forgotten. */
  at(revision: number): OrderedMap<CachedObject> | undefined {
    if (revision < this.#log.floor) return undefined;
    const current = { revision: this.#applied, root: this.#root };
    return this.#snapshots.at(revision, current, (to, from, visit) =>
      this.#log.visitBack(to, (event) => {
        if (event.revision <= from) visit(event);
      }),
    );
  }

  /** Keeps the current state at hand for a list that will be continued. */
  remember(revision: number, root: OrderedMap<CachedObject>): void {
    this.#snapshots.remember(revision, root);
  }

  /** Call it when the store is closed, so that what was written last is still seen. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#stopPause?.();
    await this.#running;
    this.#log.close();
    for (const { done } of this.#waiting) done(new ClosedError());
  }

  #newLog(floor: number): EventLog<CachedEvent> {
    const { clock, limits } = this.options;
    return new EventLog({
      clock,
      floor,
      limits,
      weigh: (event) => 256 + (event.object?.bytes.byteLength ?? 0),
    });
  }

  async #start(): Promise<void> {
    await this.#load();
    this.#running = this.#run();
    await this.waitFor(await this.options.kv.currentRevision());
  }

  /** Starts from an earlier state when the store still has it: the events since then are what resuming watchers need. */
  async #load(): Promise<void> {
    const current = await this.options.kv.currentRevision();
    let revision = Math.max(1, current - REPLAY);
    for (;;) {
      try {
        this.#root = await this.#readAll(revision);
        break;
      } catch (error) {
        if (!(error instanceof CompactedError)) throw error;
        revision = Math.max(error.compacted, revision + 1);
      }
    }
    this.#log = this.#newLog(revision);
    this.#snapshots.forget(Number.POSITIVE_INFINITY);
    this.#applied = revision;
  }

  async #readAll(revision: number): Promise<OrderedMap<CachedObject>> {
    let root = OrderedMap.empty<CachedObject>();
    let startAfter: string | undefined;
    for (;;) {
      const page = await this.options.kv.list("", {
        limit: PAGE,
        revision,
        ...(startAfter !== undefined && { startAfter }),
      });
      for (const { key, revision: written, value } of page.items) {
        root = root.set(key, new CachedObject(this, key, written, value));
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
        await this.#recover(error);
      }
    }
  }

  /** The watch broke. Watchers are told to list again, because what they missed cannot be known. */
  async #recover(cause: unknown): Promise<void> {
    if (!(cause instanceof CompactedError)) await this.#pause();
    if (this.#closing) return;
    const old = this.#log;
    try {
      await this.#load();
    } catch (error) {
      if (error instanceof ClosedError) return;
      await this.#pause();
      return;
    }
    old.close(new CompactedError(old.head, this.#log.floor));
    this.#wake();
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
    const changes: CachedEvent[] = [];
    for (const { key, revision, value } of events) {
      const previous = this.#root.get(key);
      let object: CachedObject | undefined;
      if (value === undefined) {
        this.#root = this.#root.delete(key);
      } else {
        object = this.#admit(key, revision, value);
        this.#root = this.#root.set(key, object);
      }
      changes.push({ revision, key, object, previous });
    }
    this.#applied = told;
    this.#wake();
    this.#log.append(changes);
    this.#log.advance(told);
  }

  #admit(key: string, revision: number, value: Uint8Array): CachedObject {
    const object = new CachedObject(this, key, revision, value);
    const source = this.#written.get(value);
    if (source !== undefined) {
      this.#written.delete(value);
      object.prime(source);
    }
    return object;
  }

  #wake(): void {
    for (const { revision, done } of this.#waiting) if (revision <= this.#applied) done();
  }
}
