/** What every storage must do that servers keep their objects in. */
import { deepEqual, equal, fail, ok, rejects } from "node:assert/strict";
import { seededRandom } from "../../base/numbers/seeded-random.js";
import { manualClock } from "../../base/time/manual-clock.js";
import {
  ClosedError,
  CompactedError,
  FutureRevisionError,
  KeyExistsError,
  type KeyValue,
  type Kv,
  type KvEvent,
  RevisionMismatchError,
  type WatchBatch,
} from "./kv.js";
import type { StorageSurroundings } from "./storage-schemes.js";

/** One test of a storage. Any test runner can run it: `for (const { title, run } of storageTests(subject)) test(title, run)`. */
export interface StorageTest {
  readonly title: string;
  /** Rejects with an AssertionError that says what the storage did. */
  run(): Promise<void>;
}

export interface StorageUnderTest {
  /** Opens a new, empty store. */
  open(surroundings: StorageSurroundings): Promise<Kv>;
  /** Frees what {@link open} took, after the store was closed. */
  dispose?(): Promise<void>;
  /** For a store whose keys expire by a clock of its own: the time to live to try it with, and how to wait that long. */
  readonly ownTime?: { readonly ttlSeconds: number; pass(milliseconds: number): Promise<void> };
  /** The seed of the writes that are drawn at random. Default "1"; a failure names it. */
  readonly seed?: string;
}

/** An open store. Its first revision counts as 1: one that shares its counter with others may begin anywhere. */
class Trial {
  constructor(
    readonly kv: Kv,
    private readonly first: number,
    readonly ttlSeconds: number,
    readonly pass: (milliseconds: number) => Promise<void>,
    readonly seed: string,
  ) {}

  /** The revision that is the n-th in a store that begins at 1. */
  at(n: number): number {
    return this.first - 1 + n;
  }

  /** "update /a@3=2 was @2=1", with revisions as {@link at} counts them. */
  readonly show = ({ type, key, revision, value, previous }: KvEvent): string => {
    const now = value === undefined ? "" : `=${text(value)}`;
    const before = previous === undefined ? "" : ` was @${previous.revision - this.at(0)}=${text(previous.value)}`;
    return `${type} ${key}@${revision - this.at(0)}${now}${before}`;
  };

  /** The first events after a revision. */
  async collect(prefix: string, from: number, count: number): Promise<KvEvent[]> {
    const controller = new AbortController();
    const events: KvEvent[] = [];
    for await (const batch of this.kv.watch(prefix, from, { signal: controller.signal })) {
      events.push(...batch.events);
      if (events.length >= count) break;
    }
    return events;
  }
}

/** A demand, and how a store is tried for it. */
type Check = (trial: Trial) => Promise<void>;

