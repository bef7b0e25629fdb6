import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  kubernetesClient,
  type KubernetesClient,
  type KubeObject,
  loadConfig,
  TransportError,
  type WatchEvent,
} from "../../../src/client/index.js";
import { InformerFactory, type InformerOptions, SharedInformer } from "../../../src/client/informers/index.js";
import { expired } from "../../../src/machinery/errors/status-error.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { eventually } from "../../helpers/eventually.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { configMap, ScriptedListWatch } from "../../helpers/scripted-list-watch.js";
import { settle } from "../../helpers/settle.js";

let cluster: Cluster;
let client: KubernetesClient;
const paths: string[] = [];
const CONFIG_MAPS = { group: "", version: "v1", resource: "configmaps" };

beforeAll(async () => {
  cluster = await startCluster({ port: false, onRequest: ({ path }) => void paths.push(path) });
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  client = kubernetesClient(config, { transport: cluster.transport() });
});

afterAll(() => cluster.close());

const named = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

/** Handlers that write down what they are called with. */
function recorder() {
  const seen: string[] = [];
  return {
    seen,
    added: (object: KubeObject, isInitial: boolean) =>
      void seen.push(`${isInitial ? "initial" : "added"} ${object.metadata?.name}`),
    updated: (before: KubeObject, after: KubeObject) =>
      void seen.push(
        `updated ${after.metadata?.name} ${JSON.stringify(before["data"])} ${JSON.stringify(after["data"])}`,
      ),
    deleted: (object: KubeObject, isFinal: boolean) => void seen.push(`deleted ${object.metadata?.name} ${isFinal}`),
  };
}

describe("two shared informers of one resource", () => {
  test("INF-6: send one list and open one watch for three handlers", async () => {
    const configMaps = client.resource(CONFIG_MAPS).namespace("default");
    await configMaps.create(named("here", { a: "1" }));
    const informers = new InformerFactory(client, { namespace: "default" });
    const [one, two, late] = [recorder(), recorder(), recorder()];
    const stop = new AbortController();
    informers.resource(CONFIG_MAPS).addHandler(one);
    const registration = informers.resource(CONFIG_MAPS).addHandler(two);
    paths.length = 0;
    informers.start(stop.signal);
    informers.start(stop.signal);
    await informers.synced();
    await registration.synced;
    await configMaps.create(named("new"));
    await configMaps.patch("here", { data: { a: "2" } }, { type: "merge" });
    await configMaps.delete("new");
    const informer = informers.resource(CONFIG_MAPS);
    await eventually(async () => expect([one.seen.length, two.seen.length]).toEqual([5, 5]));
    await informer.addHandler(late).synced;
    const after = ["added new", 'updated here {"a":"1"} {"a":"2"}', "deleted new true"];
    expect(one.seen).toEqual(["initial here", "initial kube-root-ca.crt", ...after]);
    expect(two.seen).toEqual(one.seen);
    expect(late.seen.sort()).toEqual(["initial here", "initial kube-root-ca.crt"]);
    expect(paths.filter((path) => path.includes("watch="))).toHaveLength(1);
    expect(paths).toHaveLength(4);
    expect(informer.lister.namespace("default").get("here")?.["data"]).toEqual({ a: "2" });
    stop.abort();
    await informers.stopped();
  });
});

