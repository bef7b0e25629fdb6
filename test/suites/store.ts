import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { isStatusError } from "../../src/machinery/errors/status-error.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { createStorage, type Storage, type StorageOptions } from "../../src/server/storage/create-storage.js";
import {
  DELETE,
  type ObjectCodec,
  type ObjectStore,
  type StoredEvent,
  type StoredObject,
  type WatchObjectsOptions,
} from "../../src/server/storage/store.js";
import { ManualTime } from "../helpers/manual-time.js";
import type { KvUnderTest } from "./kv.js";

/** JSON as it comes, with one field selector beside the usual two. */
export const plainCodec: ObjectCodec = {
  decode: (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as KubeObject,
  encode: (object) => {
    const { resourceVersion: _, ...metadata } = object.metadata ?? {};
    return new TextEncoder().encode(JSON.stringify({ ...object, metadata }));
  },
  attributes: ({ metadata = {}, ...rest }) => ({
    labels: metadata.labels ?? {},
    fields: {
      "metadata.name": metadata.name ?? "",
      "metadata.namespace": metadata.namespace ?? "",
      "spec.nodeName": typeof rest["node"] === "string" ? rest["node"] : "",
    },
  }),
};

const PODS = { group: "", resource: "pods" };

export function pod(namespace: string, name: string, rest: Record<string, unknown> = {}): KubeObject {
  return { kind: "Pod", apiVersion: "v1", metadata: { name, namespace, uid: `uid-${name}` }, ...rest };
}

const onNode =
  (node: string) =>
  (object: StoredObject): boolean =>
    object.fields["spec.nodeName"] === node;

/** What a store of objects must do over any key-value store. */
export function storeSuite(name: string, makeSubject: () => KvUnderTest): void {
  describe(`store: ${name}`, () => {
    const opened: { storage: Storage; subject: KvUnderTest }[] = [];
    let time = new ManualTime();

    async function open(options: Partial<StorageOptions> = {}): Promise<{ pods: ObjectStore; storage: Storage }> {
      time = new ManualTime();
      const subject = makeSubject();
      const kv = await subject.open({ clock: time, timers: time });
      const storage = createStorage({ kv, clock: time, timers: time, ...options });
      opened.push({ storage, subject });
      return { storage, pods: storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec }) };
    }

    afterEach(async () => {
      for (const { storage, subject } of opened.splice(0)) {
        await storage.close();
        await subject.dispose?.();
      }
    });

    test("what was created can be read, with its revision as resourceVersion", async () => {
      const { pods } = await open();
      const created = await pods.create("default/a", pod("default", "a"));
      expect(created).toMatchObject({ key: "/registry/pods/default/a", revision: 2 });
      expect(created.object().metadata).toEqual({ ...pod("default", "a").metadata, resourceVersion: "2" });
      expect(await pods.get("default/a")).toBe(created);
      expect(plainCodec.decode(created.bytes)).toEqual(pod("default", "a"));
      expect(created.fields).toMatchObject({ "metadata.name": "a", "metadata.namespace": "default" });
    });

    test.each([
      [
        "reading what is not there",
        (pods: ObjectStore) => pods.get("default/x"),
        [404, "NotFound", 'pods "x" not found'],
      ],
      [
        "creating what is there",
        (pods: ObjectStore) => pods.create("default/a", pod("default", "a")),
        [409, "AlreadyExists", 'pods "a" already exists'],
      ],
      [
        "creating with a resourceVersion",
        (pods: ObjectStore) => pods.create("default/b", { metadata: { name: "b", resourceVersion: "5" } }),
        [500, "", "resourceVersion should not be set on objects to be created"],
      ],
      [
        "deleting what is not there",
        (pods: ObjectStore) => pods.delete("default/x"),
        [404, "NotFound", 'pods "x" not found'],
      ],
      [
        "deleting the wrong uid",
        (pods: ObjectStore) => pods.delete("default/a", { preconditions: { uid: "other" } }),
        [
          409,
          "Conflict",
          'Operation cannot be fulfilled on pods "a": StorageError: invalid object, Code: 4, Key: /registry/pods/default/a, ' +
            "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: uid-a",
        ],
      ],
      [
        "deleting the wrong version",
        (pods: ObjectStore) => pods.delete("default/a", { preconditions: { resourceVersion: "1" } }),
        [
          409,
          "Conflict",
          'Operation cannot be fulfilled on pods "a": StorageError: invalid object, Code: 4, Key: /registry/pods/default/a, ' +
            "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: 1, " +
            "ResourceVersion in object meta: 2",
        ],
      ],
      [
        "updating what is not there",
        (pods: ObjectStore) => pods.guaranteedUpdate("default/x", async () => pod("default", "x")),
        [404, "NotFound", 'pods "x" not found'],
      ],
      [
        "listing at a version that is no number",
        (pods: ObjectStore) => pods.list("", { resourceVersion: "abc" }),
        [
          400,
          "BadRequest",
          'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
        ],
      ],
      [
        "continuing with a token that is none",
        (pods: ObjectStore) => pods.list("", { continue: "a.b" }),
        [400, "BadRequest", "invalid continue token: continue key is not valid: illegal base64 data at input byte 1"],
      ],
      [
        "continuing with a version",
        (pods: ObjectStore) => pods.list("", { continue: token(2, "a\0"), resourceVersion: "2" }),
        [400, "BadRequest", "specifying resource version is not allowed when using continue"],
      ],
      [
        "continuing outside the list",
        (pods: ObjectStore) => pods.list("default/", { continue: token(2, "../../secrets/") }),
        [400, "BadRequest", "invalid continue token: continue key is not valid: ../../secrets/"],
      ],
    ])("%s is refused in Kubernetes' words", async (_, attempt, [code, reason, message]) => {
      const { pods, storage } = await open();
      await pods.create("default/a", pod("default", "a"));
      expect(await failure(attempt(pods))).toMatchObject({ code, message, ...(reason !== "" && { reason }) });
      expect(await storage.currentRevision()).toBe(2);
    });

    test("a revision that does not come is a timeout that names both", async () => {
      const { pods } = await open();
      await pods.create("default/a", pod("default", "a"));
      const attempts = [
        pods.get("default/a", { resourceVersion: "999" }),
        pods.list("", { resourceVersion: "999" }),
        pods.list("", { resourceVersion: "999", resourceVersionMatch: "Exact" }),
        pods.watch("", { resourceVersion: "999", sendInitialEvents: true, signal: new AbortController().signal }),
      ].map(failure);
      await settle();
      time.pass(3_000);
      for (const status of await Promise.all(attempts)) {
        expect(status).toMatchObject({
          code: 504,
          reason: "Timeout",
          message: "Timeout: Too large resource version: 999, current: 2",
          details: {
            retryAfterSeconds: 1,
            causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
          },
        });
      }
    });

    test("a read waits for a revision that is on its way", async () => {
      const { pods } = await open();
      const read = pods.get("default/a", { resourceVersion: "2" });
      await pods.create("default/a", pod("default", "a"));
      expect((await read).revision).toBe(2);
    });

    test("an update runs again on what somebody else wrote meanwhile, and loses nothing", async () => {
      const { pods } = await open();
      await pods.create("default/a", pod("default", "a", { n: 0 }));
      const increment = async (current: StoredObject | undefined): Promise<KubeObject> => {
        const object = current?.object() ?? {};
        return { ...object, n: Number(object["n"]) + 1 };
      };
      await Promise.all(Array.from({ length: 20 }, () => pods.guaranteedUpdate("default/a", increment)));
      expect((await pods.get("default/a")).object()["n"]).toBe(20);
      expect((await pods.get("default/a")).revision).toBe(22);
    });

    test("an update that changes nothing writes nothing", async () => {
      const { pods, storage } = await open();
      const created = await pods.create("default/a", pod("default", "a"));
      const same = await pods.guaranteedUpdate("default/a", async (current) => current?.object() ?? {});
      expect(same).toEqual({ object: created, created: false, changed: false, deleted: false });
      expect(await storage.currentRevision()).toBe(2);
    });

    test("an update may create and may delete", async () => {
      const { pods } = await open();
      const created = await pods.guaranteedUpdate("default/a", async () => pod("default", "a"), {
        ignoreNotFound: true,
      });
      expect(created).toMatchObject({ created: true, changed: true, deleted: false });
      const deleted = await pods.guaranteedUpdate("default/a", async () => DELETE);
      expect(deleted).toMatchObject({ created: false, deleted: true });
      expect(deleted.object.object().metadata?.resourceVersion).toBe("3");
      expect(await failure(pods.get("default/a"))).toMatchObject({ code: 404 });
    });

    test("a dry run answers as the real thing would and leaves no trace", async () => {
      const { pods, storage } = await open();
      await pods.create("default/a", pod("default", "a"));
      const created = await pods.create("default/b", pod("default", "b"), { dryRun: true });
      expect(created.object()).toEqual(pod("default", "b"));
      expect(await failure(pods.create("default/a", pod("default", "a"), { dryRun: true }))).toMatchObject({
        code: 409,
      });
      const updated = await pods.guaranteedUpdate("default/a", async () => pod("default", "a", { n: 1 }), {
        dryRun: true,
      });
      expect(updated.object.object()).toMatchObject({ n: 1, metadata: { resourceVersion: "2" } });
      expect((await pods.delete("default/a", { dryRun: true })).revision).toBe(2);
      expect((await pods.get("default/a")).object()["n"]).toBeUndefined();
      expect(await storage.currentRevision()).toBe(2);
    });

    test("a delete can be refused by its caller, who sees the current object", async () => {
      const { pods } = await open();
      const created = await pods.create("default/a", pod("default", "a"));
      const refuse = async (current: StoredObject): Promise<void> => {
        expect(current).toBe(created);
        throw new Error("no");
      };
      await expect(pods.delete("default/a", { validate: refuse })).rejects.toThrow("no");
      expect(await pods.delete("default/a")).toMatchObject({ revision: 3 });
    });

    test("pages of a list show one revision, with what remains and a token in Kubernetes' form", async () => {
      const { pods } = await open();
      for (const name of ["a", "b", "c", "d", "e"]) await pods.create(`default/${name}`, pod("default", name));
      await pods.create("other/a", pod("other", "a"));
      const first = await pods.list("default/", { limit: 2 });
      expect(first).toMatchObject({ resourceVersion: "7", remainingItemCount: 3, continue: token(7, "b\0") });
      await pods.delete("default/c");
      await pods.create("default/bb", pod("default", "bb"));
      const second = await pods.list("default/", { limit: 2, continue: first.continue });
      expect(names(second.items)).toEqual(["c", "d"]);
      expect(second).toMatchObject({ resourceVersion: "7", remainingItemCount: 1 });
      const third = await pods.list("default/", { limit: 2, continue: second.continue });
      expect(third).toMatchObject({ resourceVersion: "7" });
      expect(third).not.toHaveProperty("continue");
      expect(names(third.items)).toEqual(["e"]);
      expect((await pods.list("", { limit: 1 })).continue).toBe(token(9, "default/a\0"));
    });

    test("a list takes from the state that its resourceVersion asks for", async () => {
      const { pods } = await open();
      await pods.create("default/a", pod("default", "a"));
      await pods.create("default/b", pod("default", "b"));
      await pods.create("default/c", pod("default", "c"));
      const list = async (options: Parameters<ObjectStore["list"]>[1]): Promise<string> => {
        const { items, resourceVersion } = await pods.list("", options);
        return `${names(items).join(",")}@${resourceVersion}`;
      };
      expect(await list({ resourceVersion: "2" })).toBe("a,b,c@4");
      expect(await list({ resourceVersion: "0", limit: 1 })).toBe("a,b,c@4");
      expect(await list({ resourceVersion: "3", resourceVersionMatch: "NotOlderThan", limit: 1 })).toBe("a@4");
      expect(await list({ resourceVersion: "3", resourceVersionMatch: "Exact" })).toBe("a,b@3");
      expect(await list({ resourceVersion: "3", limit: 1 })).toBe("a@3");
    });

    test("a predicate runs on every object until the limit is full and leaves no count", async () => {
      const { pods } = await open();
      for (const [index, name] of ["a", "b", "c", "d"].entries()) {
        await pods.create(`default/${name}`, pod("default", name, { node: index % 2 === 0 ? "n1" : "n2" }));
      }
      const first = await pods.list("", { limit: 1, predicate: onNode("n2") });
      expect(names(first.items)).toEqual(["b"]);
      expect(first).not.toHaveProperty("remainingItemCount");
      const second = await pods.list("", { limit: 5, predicate: onNode("n2"), continue: first.continue });
      expect(names(second.items)).toEqual(["d"]);
    });

    test("what was compacted is expired: a list, and a page with a token that goes on without it", async () => {
      const { pods } = await open({ historyBytes: 1 });
      for (const name of ["a", "b", "c"]) await pods.create(`default/${name}`, pod("default", name));
      const first = await pods.list("", { limit: 1 });
      for (let n = 0; n < 20; n++) {
        await pods.create(`default/x${n}`, pod("default", `x${n}`));
        await pods.list("", { limit: 1 });
      }
      await opened[0]?.storage.currentRevision();
      time.pass(301_000);
      await settle();
      time.pass(301_000);
      await settle();
      expect(await failure(pods.list("", { resourceVersion: "2", resourceVersionMatch: "Exact" }))).toMatchObject({
        code: 410,
        reason: "Expired",
        message: "The resourceVersion for the provided list is too old.",
      });
      const status = await failure(pods.list("", { limit: 1, continue: first.continue }));
      expect(status).toMatchObject({ code: 410, reason: "Expired", metadata: { continue: token(-1, "default/a\0") } });
      expect(status).toMatchObject({
        message: expect.stringMatching(/^The provided continue parameter is too old to/),
      });
      const rest = await pods.list("", { limit: 2, continue: token(-1, "default/a\0") });
      expect(names(rest.items)).toEqual(["b", "c"]);
      expect(rest.resourceVersion).toBe("24");
    });

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
    ])("a watch from %s", async (_, options, expected) => {
      const { pods } = await open();
      await pods.create("default/a", pod("default", "a"));
      await pods.create("default/b", pod("default", "b"));
      const events = await collect(pods, "", expected.length, options);
      await pods.create("default/c", pod("default", "c"));
      await pods.guaranteedUpdate("default/c", async () => pod("default", "c", { n: 1 }));
      expect((await events.done).map(show)).toEqual(expected);
    });

    test("a watcher with a selector sees objects come and go as they match", async () => {
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

    test("all watchers of a deletion share its object, so that it is encoded once", async () => {
      const { pods } = await open();
      await pods.create("default/a", pod("default", "a"));
      const watches = await Promise.all([1, 2].map(() => collect(pods, "", 1, { resourceVersion: "2" })));
      await pods.delete("default/a");
      const [first, second] = await Promise.all(watches.map(({ done }) => done));
      expect(first?.[0]?.object).toBe(second?.[0]?.object);
    });

    test("a watch from before what is kept is expired, in the iteration", async () => {
      const { pods } = await open({ historyBytes: 1 });
      for (const name of ["a", "b", "c"]) await pods.create(`default/${name}`, pod("default", name));
      const { done } = await collect(pods, "", 1, { resourceVersion: "1" });
      expect(await failure(done)).toMatchObject({
        code: 410,
        reason: "Expired",
        message: "too old resource version: 1 (3)",
      });
    });

    test("a watch from a version that this store never gave is expired, so that its client lists again", async () => {
      const { pods } = await open();
      const { done } = await collect(pods, "", 1, { resourceVersion: "999" });
      expect(await failure(done)).toMatchObject({ code: 410, message: "Too large resource version: 999, current: 1" });
    });

    test("a watcher that does not keep up is told to list again and holds up nobody", async () => {
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

    test("bookmarks come every minute and shortly before the end, with the store's revision", async () => {
      const { pods, storage } = await open();
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
      time.pass(28_000);
      expect((await events.done).map(show)).toEqual(["BOOKMARK@3", "BOOKMARK@4"]);
    });

    test("a replaced codec is used for what is already cached", async () => {
      const { pods, storage } = await open();
      await pods.create("default/a", pod("default", "a"));
      const decode = (bytes: Uint8Array): KubeObject => ({ ...plainCodec.decode(bytes), pruned: true });
      const codec = { ...plainCodec, decode };
      const again = storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec });
      expect((await again.get("default/a")).object()["pruned"]).toBe(true);
    });

    test("a list and then a watch from its version miss and repeat nothing, however they fall", async () => {
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

/** Starts a watch now; `done` holds its first `count` events, or all of them once stopped. */
async function collect(
  store: ObjectStore,
  prefix: string,
  count: number,
  options: Omit<WatchObjectsOptions, "signal">,
): Promise<{ done: Promise<StoredEvent[]>; stop(): void }> {
  const controller = new AbortController();
  const watch = await store.watch(prefix, { ...options, signal: controller.signal });
  const read = async (): Promise<StoredEvent[]> => {
    const events: StoredEvent[] = [];
    for await (const batch of watch) {
      events.push(...batch);
      if (events.length >= count) break;
    }
    return events.slice(0, count);
  };
  return { done: read(), stop: () => controller.abort() };
}

function show({ type, object, revision, initialEventsEnd }: StoredEvent): string {
  const name = object === undefined ? "" : ` ${object.fields["metadata.name"]}`;
  return `${type}${name}@${revision}${initialEventsEnd === true ? " end" : ""}`;
}

function names(objects: readonly StoredObject[]): (string | undefined)[] {
  return objects.map(({ fields }) => fields["metadata.name"]);
}

function token(revision: number, start: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
}

/** The Status of a promise that must fail with one. */
async function failure(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => new Error("it succeeded"),
    (reason: unknown) => reason,
  );
  if (!isStatusError(error)) throw error;
  return error.status;
}

/** Lets everything that is under way come to rest. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}