const WRITES: Readonly<Record<string, Check>> = {
  async "a new store is empty and stands at its first revision"(trial) {
    const { kv } = trial;
    equal(await kv.currentRevision(), trial.at(1));
    deepEqual(await kv.list(""), { items: [], revision: trial.at(1), remaining: 0 });
    deepEqual(await kv.get("/a"), { kv: undefined, revision: trial.at(1) });
  },

  async "each write takes the next revision; the creation revision stays"(trial) {
    const { kv } = trial;
    deepEqual(await kv.create("/a", bytes("1")), { revision: trial.at(2) });
    deepEqual(await kv.update("/a", bytes("2"), trial.at(2)), { revision: trial.at(3) });
    const { kv: found } = await kv.get("/a");
    deepEqual(shown(found), { key: "/a", text: "2", createRevision: trial.at(2), revision: trial.at(3) });
    const { revision, previous } = await kv.delete("/a", trial.at(3));
    equal(revision, trial.at(4));
    deepEqual(shown(previous), { key: "/a", text: "2", createRevision: trial.at(2), revision: trial.at(3) });
    equal(await kv.currentRevision(), trial.at(4));
  },

  async "a failed write takes no revision and says what is there"(trial) {
    const { kv } = trial;
    await kv.create("/a", bytes("1"));
    await rejects(kv.create("/a", bytes("2")), KeyExistsError);
    const mismatch = await failureOf(kv.update("/a", bytes("2"), trial.at(7)), RevisionMismatchError);
    equal(mismatch.key, "/a");
    deepEqual(shown(mismatch.current), { key: "/a", text: "1", createRevision: trial.at(2), revision: trial.at(2) });
    const missing = await failureOf(kv.delete("/b", trial.at(2)), RevisionMismatchError);
    equal(missing.current, undefined);
    equal(await kv.currentRevision(), trial.at(2));
  },

  async "writes sent at once are checked against each other: one of many wins"(trial) {
    const { kv } = trial;
    const values = ["1", "2", "3", "4"].map(bytes);
    const creates = await Promise.allSettled(values.map((value) => kv.create("/a", value)));
    equal(creates.filter(({ status }) => status === "fulfilled").length, 1);
    const updates = await Promise.allSettled(values.map((value) => kv.update("/a", value, trial.at(2))));
    equal(updates.filter(({ status }) => status === "fulfilled").length, 1);
    equal(await kv.currentRevision(), trial.at(3));
  },

  async "a time to live deletes the key with an event, unless it was written again"(trial) {
    const { kv, ttlSeconds, pass } = trial;
    await kv.create("/short", bytes("1"), { ttlSeconds });
    await kv.create("/kept", bytes("1"), { ttlSeconds });
    await kv.update("/kept", bytes("2"), trial.at(3));
    await kv.create("/long", bytes("1"), { ttlSeconds: ttlSeconds * 10 });
    const events = trial.collect("", trial.at(5), 1);
    await pass(ttlSeconds * 500);
    equal(await kv.count(""), 3);
    await pass(ttlSeconds * 600);
    deepEqual((await events).map(trial.show), ["delete /short@6 was @2=1"]);
    deepEqual(keysOf((await kv.list("")).items), ["/kept", "/long"]);
  },

  async "close finishes accepted writes, then refuses everything"(trial) {
    const { kv } = trial;
    const accepted = [kv.create("/a", bytes("1")), kv.create("/b", bytes("2"))];
    const closing = kv.close();
    const revisions = (await Promise.all(accepted)).map(({ revision }) => revision);
    deepEqual(
      revisions.sort((a, b) => a - b),
      [trial.at(2), trial.at(3)],
    );
    await closing;
    await kv.close();
    await rejects(kv.create("/c", bytes("3")), ClosedError);
    await rejects(kv.get("/a"), ClosedError);
  },
};

const READS: Readonly<Record<string, Check>> = {
  async "lists are in byte order and stop at the prefix"({ kv }) {
    for (const key of ["/p/é", "/p/a/x", "/p/a", "/p/\u{1F600}", "/p/\uFB00", "/pods/a", "/o"]) {
      await kv.create(key, bytes(key));
    }
    const { items } = await kv.list("/p/");
    deepEqual(keysOf(items), ["/p/a", "/p/a/x", "/p/é", "/p/\uFB00", "/p/\u{1F600}"]);
    equal(await kv.count("/p/"), 5);
    equal(await kv.count(""), 7);
  },

  async "pages of one revision show that revision whatever is written in between"(trial) {
    const { kv } = trial;
    for (const name of ["a", "b", "c", "d"]) await kv.create(`/p/${name}`, bytes("old"));
    const first = await kv.list("/p/", { limit: 2 });
    deepEqual([first.revision, first.remaining], [trial.at(5), 2]);
    await kv.update("/p/c", bytes("new"), trial.at(4));
    await kv.create("/p/bb", bytes("new"));
    await kv.delete("/p/d", trial.at(5));
    const second = await kv.list("/p/", { limit: 2, startAfter: "/p/b", revision: first.revision });
    deepEqual(
      second.items.map(({ key, value }) => [key, text(value)]),
      [
        ["/p/c", "old"],
        ["/p/d", "old"],
      ],
    );
    equal(second.remaining, 0);
    const now = await kv.list("/p/", { startAfter: "/p/b" });
    deepEqual(keysOf(now.items), ["/p/bb", "/p/c"]);
  },

  async "a page of nothing is empty"(trial) {
    const { kv } = trial;
    await kv.create("/p/a", bytes("1"));
    const empty = { items: [], revision: trial.at(2), remaining: 0 };
    deepEqual(await kv.list("/q/", { limit: 1 }), empty);
    deepEqual(await kv.list("/p/", { limit: 1, startAfter: "/p/a" }), empty);
  },

  async "the future and the compacted past cannot be read"(trial) {
    const { kv } = trial;
    for (const name of ["a", "b", "c"]) await kv.create(`/${name}`, bytes(name));
    await rejects(kv.list("", { revision: trial.at(9) }), FutureRevisionError);
    await rejects(trial.collect("", trial.at(9), 1), FutureRevisionError);
    await kv.compact(trial.at(3));
    const { requested, compacted } = await failureOf(kv.list("", { revision: trial.at(2) }), CompactedError);
    deepEqual([requested, compacted], [trial.at(2), trial.at(3)]);
    deepEqual(keysOf((await kv.list("", { revision: trial.at(3) })).items), ["/a", "/b"]);
    equal((await kv.list("")).items.length, 3);
    await rejects(trial.collect("", trial.at(2), 1), CompactedError);
    deepEqual(keysOf(await trial.collect("", trial.at(3), 1)), ["/c"]);
  },
};