describe("an informer factory", () => {
  test("INF-2, INF-4, INF-5: calls handlers for every change, and its lister reads the cache", async () => {
    const stop = new AbortController();
    const informers = new InformerFactory(client, { namespace: "kube-public", resyncMilliseconds: 60_000 });
    const informer = informers.resource(CONFIG_MAPS);
    const log: string[] = [];
    informer.addHandler({
      added: ({ metadata }) => void log.push(`New ConfigMap Added to Store: ${metadata?.name}`),
      updated: (before, after) =>
        void log.push(`${before.metadata?.name} ConfigMap Updated to ${after.metadata?.name}`),
      deleted: ({ metadata }) => void log.push(`ConfigMap Deleted from Store: ${metadata?.name}`),
    });
    informers.start(stop.signal);
    await informers.synced();
    log.length = 0;
    const configMaps = client.resource(CONFIG_MAPS).namespace("kube-public");
    await configMaps.create(named("web"));
    await configMaps.patch("web", { data: { a: "1" } }, { type: "merge" });
    await eventually(async () => expect(log).toHaveLength(2));
    expect(informer.lister.namespace("kube-public").get("web")?.["data"]).toEqual({ a: "1" });
    await configMaps.delete("web");
    await eventually(async () => expect(log).toHaveLength(3));
    expect(log).toEqual([
      "New ConfigMap Added to Store: web",
      "web ConfigMap Updated to web",
      "ConfigMap Deleted from Store: web",
    ]);
    stop.abort();
    await informers.stopped();
  });

  test("INF-7: reports that it has synced when every started informer has its first list", async () => {
    const stop = new AbortController();
    const informers = new InformerFactory(client);
    const all = ["configmaps", "namespaces", "serviceaccounts"].map((resource) =>
      informers.resource({ group: "", version: "v1", resource }),
    );
    expect(informers.resource(CONFIG_MAPS)).toBe(all[0]);
    expect(informers.resource(CONFIG_MAPS, { labelSelector: "a=b" })).not.toBe(all[0]);
    informers.start(stop.signal);
    expect(all.map((informer) => informer.hasSynced())).toEqual([false, false, false]);
    await informers.synced();
    expect(all.map((informer) => informer.hasSynced())).toEqual([true, true, true]);
    expect(all.every((informer) => informer.cache.size > 0)).toBe(true);
    stop.abort();
    await informers.stopped();
  });
});

const refused = new TransportError("dial tcp 127.0.0.1:1: connect: connection refused");
const event = (type: WatchEvent["type"], name: string, version: string) =>
  ({ type, object: configMap(name, version) }) as WatchEvent;

/** Runs an informer over a script. */
function follow(source: ScriptedListWatch, options: InformerOptions<KubeObject> = {}) {
  const time = new ManualTime();
  const stop = new AbortController();
  const errors: unknown[] = [];
  const informer = new SharedInformer<KubeObject>(source, {
    streamingLists: false,
    timers: time,
    stopwatch: time.stopwatch,
    onError: (error) => void errors.push(error),
    ...options,
  });
  let running: Promise<void> | undefined;
  return {
    informer,
    errors,
    async start() {
      running = informer.run(stop.signal);
      await settle();
    },
    /** Time passes, and all that follows from it happens. */
    async pass(milliseconds: number) {
      time.pass(milliseconds);
      await settle();
    },
    async stop() {
      stop.abort();
      await running;
      expect({ unexpected: source.unexpected, unused: source.unused }).toEqual({ unexpected: [], unused: 0 });
      expect(time.pending).toBe(0);
    },
  };
}

/** Handlers that write down versions: "added a@1", "updated a@1 a@2", "deleted a@2". */
function versions() {
  const seen: string[] = [];
  const at = ({ metadata }: KubeObject): string => `${metadata?.name}@${metadata?.resourceVersion}`;
  return {
    seen,
    added: (object: KubeObject) => void seen.push(`added ${at(object)}`),
    updated: (before: KubeObject, after: KubeObject) => void seen.push(`updated ${at(before)} ${at(after)}`),
    deleted: (object: KubeObject, isFinal: boolean) =>
      void seen.push(`deleted ${at(object)}${isFinal ? "" : ", missed"}`),
  };
}

