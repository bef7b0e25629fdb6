import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../src/base/time/clock.js";
import { turn } from "../../src/base/async/turns.js";
import { isStatusError } from "../../src/machinery/errors/status-error.js";
import { createStorage, type Storage } from "../../src/server/storage/create-storage.js";
import { ClosedError, type Kv } from "../../src/server/storage/kv.js";
import type { ListOfObjects, ObjectStore, StoredObject } from "../../src/server/storage/store.js";
import type { ManualTime } from "../helpers/manual-time.js";
import { plainCodec } from "../suites/store-harness.js";
import { type Scenario, type ServerKind, surelyKept } from "./commands.js";
import { Ledger, overdue } from "./ledger.js";
import { FENCE, History, must, type Scope, type Version, Violation } from "./model.js";
import type { StoreUnderTest } from "./store-under-test.js";
import { complaintAbout, localPrefix, predicateOf, type Watcher, type WatcherWorld } from "./watcher.js";
import { PATIENCE } from "../helpers/patience.js";

/** Turns of the event loop for which something is waited for without a rest. */
const RESTLESS = 20;
/** Turns of the event loop by which the watches of a server are later than those of the one before it. */
const LAG = 3;
/** By how much time passes at once where it passes by itself, in milliseconds. */
const TICK = 20;
const RESOURCES = ["pods", "configmaps"];

/** What happened, to see that a test tested something. */
export type Tally = Record<
  | "operations"
  | "events"
  | "conflicts"
  | "expired"
  | "resumed"
  | "bookmarks"
  | "closed"
  | "killed"
  | "pages"
  | "unanswered",
  number
>;

export const emptyTally = (): Tally => ({
  operations: 0,
  events: 0,
  conflicts: 0,
  expired: 0,
  resumed: 0,
  bookmarks: 0,
  closed: 0,
  killed: 0,
  pages: 0,
  unanswered: 0,
});

interface Server {
  readonly storage: Storage;
  readonly stores: ReadonlyMap<string, ObjectStore>;
}

/** One store, the servers over it, and the history that one observer keeps of it. */
export class World implements WatcherWorld {
  readonly history: History;
  readonly ledger = new Ledger();
  readonly watchers: Watcher[] = [];
  #servers: Server[] = [];
  #kv: Kv | undefined;
  #observing: Promise<void> = Promise.resolve();
  #known = 1;
  #begun = false;
  /** Time passes by itself where the store lives in a time of its own: servers wait for it. */
  #ticking: NodeJS.Timeout | undefined;
  #ending = false;
  /** Made when a client was answered, to be held against the history when that is complete. */
  #checks: (() => void)[] = [];
  #failure: unknown;
  /** Told to forget up to here. */
  #compacted = 0;
  /** The revision at the end of each moment. */
  readonly #moments: { readonly time: number; readonly revision: number }[] = [];

  constructor(
    private readonly scenario: Scenario,
    private readonly store: StoreUnderTest,
    readonly time: ManualTime,
    readonly tally: Tally,
  ) {
    this.history = new History((version) => {
      this.tally.events++;
      this.ledger.take(version);
    });
  }