const WATCHES: Readonly<Record<string, Check>> = {
  async "a watch gives the past after its revision, then what comes, with what was there before"(trial) {
    const { kv } = trial;
    await kv.create("/p/a", bytes("1"));
    await kv.create("/q/a", bytes("1"));
    const events = trial.collect("/p/", trial.at(1), 4);
    await kv.update("/p/a", bytes("2"), trial.at(2));
    await kv.delete("/p/a", trial.at(4));
    await kv.create("/p/a", bytes("3"));
    deepEqual((await events).map(trial.show), [
      "create /p/a@2=1",
      "update /p/a@4=2 was @2=1",
      "delete /p/a@5 was @4=2",
      "create /p/a@6=3",
    ]);
  },

  async "an idle watcher is not disturbed by what it does not watch, however much that is"(trial) {
    const { kv } = trial;
    const controller = new AbortController();
    const batches = kv.watch("/p/", trial.at(1), { signal: controller.signal })[Symbol.asyncIterator]();
    const nextEvents = async (): Promise<string[]> => {
      for (;;) {
        const { value, done } = await batches.next();
        if (done === true) return [];
        if (value.events.length > 0) return value.events.map(trial.show);
      }
    };
    const begun = nextEvents();
    await kv.create("/p/a", bytes("1"));
    deepEqual(await begun, ["create /p/a@2=1"]);
    const next = nextEvents();
    await Promise.all(Array.from({ length: 300 }, (_, n) => kv.create(`/q/${n}`, bytes("x"))));
    await kv.compact(await kv.currentRevision());
    await kv.create("/p/b", bytes("1"));
    deepEqual(await next, ["create /p/b@303=1"]);
    controller.abort();
  },

  async "a watch ends when it is aborted and when the store closes"(trial) {
    const { kv } = trial;
    const controller = new AbortController();
    const aborted = drain(kv.watch("", trial.at(1), { signal: controller.signal }));
    const closed = drain(kv.watch("", trial.at(1), { signal: new AbortController().signal }));
    await kv.create("/a", bytes("1"));
    controller.abort();
    await aborted;
    await kv.close();
    deepEqual((await closed).map(trial.show), ["create /a@2=1"]);
  },

  async "any order of writes leaves what a plain map would hold, at every revision"(trial) {
    const { kv } = trial;
    const model = new Map<string, { readonly text: string; readonly revision: number }>();
    const states = [new Map(model)];
    for (const [index, { key, kind, value, isStale }] of drawnWrites(trial.seed).entries()) {
      const current = model.get(key);
      const expected = (current?.revision ?? 0) + (isStale ? 1 : 0);
      const done = await written(kv, kind, key, value, expected);
      const isAllowed = kind === "create" ? current === undefined : current !== undefined && !isStale;
      const what = `seed "${trial.seed}", write ${index}: ${kind} ${key} at ${expected}`;
      equal(done, isAllowed ? trial.at(states.length + 1) : undefined, what);
      if (done === undefined) continue;
      if (kind === "delete") model.delete(key);
      else model.set(key, { text: value, revision: done });
      states.push(new Map(model));
    }
    for (const [index, state] of states.entries()) {
      const { items } = await kv.list("", { revision: trial.at(index + 1) });
      const seen = items.map((item) => [item.key, { text: text(item.value), revision: item.revision }]);
      const held = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
      deepEqual(seen, held, `seed "${trial.seed}", revision ${index + 1}`);
    }
    const events = await trial.collect("", trial.at(1), states.length - 1);
    deepEqual(
      events.map(({ revision }) => revision),
      states.slice(1).map((_, index) => trial.at(index + 2)),
    );
  },
};