describe("an informer that processes lists and watch events", () => {
  test("INF-1, DFF-6: passes them through the delta queue into the cache, and calls handlers with the difference", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "1"), configMap("b", "2")], version: "5" },
      // An event that a list has had already, and a change of an object that was never added: the cache decides.
      { watch: [event("ADDED", "a", "6"), event("MODIFIED", "c", "7"), event("DELETED", "b", "8")], ends: "silence" },
    );
    const run = follow(source);
    const handler = versions();
    run.informer.addHandler(handler);
    await run.start();
    // Calls for one object come in order; objects may overtake each other.
    const callsOf = (name: string) => handler.seen.filter((call) => call.includes(` ${name}@`));
    expect(callsOf("a")).toEqual(["added a@1", "updated a@1 a@6"]);
    expect(callsOf("b")).toEqual(["added b@2", "deleted b@8"]);
    expect(callsOf("c")).toEqual(["added c@7"]);
    expect([...run.informer.cache.keys()]).toEqual(["default/a", "default/c"]);
    await run.stop();
  });

  test("reports a deletion that it missed with the last known state, and calls no update for unchanged objects of a new list", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "1"), configMap("b", "2"), configMap("c", "3")], version: "5" },
      { watch: [], ends: expired("gone") },
      { list: [configMap("a", "1"), configMap("b", "7")], version: "9" },
      { watch: [], ends: "silence" },
    );
    const run = follow(source);
    const handler = versions();
    run.informer.addHandler(handler);
    await run.start();
    expect(handler.seen.slice(3)).toEqual(["updated b@2 b@7", "deleted c@3, missed"]);
    await run.stop();
  });

  test("calls updates for objects of the same resourceVersion after the server lost its history, because they may differ", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "3", { life: "first" })], version: "100" },
      { watch: [], ends: refused },
      { list: [], version: "4" },
      { list: [configMap("a", "3", { life: "second" })], version: "4" },
      { watch: [], ends: "silence" },
    );
    const run = follow(source);
    const handler = versions();
    run.informer.addHandler(handler);
    await run.start();
    await run.pass(5000);
    await run.pass(5000);
    expect(handler.seen).toEqual(["added a@3", "updated a@3 a@3"]);
    expect(run.informer.cache.get("default/a")?.["data"]).toEqual({ life: "second" });
    await run.stop();
  });

  test("calls an update for an object of the same name and resourceVersion with another uid", async () => {
    const other = { ...configMap("a", "3"), metadata: { ...configMap("a", "3").metadata, uid: "another" } };
    const source = new ScriptedListWatch(
      { list: [configMap("a", "3")], version: "5" },
      { watch: [], ends: expired("gone") },
      { list: [other], version: "9" },
      { watch: [], ends: "silence" },
    );
    const run = follow(source);
    const handler = versions();
    run.informer.addHandler(handler);
    await run.start();
    expect(handler.seen).toEqual(["added a@3", "updated a@3 a@3"]);
    await run.stop();
  });

  test("caches the result of a transform; when it throws, the error is reported and the object cached unchanged", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "1", { big: "x" }), configMap("bad", "2", { big: "x" })], version: "5" },
      { watch: [event("ADDED", "b", "6")], ends: "silence" },
    );
    const run = follow(source, {
      transform: (object) => {
        if (object.metadata?.name === "bad") throw new Error("cannot be transformed");
        return { ...object, data: {} };
      },
    });
    await run.start();
    const data = Object.fromEntries(
      [...run.informer.cache.values()].map((object) => [object.metadata?.name, object["data"]]),
    );
    expect(data).toEqual({ a: {}, bad: { big: "x" }, b: {} });
    expect(run.errors.map(String)).toEqual(["Error: cannot be transformed"]);
    await run.stop();
  });

  test("accepts new indices while it runs; one that throws for an object is reported, and the object is cached", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "1")], version: "5" },
      { watch: [event("ADDED", "bad", "6"), event("ADDED", "c", "7")], ends: "silence" },
    );
    const run = follow(source, {
      indexers: {
        initial: ({ metadata }) => {
          if (metadata?.name === "bad") throw new Error("cannot be indexed");
          return [metadata?.name?.[0] ?? ""];
        },
      },
    });
    await run.start();
    run.informer.addIndexers({ byVersion: ({ metadata }) => [metadata?.resourceVersion ?? ""] });
    expect(run.informer.cache.indexValues("initial")).toEqual(["a", "c"]);
    expect(run.informer.cache.indexKeys("byVersion", "6")).toEqual(["default/bad"]);
    expect(run.errors.map(String)).toEqual(["Error: cannot be indexed"]);
    await run.stop();
  });
});