  /** The key-value store, for the observer and for compactions. */
  get kv(): Kv {
    if (this.#kv === undefined) throw new ClosedError();
    return this.#kv;
  }

  /** What decides when objects expire. */
  get clock(): Clock {
    return this.store.clock ?? this.time;
  }

  known(): number {
    return this.#known;
  }

  current(): Promise<number> {
    return this.kv.currentRevision();
  }

  saw(revision: number): void {
    this.#known = Math.max(this.#known, revision);
  }

  oldest(): number {
    return this.history.first;
  }

  ending(): boolean {
    return this.#ending;
  }

  count(what: keyof Tally): void {
    this.tally[what]++;
  }

  fail(error: unknown): void {
    this.#failure ??= error;
  }

  async mustBeForgettable(revision: number, complaint: () => string): Promise<void> {
    if (revision < this.#compacted || revision < this.#agedOut()) return;
    const kept = surelyKept(this.scenario);
    if (this.#known - revision > kept) return;
    try {
      const newest = await this.kv.currentRevision();
      must(newest - revision > kept, complaint);
    } catch (error) {
      if (!this.wasCutOff(error)) throw error;
    }
  }

  /** One of the servers of the moment, by an index that wraps around. */
  server(index: number, resource: string): ObjectStore {
    const store = this.#servers[index % this.#servers.length]?.stores.get(resource);
    if (store === undefined) throw new ClosedError();
    return store;
  }

  get serverCount(): number {
    return this.#servers.length;
  }

  /** `check` is called when the history is complete, with its revision. */
  later(check: (revision: number) => void): void {
    this.#checks.push(() => check(this.history.revision));
  }

  /** Whether an operation was cut off by the end of the server it asked; any other error but a Status ends the test. */
  wasCutOff(error: unknown): boolean {
    if (error instanceof Violation) throw error;
    if (isStatusError(error) && error.status.code !== 500) return false;
    if (!this.#ending) throw error;
    this.tally.unanswered++;
    return true;
  }

  async list(store: ObjectStore, scope: Scope): Promise<number> {
    const low = this.#known;
    const list = await store.list(localPrefix(scope), predicateOf(scope));
    this.checkList(list, scope, low);
    return Number(list.resourceVersion);
  }

  /** A whole list must be the state at its revision, which is not before `low`. */
  checkList(
    { items, resourceVersion }: Pick<ListOfObjects, "items" | "resourceVersion">,
    scope: Scope,
    low: number,
    from = "",
  ): void {
    const revision = Number(resourceVersion);
    this.saw(revision);
    must(revision >= low, () => `a list of ${revision} where ${low} was known`);
    this.later((high) => {
      must(revision <= high, () => `a list of ${revision}, which is later than ${high}`);
      const state = this.history.list(revision, scope, from);
      const about = `the list of ${scope.prefix} at ${revision}`;
      const show = (all: readonly { key: string; revision: number }[]): string =>
        all.map((item) => `${item.key}@${item.revision}`).join();
      must(items.length === state.length, () => `${about} is ${show(items)}, not ${show(state)}`);
      for (const [index, object] of items.entries()) this.checkObject(object, state[index] as Version, about);
    });
  }

  checkObject(object: StoredObject, version: Version, about: string): void {
    const complaint =
      object.key === version.key
        ? complaintAbout(object, version.revision, version.content)
        : `${object.key} stands for ${version.key}`;
    must(complaint === undefined, () => `${about}: ${version.key}: ${complaint}`);
  }

  /** Opens the store and servers over it; everything that was cut off is accounted for afterwards. */
  async open(servers: readonly ServerKind[], killable: boolean): Promise<void> {
    await this.within("the store opens", this.store.start(killable));
    this.#ending = false;
    if (this.store.clock !== undefined) this.#ticking = setInterval(() => this.elapse(TICK), TICK);
    this.#kv = await this.store.connect();
    if (!this.#begun) await this.#begin(this.#kv);
    this.#observing = this.#observe(this.#kv);
    for (const [index, kind] of servers.entries()) {
      // What one server knows another learns later.
      const kv = await this.store.connect(index * LAG);
      const { time, scenario } = this;
      const watchCache = kind === "cached";
      const storage = createStorage({ kv, clock: time, timers: time, watchCache, historyBytes: scenario.cacheBytes });
      const stores = RESOURCES.map((resource) => {
        const config = { prefix: `/registry/${resource}/`, resource: { group: "", resource }, codec: plainCodec };
        return [resource, storage.storeFor(config)] as const;
      });
      this.#servers.push({ storage, stores: new Map(stores) });
    }
    await this.within("the servers are ready", Promise.all(this.#servers.map(({ storage }) => storage.ready())));
  }

  /** Ends servers and store in the middle of whatever they do; `underWay` is what they do. */
  async end(kind: "close" | "kill", underWay: Promise<unknown>): Promise<void> {
    this.#ending = true;
    this.stopClock();
    let storeEnd: Promise<void>;
    if (kind === "kill" && this.store.kill !== undefined) {
      this.tally.killed++;
      storeEnd = this.store.kill();
    } else {
      this.tally.closed++;
      storeEnd = this.store.stop();
    }
    const closing = Promise.all(this.#servers.map(({ storage }) => storage.close()));
    await this.within("the store ends", Promise.all([storeEnd, closing]));
    await this.within("operations end with their servers", underWay);
    await this.within("watchers end with their servers", Promise.all(this.watchers.map((watcher) => watcher.break())));
    await this.#kv?.close();
    await this.within("the observer ends", this.#observing);
    this.#servers = [];
    this.#kv = undefined;
  }

  stopClock(): void {
    clearInterval(this.#ticking);
  }

  /** Waits until the history is complete, then holds everything against it that clients were told. */
  async settle(): Promise<void> {
    const current = await this.within("the current revision", this.#fence());
    await this.until(`the observer sees ${current}`, () => this.history.revision >= current);
    for (const check of this.#checks.splice(0)) check();
    this.ledger.settle(this.clock.now());
    for (const watcher of this.watchers) watcher.verify();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits until every watcher that reads has seen everything. */
  async drain(): Promise<void> {
    for (const watcher of this.watchers) {
      const missing = (): string | undefined => {
        watcher.verify();
        return watcher.missing();
      };
      await this.until(
        () => `${watcher.name} is told of ${missing()}`,
        () => missing() === undefined,
      );
    }
    await this.settle();
  }

  /** Lets time pass, and objects expire. Nothing else may be under way. */
  async pass(milliseconds: number): Promise<void> {
    this.elapse(milliseconds);
    // What the timers have begun comes before this answer.
    await this.current();
    if (this.store.clock === undefined) {
      const late = (): string | undefined => overdue(this.history, this.time.now())?.key;
      await this.until(
        () => `${late()} expires`,
        () => late() === undefined,
      );
    }
    await this.settle();
  }

  /** Moves the clock. */
  elapse(milliseconds: number): void {
    this.#moments.push({ time: this.time.now(), revision: this.history.revision });
    this.time.pass(milliseconds);
  }

  async compact(back: number): Promise<void> {
    const revision = Math.max(1, this.history.revision - back);
    this.#compacted = Math.max(this.#compacted, revision);
    await this.kv.compact(revision);
  }

  async within<T>(what: string, promise: Promise<T>): Promise<T> {
    const controller = new AbortController();
    const never = sleep(PATIENCE, undefined, { signal: controller.signal }).then(
      () => Promise.reject(new Violation(`waited in vain: ${what}`)),
      () => new Promise<never>(() => {}),
    );
    try {
      return await Promise.race([promise, never]);
    } finally {
      controller.abort();
    }
  }

  async until(what: string | (() => string), holds: () => boolean): Promise<void> {
    const since = performance.now();
    for (let turns = 0; !holds(); turns++) {
      if (this.#failure !== undefined) throw this.#failure;
      must(performance.now() - since < PATIENCE, () => `waited in vain: ${typeof what === "string" ? what : what()}`);
      // What other threads and processes have to do they do sooner while this one rests.
      await (turns < RESTLESS ? turn() : sleep(1));
    }
  }

  async #begin(kv: Kv): Promise<void> {
    this.#begun = true;
    const revision = await kv.currentRevision();
    this.history.begin(revision, kv.freshness === "every-revision");
    this.saw(revision);
  }

  /** Everything that was acknowledged before the call is not later than the answer. */
  async #fence(): Promise<number> {
    const { kv } = this;
    if (kv.freshness === "every-revision") return kv.currentRevision();
    const { kv: fence } = await kv.get(FENCE);
    const value = new Uint8Array();
    const { revision } = await (fence === undefined
      ? kv.create(FENCE, value)
      : kv.update(FENCE, value, fence.revision));
    return revision;
  }

  async #observe(kv: Kv): Promise<void> {
    try {
      for await (const batch of kv.watch("", this.history.revision, { signal: new AbortController().signal })) {
        this.history.append(batch);
        this.saw(batch.revision);
      }
      if (!this.#ending) this.fail(new Violation("the watch of the observer ended"));
    } catch (error) {
      if (!this.#ending || error instanceof Violation) this.fail(error);
    }
  }

  /** Servers and the compactor forget what happened five minutes ago. */
  #agedOut(): number {
    const horizon = this.time.now() - 300_000;
    return this.#moments.findLast(({ time }) => time <= horizon)?.revision ?? 0;
  }
}