/** Returns the tests that every storage must pass. Each test opens a store of its own, and closes it. */
export const storageTests = (subject: () => StorageUnderTest): readonly StorageTest[] =>
  Object.entries({ ...WRITES, ...READS, ...WATCHES }).map(([title, check]) => ({
    title,
    run: () => tryOn(subject(), check),
  }));

async function tryOn({ open, dispose, ownTime, seed = "1" }: StorageUnderTest, check: Check): Promise<void> {
  const clock = manualClock();
  const pass = async (milliseconds: number): Promise<void> => {
    const end = clock.now() + milliseconds;
    while (clock.fireNext(end));
    clock.moveTo(end);
  };
  const kv = await open({ clock, timers: clock, warn: (warning) => fail(`the store warns: ${warning}`) });
  try {
    const { ttlSeconds, pass: wait } = ownTime ?? { ttlSeconds: 10, pass };
    await check(new Trial(kv, await kv.currentRevision(), ttlSeconds, wait, seed));
  } finally {
    await kv.close();
    await dispose?.();
  }
}

interface DrawnWrite {
  readonly key: string;
  readonly kind: "create" | "update" | "delete";
  readonly value: string;
  /** Whether it expects another revision than the key has. */
  readonly isStale: boolean;
}

const DRAWN = 400;
const KEYS = ["/a", "/b", "/b/c", "/d"];
const KINDS = ["create", "update", "delete"] as const;

function drawnWrites(seed: string): readonly DrawnWrite[] {
  const random = seededRandom(seed);
  return Array.from({ length: DRAWN }, (_, index) => {
    const [key = 0, kind = 0, stale = 0] = random.bytes(3);
    return {
      key: KEYS[key % KEYS.length] ?? "/a",
      kind: KINDS[kind % KINDS.length] ?? "create",
      value: String(index),
      isStale: stale % 4 === 0,
    };
  });
}

/** The revision of a write; undefined where it was refused for what is there. */
async function written(
  kv: Kv,
  kind: DrawnWrite["kind"],
  key: string,
  value: string,
  expected: number,
): Promise<number | undefined> {
  try {
    if (kind === "create") return (await kv.create(key, bytes(value))).revision;
    if (kind === "update") return (await kv.update(key, bytes(value), expected)).revision;
    return (await kv.delete(key, expected)).revision;
  } catch (error) {
    ok(error instanceof KeyExistsError || error instanceof RevisionMismatchError, String(error));
    return undefined;
  }
}

async function failureOf<E extends Error>(call: Promise<unknown>, kind: new (...given: never[]) => E): Promise<E> {
  const failure: unknown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof kind) return failure;
  return fail(`expected a ${kind.name}, and got ${String(failure)}`);
}

async function drain(watch: AsyncIterable<WatchBatch>): Promise<KvEvent[]> {
  const events: KvEvent[] = [];
  for await (const batch of watch) events.push(...batch.events);
  return events;
}

const bytes = (given: string): Uint8Array => new TextEncoder().encode(given);
const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : new TextDecoder().decode(value);
const keysOf = (items: readonly { readonly key: string }[]): readonly string[] => items.map(({ key }) => key);

/** What a key has, with its value as text: stores may return any kind of bytes. */
function shown(found: KeyValue | undefined): object | undefined {
  if (found === undefined) return undefined;
  const { key, value, createRevision, revision } = found;
  return { key, text: text(value), createRevision, revision };
}