describe("a handler of an informer", () => {
  /** One object, then changes of it for ever. */
  const changes = (count: number): ScriptedListWatch =>
    new ScriptedListWatch(
      { list: [configMap("a", "1")], version: "1" },
      { watch: Array.from({ length: count }, (_, n) => event("MODIFIED", "a", String(n + 2))), ends: "silence" },
    );

  test("gets its further calls after it throws, and the other handlers get all of theirs", async () => {
    const run = follow(changes(3));
    const [before, after] = [versions(), versions()];
    const calls: string[] = [];
    run.informer.addHandler(before);
    const registration = run.informer.addHandler({
      added() {
        calls.push("added");
        throw new Error("thrown");
      },
      async updated() {
        calls.push("updated");
        throw new Error("rejected");
      },
    });
    run.informer.addHandler(after);
    await run.start();
    expect(calls).toEqual(["added", "updated", "updated", "updated"]);
    expect(before.seen).toHaveLength(4);
    expect(after.seen).toEqual(before.seen);
    expect(registration.hasSynced()).toBe(true);
    expect(run.errors.map(String)).toEqual(["Error: thrown", ...Array.from({ length: 3 }, () => "Error: rejected")]);
    await run.stop();
  });

  test("keeps being called when it and onError both throw, and both errors are reported", async () => {
    const uncaught: unknown[] = [];
    const listeners = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", (error) => uncaught.push(String(error)));
    try {
      const run = follow(changes(2), {
        onError: (error) => {
          throw new Error(`while reporting ${(error as Error).message}`);
        },
      });
      let calls = 0;
      const fail = (): never => {
        throw new Error(`call ${++calls}`);
      };
      run.informer.addHandler({ added: fail, updated: fail });
      await run.start();
      expect(uncaught).toEqual([1, 2, 3].map((call) => `Error: while reporting call ${call}`));
      await run.stop();
    } finally {
      process.removeAllListeners("uncaughtException");
      for (const listener of listeners) process.on("uncaughtException", listener);
    }
  });

  test("delays no other handler while it hangs, and the informer shows how many of its calls wait", async () => {
    const run = follow(changes(100));
    const other = versions();
    const hanging = run.informer.addHandler({ added: () => new Promise<void>(() => {}) });
    run.informer.addHandler(other);
    await run.start();
    expect(other.seen).toHaveLength(101);
    // The call that hangs is no longer among those that wait; the mark of the first objects is.
    expect([hanging.pending, hanging.hasSynced()]).toEqual([101, false]);
    expect(run.informer.hasSynced()).toBe(true);
    await run.stop();
    expect(hanging.pending).toBe(0);
  });

  test("gets its calls one after the other and in order, however slow it is", async () => {
    const run = follow(changes(5));
    const seen: string[] = [];
    let under = 0;
    run.informer.addHandler({
      async updated(_, { metadata }) {
        under += 1;
        await new Promise(setImmediate);
        seen.push(`${metadata?.resourceVersion} of ${under}`);
        under -= 1;
      },
    });
    await run.start();
    await settle();
    expect(seen).toEqual(["2 of 1", "3 of 1", "4 of 1", "5 of 1", "6 of 1"]);
    await run.stop();
  });

  test("sees every object as added when it is added late, then the changes, and is synced by then", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "1"), configMap("b", "2")], version: "5" },
      { watch: [event("DELETED", "b", "6")], ends: refused },
      { list: [], version: "6" },
      { watch: [event("MODIFIED", "a", "7")], ends: "silence" },
    );
    const run = follow(source);
    await run.start();
    const late = versions();
    const initial: boolean[] = [];
    const registration = run.informer.addHandler({
      ...late,
      added: (object, isInitial) => {
        initial.push(isInitial);
        late.added(object);
      },
    });
    expect(late.seen).toEqual([]);
    await registration.synced;
    expect(late.seen).toEqual(["added a@1"]);
    await run.pass(5000);
    expect(late.seen).toEqual(["added a@1", "updated a@1 a@7"]);
    expect(initial).toEqual([true]);
    await run.stop();
  });

  test("that another handler adds from a call sees each object once", async () => {
    const run = follow(changes(2));
    const inner = versions();
    let added = false;
    run.informer.addHandler({
      added: () => {
        if (!added) run.informer.addHandler(inner);
        added = true;
      },
    });
    await run.start();
    expect(inner.seen.filter((call) => call.startsWith("added"))).toHaveLength(1);
    expect(inner.seen.at(-1)).toMatch(/a@3$/);
    await run.stop();
  });

  test("that is removed, also from its own call, is called no more", async () => {
    const run = follow(changes(3));
    const seen: string[] = [];
    const registration = run.informer.addHandler({
      added: () => void seen.push("added"),
      updated: () => {
        seen.push("updated");
        registration.remove();
      },
    });
    await run.start();
    expect(seen).toEqual(["added", "updated"]);
    expect(registration.pending).toBe(0);
    await run.stop();
  });

  test("is reported as synced after the first objects, and not before the first list", async () => {
    const run = follow(changes(1));
    const order: string[] = [];
    const registration = run.informer.addHandler({ added: () => void order.push("added") });
    void registration.synced.then(() => order.push("synced"));
    expect(registration.hasSynced()).toBe(false);
    await run.start();
    expect(order).toEqual(["added", "synced"]);
    await run.stop();
  });

  test("cannot be added to a stopped informer, and is not called after the stop", async () => {
    const run = follow(changes(3));
    const calls: string[] = [];
    let finish = (): void => {};
    const handler = {
      added: () => {
        calls.push("added");
        return new Promise<void>((resolve) => (finish = resolve));
      },
      updated: () => void calls.push("updated"),
    };
    run.informer.addHandler(handler);
    await run.start();
    await run.stop();
    finish();
    await settle();
    expect(calls).toEqual(["added"]);
    expect(() => run.informer.addHandler(handler)).toThrow("the informer has stopped: no handler can be added");
  });
});

