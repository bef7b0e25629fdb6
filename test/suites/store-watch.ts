import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StoredEvent, WatchObjectsOptions } from "../../src/server/storage/store.js";
import { collect, failure, onNode, plainCodec, pod, settle, show, type storeOpener } from "./store-harness.js";

/** What a watch of objects must do; part of the store's suite. */
/** `cachedTest` registers what only the cache does. */
export function watchSuite(open: ReturnType<typeof storeOpener>, cachedTest: typeof test | typeof test.skip): void {
  describe("watching the storage", () => {
    test.each<[string, Omit<WatchObjectsOptions, "signal">, readonly string[]]>([
      ["no version: the state, then changes", {}, ["ADDED a@2", "ADDED b@3", "ADDED c@4"]],
      ["version 0: the state, then changes", { resourceVersion: "0" }, ["ADDED a@2", "ADDED b@3", "ADDED c@4"]],
      ["a version: what came after it", { resourceVersion: "2" }, ["ADDED b@3", "ADDED c@4"]],
      ["the current version: only what comes", { resourceVersion: "3" }, ["ADDED c@4"]],
      [
        "sendInitialEvents: the state and a bookmark that ends it",
        { sendInitialEvents: true, allowWatchBookmarks: true },
        ["ADDED a@2", "ADDED b@3", "BOOKMARK@3 end", "ADDED c@4"],
      ],
      ["sendInitialEvents false without a version: only what comes", { sendInitialEvents: false }, ["ADDED c@4"]],
      [
        "sendInitialEvents false at version 0: only what comes",
        { sendInitialEvents: false, resourceVersion: "0" },
        ["ADDED c@4"],
      ],
    ])("from %s", async (_, options, expected) => {
      const { pods } = await open();
      await pods.create("default/a", pod("default", "a"));
      await pods.create("default/b", pod("default", "b"));
      await settle();
      const events = await collect(pods, "", expected.length, options);
      await pods.create("default/c", pod("default", "c"));
      await pods.guaranteedUpdate("default/c", async () => pod("default", "c", { n: 1 }));
      expect((await events.done).map(show)).toEqual(expected);
    });

    test("with a selector, sends objects as added and deleted when they begin and cease to match", async () => {
      const { pods } = await open();
      const events = await collect(pods, "default/", 4, { resourceVersion: "1", predicate: onNode("n1") });
      const set = (name: string, node: string, n = 0): Promise<unknown> =>
        pods.guaranteedUpdate(`default/${name}`, async () => pod("default", name, { node, n }), {
          ignoreNotFound: true,
        });
      await set("a", "");
      await set("a", "n1");
      await set("a", "n1", 1);
      await set("a", "n2");
      await pods.delete("default/a");
      await set("b", "n1");
      const seen = await events.done;
      expect(seen.map(show)).toEqual(["ADDED a@3", "MODIFIED a@4", "DELETED a@5", "ADDED b@7"]);
      expect(seen[2]?.object?.object()).toMatchObject({ node: "n1", n: 1, metadata: { resourceVersion: "5" } });
    });

    cachedTest("all watchers of a deletion share its object, so that it is encoded once", async () => {
      const { pods } = await open();
      await pods.create("default/a", pod("default", "a"));
      const watches = await Promise.all([1, 2].map(() => collect(pods, "", 1, { resourceVersion: "2" })));
      await pods.delete("default/a");
      const [first, second] = await Promise.all(watches.map(({ done }) => done));
      expect(first?.[0]?.object).toBe(second?.[0]?.object);
    });

    cachedTest("a watch from before what is kept is expired, in the iteration", async () => {
      const { pods } = await open({ historyBytes: 1 });
      for (const name of ["a", "b", "c"]) await pods.create(`default/${name}`, pod("default", name));
      const { done } = await collect(pods, "", 1, { resourceVersion: "1" });
      expect(await failure(done)).toMatchObject({
        code: 410,
        reason: "Expired",
        message: "too old resource version: 1 (3)",
      });
    });

    test("from a revision that this storage never had is expired, so that the client lists again", async () => {
      const { pods } = await open();
      const { done } = await collect(pods, "", 1, { resourceVersion: "999" });
      expect(await failure(done)).toMatchObject({ code: 410, message: "Too large resource version: 999, current: 1" });
    });

    cachedTest("a watcher that does not keep up is told to list again and holds up nobody", async () => {
      const { pods } = await open({ historyBytes: 5_000 });
      const slow = (await pods.watch("", { resourceVersion: "1", signal: new AbortController().signal }))[
        Symbol.asyncIterator
      ]();
      const quick = await collect(pods, "", 60, { resourceVersion: "1" });
      await pods.create("default/a", pod("default", "a"));
      expect((await slow.next()).done).toBe(false);
      for (let n = 0; n < 60; n++) await pods.create(`default/${n}`, pod("default", String(n)));
      await quick.done;
      expect(await failure(slow.next())).toMatchObject({ code: 410, reason: "Expired" });
    });

    cachedTest("bookmarks come every minute and shortly before the end, with the store's revision", async () => {
      const { pods, storage, time } = await open();
      const secrets = storage.storeFor({
        prefix: "/registry/secrets/",
        resource: { group: "", resource: "secrets" },
        codec: plainCodec,
      });
      await pods.create("default/a", pod("default", "a"));
      const events = await collect(pods, "", 2, {
        resourceVersion: "2",
        allowWatchBookmarks: true,
        timeoutMilliseconds: 90_000,
      });
      await secrets.create("default/s", pod("default", "s"));
      await settle();
      time.pass(61_000);
      await settle();
      await secrets.create("default/t", pod("default", "t"));
      await settle();
      time.pass(28_000);
      expect((await events.done).map(show)).toEqual(["BOOKMARK@3", "BOOKMARK@4"]);
    });

    test("after a list misses and repeats nothing, however both coincide with writes", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
          const { pods } = await open();
          const views: { state: Map<string, number>; watch: { done: Promise<StoredEvent[]>; stop(): void } }[] = [];
          for (const { name, node, action } of steps) {
            const key = `default/${name}`;
            if (action === "look") {
              const { items, resourceVersion } = await pods.list("", { predicate: onNode("n1") });
              const watch = await collect(pods, "", Number.POSITIVE_INFINITY, {
                resourceVersion,
                predicate: onNode("n1"),
              });
              views.push({ state: new Map(items.map(({ key, revision }) => [key, revision])), watch });
            } else if (action === "delete") {
              await pods.delete(key).catch(() => undefined);
            } else {
              await pods.guaranteedUpdate(key, async () => pod("default", name, { node }), { ignoreNotFound: true });
            }
          }
          await settle();
          const { items } = await pods.list("", { predicate: onNode("n1") });
          const expected = new Map(items.map(({ key, revision }) => [key, revision]));
          for (const { state, watch } of views) {
            watch.stop();
            for (const { type, object, revision } of await watch.done) {
              const key = object?.key ?? "";
              expect(state.has(key)).toBe(type !== "ADDED");
              if (type === "DELETED") state.delete(key);
              else state.set(key, revision);
            }
            expect(state).toEqual(expected);
          }
        }),
        { numRuns: 25 },
      );
    });
  });
}

const step = fc.record({
  name: fc.constantFrom("a", "b", "c"),
  node: fc.constantFrom("n1", "n2"),
  action: fc.constantFrom("write", "write", "delete", "look"),
});
