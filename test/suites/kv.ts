import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Clock } from "../../src/base/time/clock.js";
import type { Timers } from "../../src/base/time/timers.js";
import {
  ClosedError,
  CompactedError,
  FutureRevisionError,
  KeyExistsError,
  type Kv,
  type KvEvent,
  RevisionMismatchError,
  type WatchBatch,
} from "../../src/server/storage/kv.js";
import { ManualTime } from "../helpers/manual-time.js";

export interface KvUnderTest {
  open(time: { clock: Clock; timers: Timers }): Promise<Kv>;
  /** For a store whose keys expire by a clock of its own: the time to live to try it with, and how to wait that long. */
  readonly ownTime?: { readonly ttlSeconds: number; pass(milliseconds: number): Promise<void> };
  /** Frees what {@link open} took, after the store was closed. */
  dispose?(): Promise<void>;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string | undefined =>
  value === undefined ? undefined : new TextDecoder().decode(value);

/**
 * What every key-value store must do. Revisions are told as of a store that begins at 1: one that shares its counter with
 * others may begin anywhere.
 */
export function kvSuite(name: string, makeSubject: () => KvUnderTest): void {
  describe(`kv: ${name}`, () => {
    const opened: { kv: Kv; subject: KvUnderTest }[] = [];
    let first = 1;

    async function open(): Promise<Kv> {
      return (await openWithTime()).kv;
    }

    async function openWithTime(): Promise<{ kv: Kv } & Required<KvUnderTest>["ownTime"]> {
      const time = new ManualTime();
      const subject = makeSubject();
      const kv = await subject.open({ clock: time, timers: time });
      opened.push({ kv, subject });
      first = await kv.currentRevision();
      return { kv, ...(subject.ownTime ?? { ttlSeconds: 10, pass: async (milliseconds) => time.pass(milliseconds) }) };
    }

    /** The revision that is the n-th in a store that begins at 1. */
    const at = (n: number): number => first - 1 + n;

    function show({ type, key, revision, value, previous }: KvEvent): string {
      const now = value === undefined ? "" : `=${text(value)}`;
      const before = previous === undefined ? "" : ` was @${previous.revision - at(0)}=${text(previous.value)}`;
      return `${type} ${key}@${revision - at(0)}${now}${before}`;
    }

    afterEach(async () => {
      for (const { kv, subject } of opened.splice(0)) {
        await kv.close();
        await subject.dispose?.();
      }
    });

    test("a new store is empty and stands at its first revision", async () => {
      const kv = await open();
      expect(await kv.currentRevision()).toBe(at(1));
      expect(await kv.list("")).toEqual({ items: [], revision: at(1), remaining: 0 });
      expect(await kv.get("/a")).toEqual({ kv: undefined, revision: at(1) });
    });

    test("each write takes the next revision; the creation revision stays", async () => {
      const kv = await open();
      expect(await kv.create("/a", bytes("1"))).toEqual({ revision: at(2) });
      expect(await kv.update("/a", bytes("2"), at(2))).toEqual({ revision: at(3) });
      const { kv: found } = await kv.get("/a");
      expect(found).toMatchObject({ key: "/a", createRevision: at(2), revision: at(3) });
      expect(text(found?.value)).toBe("2");
      const { revision, previous } = await kv.delete("/a", at(3));
      expect(revision).toBe(at(4));
      expect(previous).toMatchObject({ key: "/a", createRevision: at(2), revision: at(3) });
      expect(await kv.currentRevision()).toBe(at(4));
    });

    test("a failed write takes no revision and says what is there", async () => {
      const kv = await open();
      await kv.create("/a", bytes("1"));
      await expect(kv.create("/a", bytes("2"))).rejects.toBeInstanceOf(KeyExistsError);
      const mismatch: unknown = await kv.update("/a", bytes("2"), at(7)).catch((error: unknown) => error);
      expect(mismatch).toBeInstanceOf(RevisionMismatchError);
      expect(mismatch).toMatchObject({ key: "/a", current: { key: "/a", revision: at(2) } });
      const missing: unknown = await kv.delete("/b", at(2)).catch((error: unknown) => error);
      expect(missing).toBeInstanceOf(RevisionMismatchError);
      expect((missing as RevisionMismatchError).current).toBeUndefined();
      expect(await kv.currentRevision()).toBe(at(2));
    });

    test("writes sent at once are checked against each other: one of many wins", async () => {
      const kv = await open();
      const creates = await Promise.allSettled([1, 2, 3, 4].map((n) => kv.create("/a", bytes(String(n)))));
      expect(creates.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const updates = await Promise.allSettled([1, 2, 3, 4].map((n) => kv.update("/a", bytes(String(n)), at(2))));
      expect(updates.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(await kv.currentRevision()).toBe(at(3));
    });

    test("lists are in byte order and stop at the prefix", async () => {
      const kv = await open();
      for (const key of ["/p/é", "/p/a/x", "/p/a", "/p/\u{1F600}", "/p/\uFB00", "/pods/a", "/o"]) {
        await kv.create(key, bytes(key));
      }
      const { items } = await kv.list("/p/");
      expect(items.map(({ key }) => key)).toEqual(["/p/a", "/p/a/x", "/p/é", "/p/\uFB00", "/p/\u{1F600}"]);
      expect(await kv.count("/p/")).toBe(5);
      expect(await kv.count("")).toBe(7);
    });

    test("pages of one revision show that revision whatever is written in between", async () => {
      const kv = await open();
      for (const name of ["a", "b", "c", "d"]) await kv.create(`/p/${name}`, bytes("old"));
      const first = await kv.list("/p/", { limit: 2 });
      expect(first).toMatchObject({ revision: at(5), remaining: 2 });
      await kv.update("/p/c", bytes("new"), at(4));
      await kv.create("/p/bb", bytes("new"));
      await kv.delete("/p/d", at(5));
      const second = await kv.list("/p/", { limit: 2, startAfter: "/p/b", revision: first.revision });
      expect(second.items.map(({ key, value }) => [key, text(value)])).toEqual([
        ["/p/c", "old"],
        ["/p/d", "old"],
      ]);
      expect(second.remaining).toBe(0);
      const now = await kv.list("/p/", { startAfter: "/p/b" });
      expect(now.items.map(({ key }) => key)).toEqual(["/p/bb", "/p/c"]);
    });

    test("a page of nothing is empty", async () => {
      const kv = await open();
      await kv.create("/p/a", bytes("1"));
      expect(await kv.list("/q/", { limit: 1 })).toEqual({ items: [], revision: at(2), remaining: 0 });
      expect(await kv.list("/p/", { limit: 1, startAfter: "/p/a" })).toEqual({
        items: [],
        revision: at(2),
        remaining: 0,
      });
    });

    test("the future and the compacted past cannot be read", async () => {
      const kv = await open();
      for (const name of ["a", "b", "c"]) await kv.create(`/${name}`, bytes(name));
      await expect(kv.list("", { revision: at(9) })).rejects.toBeInstanceOf(FutureRevisionError);
      await expect(collect(kv, "", at(9), 1)).rejects.toBeInstanceOf(FutureRevisionError);
      await kv.compact(at(3));
      await expect(kv.list("", { revision: at(2) })).rejects.toMatchObject({ requested: at(2), compacted: at(3) });
      expect((await kv.list("", { revision: at(3) })).items.map(({ key }) => key)).toEqual(["/a", "/b"]);
      expect((await kv.list("")).items).toHaveLength(3);
      await expect(collect(kv, "", at(2), 1)).rejects.toBeInstanceOf(CompactedError);
      expect((await collect(kv, "", at(3), 1)).map(({ key }) => key)).toEqual(["/c"]);
    });

    test("a watch gives the past after its revision, then what comes, with what was there before", async () => {
      const kv = await open();
      await kv.create("/p/a", bytes("1"));
      await kv.create("/q/a", bytes("1"));
      const events = collect(kv, "/p/", at(1), 4);
      await kv.update("/p/a", bytes("2"), at(2));
      await kv.delete("/p/a", at(4));
      await kv.create("/p/a", bytes("3"));
      expect((await events).map(show)).toEqual([
        "create /p/a@2=1",
        "update /p/a@4=2 was @2=1",
        "delete /p/a@5 was @4=2",
        "create /p/a@6=3",
      ]);
    });

    test("an idle watcher is not disturbed by what it does not watch, however much that is", async () => {
      const kv = await open();
      const controller = new AbortController();
      const batches = kv.watch("/p/", at(1), { signal: controller.signal })[Symbol.asyncIterator]();
      const nextEvents = async (): Promise<string[] | undefined> => (await batches.next()).value?.events.map(show);
      const begun = nextEvents();
      await kv.create("/p/a", bytes("1"));
      expect(await begun).toEqual(["create /p/a@2=1"]);
      const next = nextEvents();
      await Promise.all(Array.from({ length: 300 }, (_, n) => kv.create(`/q/${n}`, bytes("x"))));
      await kv.compact(await kv.currentRevision());
      await kv.create("/p/b", bytes("1"));
      expect(await next).toEqual(["create /p/b@303=1"]);
      controller.abort();
    });

    test("a watch ends when it is aborted and when the store closes", async () => {
      const kv = await open();
      const controller = new AbortController();
      const aborted = drain(kv.watch("", at(1), { signal: controller.signal }));
      const closed = drain(kv.watch("", at(1), { signal: new AbortController().signal }));
      await kv.create("/a", bytes("1"));
      controller.abort();
      await aborted;
      await kv.close();
      expect((await closed).map(show)).toEqual(["create /a@2=1"]);
    });

    test("close finishes accepted writes, then refuses everything", async () => {
      const kv = await open();
      const accepted = [kv.create("/a", bytes("1")), kv.create("/b", bytes("2"))];
      const closing = kv.close();
      const revisions = (await Promise.all(accepted)).map(({ revision }) => revision);
      expect(revisions.sort((a, b) => a - b)).toEqual([at(2), at(3)]);
      await closing;
      await kv.close();
      await expect(kv.create("/c", bytes("3"))).rejects.toBeInstanceOf(ClosedError);
      await expect(kv.get("/a")).rejects.toBeInstanceOf(ClosedError);
    });

    test("a time to live deletes the key with an event, unless it was written again", async () => {
      const { kv, ttlSeconds, pass } = await openWithTime();
      await kv.create("/short", bytes("1"), { ttlSeconds });
      await kv.create("/kept", bytes("1"), { ttlSeconds });
      await kv.update("/kept", bytes("2"), at(3));
      await kv.create("/long", bytes("1"), { ttlSeconds: ttlSeconds * 10 });
      const events = collect(kv, "", at(5), 1);
      await pass(ttlSeconds * 500);
      expect(await kv.count("")).toBe(3);
      await pass(ttlSeconds * 600);
      expect((await events).map(show)).toEqual(["delete /short@6 was @2=1"]);
      expect((await kv.list("")).items.map(({ key }) => key)).toEqual(["/kept", "/long"]);
    });

    test("any order of writes leaves what a plain map would hold, at every revision", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
          const kv = await open();
          const model = new Map<string, { value: string; revision: number }>();
          const states = [new Map(model)];
          for (const { key, kind, value, stale } of commands) {
            const current = model.get(key);
            const expected = (current?.revision ?? 0) + (stale ? 1 : 0);
            const attempt =
              kind === "create"
                ? kv.create(key, bytes(value))
                : kind === "update"
                  ? kv.update(key, bytes(value), expected)
                  : kv.delete(key, expected);
            const done = await attempt.then(
              ({ revision }) => revision,
              () => undefined,
            );
            const allowed = kind === "create" ? current === undefined : current !== undefined && !stale;
            expect(done).toBe(allowed ? at(states.length + 1) : undefined);
            if (done === undefined) continue;
            if (kind === "delete") model.delete(key);
            else model.set(key, { value, revision: done });
            states.push(new Map(model));
          }
          for (const [index, state] of states.entries()) {
            const { items } = await kv.list("", { revision: at(index + 1) });
            const seen = items.map(({ key, value, revision }) => [key, { value: text(value), revision }]);
            expect(seen).toEqual([...state].sort(([a], [b]) => (a < b ? -1 : 1)));
          }
          const events = states.length === 1 ? [] : await collect(kv, "", at(1), states.length - 1);
          expect(events.map(({ revision }) => revision)).toEqual(states.slice(1).map((_, index) => at(index + 2)));
        }),
        { numRuns: 25 },
      );
    });
  });
}

const command = fc.record({
  key: fc.constantFrom("/a", "/b", "/b/c", "/d"),
  kind: fc.constantFrom("create", "update", "delete"),
  value: fc.string({ maxLength: 3 }),
  stale: fc.boolean(),
});

async function collect(kv: Kv, prefix: string, from: number, count: number): Promise<KvEvent[]> {
  const controller = new AbortController();
  const events: KvEvent[] = [];
  for await (const batch of kv.watch(prefix, from, { signal: controller.signal })) {
    events.push(...batch.events);
    if (events.length >= count) break;
  }
  return events;
}

async function drain(watch: AsyncIterable<WatchBatch>): Promise<KvEvent[]> {
  const events: KvEvent[] = [];
  for await (const batch of watch) events.push(...batch.events);
  return events;
}