describe("the resync of an informer", () => {
  test("INF-3, RFL-7: calls each handler for every cached object after the handler's own period; a period of 0 turns it off", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "1"), configMap("b", "2")], version: "5" },
      { watch: [], ends: "silence" },
    );
    const run = follow(source, { resyncMilliseconds: 20_000 });
    const [usual, often, never] = [versions(), versions(), versions()];
    run.informer.addHandler(usual);
    run.informer.addHandler(often, { resyncMilliseconds: 10_000 });
    run.informer.addHandler(never, { resyncMilliseconds: 0 });
    await run.start();
    const again = ["updated a@1 a@1", "updated b@2 b@2"];
    const since = () =>
      [usual, often, never].map(({ seen }) => seen.splice(0).filter((call) => call.startsWith("updated")));
    since();
    await run.pass(10_000);
    expect(since()).toEqual([[], again, []]);
    await run.pass(10_000);
    expect(since()).toEqual([again, again, []]);
    await run.pass(9999);
    expect(since()).toEqual([[], [], []]);
    expect(source.requests).toHaveLength(2);
    await run.stop();
  });

  test("has a period of at least one second, and handlers that come or go change no other handler's period", async () => {
    const run = follow(
      new ScriptedListWatch({ list: [configMap("a", "1")], version: "5" }, { watch: [], ends: "silence" }),
    );
    const [first, late] = [versions(), versions()];
    const registration = run.informer.addHandler(first, { resyncMilliseconds: 10 });
    await run.start();
    await run.pass(600);
    expect(first.seen).toEqual(["added a@1"]);
    run.informer.addHandler(late, { resyncMilliseconds: 1000 });
    await run.pass(400);
    expect([first.seen.length, late.seen.length]).toEqual([2, 1]);
    registration.remove();
    await run.pass(600);
    expect([first.seen.length, late.seen.length]).toEqual([2, 2]);
    await run.stop();
  });

  test("continues while the server is down", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "1")], version: "5" },
      { watch: [], ends: refused },
      ...Array.from({ length: 3 }, () => ({ list: refused })),
    );
    const run = follow(source, { resyncMilliseconds: 5000 });
    const handler = versions();
    run.informer.addHandler(handler);
    await run.start();
    for (let n = 0; n < 2; n++) await run.pass(5000);
    expect(handler.seen).toEqual(["added a@1", "updated a@1 a@1", "updated a@1 a@1"]);
    expect(source.requests.length).toBeGreaterThan(2);
  });
});
