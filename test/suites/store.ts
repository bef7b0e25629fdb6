import { createStorage, type KvStorageOptions } from "../../src/server/storage/create-storage.js";
import { describe, expect, test } from "vitest";
import type { Status } from "../../src/machinery/errors/status-error.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { DELETE, type ObjectStore, type StoredObject } from "../../src/server/storage/store.js";
import type { KvUnderTest } from "./kv.js";
import {
  etcdRequest,
  failure,
  names,
  onNode,
  plainCodec,
  pod,
  PODS,
  settle,
  storeOpener,
  token,
} from "./store-harness.js";
import { watchSuite } from "./store-watch.js";

/** What a store of objects must do over any key-value store. */
export function storeSuite(name: string, makeSubject: () => KvUnderTest, always: Partial<KvStorageOptions> = {}): void {
  describe(`object storage: ${name}`, () => {
    const open = storeOpener(makeSubject, always);
    /** What only the cache does. */
    const cachedTest = always.watchCache === false ? test.skip : test;

    watchSuite(open, cachedTest);

    test("a created object can be read, with its revision as resourceVersion", async () => {
      const { pods } = await open();
      const created = await pods.create("default/a", pod("default", "a"));
      expect(created).toMatchObject({ key: "/registry/pods/default/a", revision: 2 });
      expect(created.object().metadata).toEqual({ ...pod("default", "a").metadata, resourceVersion: "2" });
      expect((await pods.get("default/a")).object()).toEqual(created.object());
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
        "continuing with a token that holds no JSON",
        (pods: ObjectStore) => pods.list("", { continue: Buffer.from("x").toString("base64url") }),
        [
          400,
          "BadRequest",
          "invalid continue token: continue key is not valid: invalid character 'x' looking for beginning of value",
        ],
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

    test("waiting for a revision that does not come times out, and the error names both", async () => {
      const { pods, time } = await open();
      await pods.create("default/a", pod("default", "a"));
      const attempts = [
        pods.get("default/a", { resourceVersion: "999" }),
        pods.list("", { resourceVersion: "999" }),
        pods.list("", { resourceVersion: "999", resourceVersionMatch: "Exact" }),
        // A watch has begun by then, so its iteration tells.
        pods
          .watch("", { resourceVersion: "999", sendInitialEvents: true, signal: new AbortController().signal })
          .then((events) => events[Symbol.asyncIterator]().next()),
      ].map(failure);
      await settle();
      time.pass(3_000);
      for (const status of await Promise.all(attempts)) {
        expect(status).toMatchObject({
          code: 504,
          reason: "Timeout",
          message: "Timeout: Too large resource version: 999, current: 2",
          details: { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }] },
        });
        // The store itself does not know when it may come.
        const { details } = status as Status;
        expect(details?.retryAfterSeconds).toBe(always.watchCache === false ? undefined : 1);
      }
    });

    cachedTest("a read waits for a revision that is on its way", async () => {
      const { pods } = await open();
      const read = pods.get("default/a", { resourceVersion: "2" });
      await pods.create("default/a", pod("default", "a"));
      expect((await read).revision).toBe(2);
    });

    test("B-STO-03: an update runs again on what another writer stored meanwhile, and loses nothing", async () => {
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

    test("an update without changes writes nothing", async () => {
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

    test("a dry run answers as the write would, and stores nothing", async () => {
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

    test("a caller that sees the current object can refuse its deletion", async () => {
      const { pods } = await open();
      const created = await pods.create("default/a", pod("default", "a"));
      const refuse = async (current: StoredObject): Promise<void> => {
        expect(current.revision).toBe(created.revision);
        throw new Error("no");
      };
      await expect(pods.delete("default/a", { validate: refuse })).rejects.toThrow("no");
      expect(await pods.delete("default/a")).toMatchObject({ revision: 3 });
    });

    test("pages of a list show one revision, with a remaining count and a token in Kubernetes' form", async () => {
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

    cachedTest("a list takes from the state that its resourceVersion asks for", async () => {
      const { pods } = await open();
      await pods.create("default/a", pod("default", "a"));
      await pods.create("default/b", pod("default", "b"));
      await pods.create("default/c", pod("default", "c"));
      await settle();
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

    test("B-STO-04: a list with a predicate checks every object until the limit is full, and has no remaining count", async () => {
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

    test("a list at a compacted revision is expired, and its page token continues without it", async () => {
      const { pods, time } = await open({ historyBytes: 1 });
      for (const name of ["a", "b", "c"]) await pods.create(`default/${name}`, pod("default", name));
      const first = await pods.list("", { limit: 1 });
      for (let n = 0; n < 20; n++) {
        await pods.create(`default/x${n}`, pod("default", `x${n}`));
        await pods.list("", { limit: 1 });
      }
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

    describe("an object over the size limit", () => {
      const LIMIT = 100_000;
      const TOO_LARGE = { code: 500, message: "etcdserver: request is too large" };
      /** A pod whose request to etcd has `more` bytes more than the limit. */
      const oversized = (more: number, rest: Record<string, unknown> = {}): KubeObject => {
        const ofLength = (length: number) => pod("default", "a", { ...rest, text: "x".repeat(length) });
        const { length } = etcdRequest("/registry/pods/default/a", plainCodec.encode(ofLength(LIMIT)));
        return ofLength(LIMIT - (length - LIMIT) + more);
      };

      test("is not created, and the largest below the limit is", async () => {
        const { pods } = await open({ maxObjectBytes: LIMIT });
        const refused = await failure(pods.create("default/a", oversized(1)));
        expect(refused).toMatchObject(TOO_LARGE);
        expect(refused).not.toHaveProperty("reason");
        expect((await pods.list("")).items).toEqual([]);
        await pods.create("default/a", oversized(0));
        expect((await pods.list("")).items).toHaveLength(1);
      });

      test("is not stored by an update, and the smaller one stays", async () => {
        const { pods } = await open({ maxObjectBytes: LIMIT });
        const { revision } = await pods.create("default/a", pod("default", "a"));
        expect(await failure(pods.guaranteedUpdate("default/a", async () => oversized(1)))).toMatchObject(TOO_LARGE);
        expect((await pods.get("default/a")).revision).toBe(revision);
        expect((await pods.guaranteedUpdate("default/a", async () => oversized(0))).changed).toBe(true);
      });

      test("is not created by an update", async () => {
        const { pods } = await open({ maxObjectBytes: LIMIT });
        const update = pods.guaranteedUpdate("default/a", async () => oversized(1), { ignoreNotFound: true });
        expect(await failure(update)).toMatchObject(TOO_LARGE);
      });

      test("passes a dry run, for which etcd is not asked", async () => {
        const { pods } = await open({ maxObjectBytes: LIMIT });
        await pods.create("default/a", oversized(1), { dryRun: true });
        expect((await pods.list("")).items).toEqual([]);
      });

      test("is refused in gRPC's words where Go's client would not send it, and stored without a limit", async () => {
        const large = pod("default", "a", { text: "x".repeat(2 * 2 ** 20) });
        const { pods } = await open();
        const { message } = etcdRequest("/registry/pods/default/a", plainCodec.encode(large));
        expect(await failure(pods.create("default/a", large))).toMatchObject({
          code: 500,
          message: `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${message.length} vs. 2097152)`,
        });
        const { pods: unlimited } = await open({ maxObjectBytes: 0 });
        expect((await unlimited.create("default/a", large)).object()["text"]).toBe(large["text"]);
      });

      test("that was stored before is read, written while it does not grow, and deleted", async () => {
        const { pods: unlimited, kv, time } = await open({ maxObjectBytes: 0 });
        await unlimited.create("default/a", oversized(5000, { node: "n1" }));
        const limited = createStorage({ kv, clock: time, timers: time, ...always, maxObjectBytes: LIMIT });
        const pods = limited.storeFor({ prefix: "/registry/pods/", resource: PODS, codec: plainCodec });
        const update = (object: KubeObject) => pods.guaranteedUpdate("default/a", async () => object);
        expect(await failure(update(oversized(5001, { node: "n1" })))).toMatchObject(TOO_LARGE);
        expect((await update(oversized(5000, { node: "n2" }))).changed).toBe(true);
        expect((await update(oversized(4000))).changed).toBe(true);
        expect(await failure(update(oversized(4001)))).toMatchObject(TOO_LARGE);
        expect((await pods.get("default/a")).object()).toMatchObject(oversized(4000));
        const marked = async (): Promise<KubeObject> => oversized(4050);
        expect((await pods.guaranteedUpdate("default/a", marked, { deletes: true })).changed).toBe(true);
        await pods.delete("default/a");
        expect((await pods.list("")).items).toEqual([]);
        await limited.close();
      });
    });

    test("a replaced codec applies also to objects in the cache", async () => {
      const { pods, storage } = await open();
      await pods.create("default/a", pod("default", "a"));
      const decode = (bytes: Uint8Array): KubeObject => ({ ...plainCodec.decode(bytes), pruned: true });
      const codec = { ...plainCodec, decode };
      const again = storage.storeFor({ prefix: "/registry/pods/", resource: PODS, codec });
      expect((await again.get("default/a")).object()["pruned"]).toBe(true);
    });
  });
}
