import { get } from "node:https";
import { beforeEach, describe, expect, test } from "vitest";
import { startCluster } from "../../../src/cluster/index.js";
import type { KubeObject, WatchEvent } from "../../../src/client/index.js";
import type { ReflectorFault } from "../../../src/client/reflector/list-watch.js";
import { Reflector, type ReflectorOptions } from "../../../src/client/reflector/reflector.js";
import { TransportError } from "../../../src/client/index.js";
import {
  expired,
  forbidden,
  internalError,
  invalid,
  timeout,
  tooManyRequests,
} from "../../../src/machinery/errors/status-error.js";
import { call } from "../../helpers/api-caller.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { bookmark, configMap, ScriptedListWatch } from "../../helpers/scripted-list-watch.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { settle } from "../../helpers/settle.js";

let time: ManualTime;

beforeEach(() => {
  time = new ManualTime();
});

const event = (type: WatchEvent["type"]) => (name: string, version: string) =>
  ({ type, object: configMap(name, version) }) as WatchEvent;
const added = event("ADDED");
const modified = event("MODIFIED");
const deleted = event("DELETED");
const refused = new TransportError("dial tcp 127.0.0.1:1: connect: connection refused");
const INITIAL_EVENTS_END = { "k8s.io/initial-events-end": "true" };
const FIRST_LIST = "list limit=500 resourceVersion=0";
const STREAMED_LIST = "watch resourceVersion= resourceVersionMatch=NotOlderThan sendInitialEvents=true";
const CHECK = "list limit=1";
/** After it, a wait of the backoff is over, and a watch has been silent for long enough. */
const LONG = 200_000;

/** Runs a reflector over a script. `stop` checks that the script was followed, and that nothing is left behind. */
function reflect(source: ScriptedListWatch, options: ReflectorOptions = {}) {
  const stored: string[] = [];
  const faults: ReflectorFault[] = [];
  const note = (what: string) => (object: KubeObject) =>
    void stored.push(`${what} ${object.metadata?.name}@${object.metadata?.resourceVersion}`);
  const store = {
    replace: (objects: readonly KubeObject[], lostHistory: boolean) =>
      void stored.push(
        `${lostHistory ? "replace after a loss" : "replace"} [${objects.map(({ metadata }) => metadata?.name).join(" ")}]`,
      ),
    add: note("add"),
    update: note("update"),
    delete: note("delete"),
  };
  const stop = new AbortController();
  const reflector = new Reflector(source, store, {
    streamingLists: false,
    timers: time,
    stopwatch: time.stopwatch,
    random: seededRandom("reflector"),
    onFault: (fault) => void faults.push(fault),
    ...options,
  });
  const running = reflector.run(stop.signal);
  return {
    reflector,
    stored,
    faults,
    /** Time passes, and all that follows from it happens. */
    async pass(milliseconds = 0) {
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

describe("a reflector, which lists a resource and watches it", () => {
  test("RFL-1, RFL-2: lists any state in pages, replaces the store's objects, and watches from the list's version", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "3")], version: "7", continue: "token" },
      { list: [configMap("b", "5")], version: "7" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    await run.pass();
    expect(source.requests).toEqual([FIRST_LIST, "list continue=token limit=500", "watch resourceVersion=7"]);
    expect(run.stored).toEqual(["replace [a b]"]);
    await run.stop();
  });

  test("RFL-3: resumes the watch at the last event or bookmark, once the server is known to have that version", async () => {
    const source = new ScriptedListWatch(
      { list: [], version: "7" },
      { watch: [added("a", "9"), bookmark("20")], ends: "silence" },
      { list: [], version: "21" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    await run.pass();
    expect(run.reflector.resourceVersion).toBe("20");
    await run.pass(LONG);
    expect(source.requests).toEqual([FIRST_LIST, "watch resourceVersion=7", CHECK, "watch resourceVersion=20"]);
    await run.stop();
  });

  test("RFL-4: receives a watch as one chunked answer, and each event at the time of the change", async () => {
    await using cluster = await startCluster({ port: 0, controllers: false });
    const url = new URL("/api/v1/namespaces/default/configmaps?watch=true", cluster.url);
    const headers = { authorization: `Bearer ${cluster.token}` };
    const event = await new Promise<string>((resolve, reject) => {
      const request = get(url, { ca: cluster.caCertificate, headers }, (answer) => {
        expect(answer.headers["transfer-encoding"]).toBe("chunked");
        answer.setEncoding("utf8").once("data", (text: string) => {
          resolve(text);
          request.destroy();
        });
        void call(cluster.transport(), "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "a" } });
      });
      request.once("error", reject);
    });
    expect(JSON.parse(event)).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
  });

  test("RFL-5: asks for watches of a random length from five to ten minutes", async () => {
    const seconds: number[] = [];
    for (let n = 0; n < 40; n++) {
      const source = new ScriptedListWatch({ list: [], version: "7" }, { watch: [], ends: "silence" });
      const run = reflect(source, { random: seededRandom(`seed ${n}`) });
      await run.pass();
      await run.stop();
      seconds.push(...source.watchSeconds);
    }
    expect(Math.min(...seconds)).toBeGreaterThanOrEqual(300);
    expect(Math.max(...seconds)).toBeLessThan(600);
    expect(new Set(seconds).size).toBeGreaterThan(20);
  });

  test("RFL-6: calls the store for each event", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "3")], version: "7" },
      { watch: [added("b", "8"), modified("a", "9"), deleted("b", "10")], ends: "silence" },
    );
    const run = reflect(source);
    await run.pass();
    expect(run.stored).toEqual(["replace [a]", "add b@8", "update a@9", "delete b@10"]);
    await run.stop();
  });

  test("RFL-6: lists the newest state at once when its resourceVersion has expired; a second time it waits first", async () => {
    const source = new ScriptedListWatch(
      { list: [], version: "7" },
      { watch: [], ends: expired("too old resource version: 7 (8)") },
      { list: [], version: "9" },
      { watch: [], ends: expired("too old resource version: 9 (10)") },
      { list: [], version: "11" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    await run.pass();
    expect(source.requests).toEqual([
      FIRST_LIST,
      "watch resourceVersion=7",
      "list limit=500 resourceVersion=",
      "watch resourceVersion=9",
    ]);
    expect(run.faults.map(({ retryInMilliseconds }) => retryInMilliseconds > 0)).toEqual([false, true]);
    await run.pass(LONG);
    expect(source.requests.slice(4)).toEqual(["list limit=500 resourceVersion=", "watch resourceVersion=11"]);
    await run.stop();
  });

  test("RFL-6: retries with increasing delays while the server is down, and then watches on without a list", async () => {
    const source = new ScriptedListWatch(
      { list: [], version: "7" },
      { watch: [], ends: refused },
      ...Array.from({ length: 8 }, () => ({ list: refused })),
      { list: [], version: "7" },
      { watch: [added("a", "8")], ends: "silence" },
    );
    const run = reflect(source);
    for (let n = 0; n < 9; n++) {
      await run.pass();
      const { retryInMilliseconds = 0, attempt = 0 } = run.faults.at(-1) ?? {};
      const base = Math.min(800 * 2 ** (attempt - 1), 30_000);
      expect(attempt).toBe(n + 1);
      expect(retryInMilliseconds).toBeGreaterThanOrEqual(base);
      expect(retryInMilliseconds).toBeLessThanOrEqual(base * 2);
      await run.pass(retryInMilliseconds);
    }
    expect(source.requests.slice(-2)).toEqual([CHECK, "watch resourceVersion=7"]);
    expect(run.stored).toEqual(["replace []", "add a@8"]);
    await run.stop();
  });

  test.each([
    ["without an event", []],
    ["with events", [added("a", "8")]],
  ])("RFL-6: waits before it opens a watch again that the server ended within a second, %s", async (_how, events) => {
    const source = new ScriptedListWatch(
      { list: [], version: "7" },
      { watch: events, ends: "normally" },
      { list: [], version: "8" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    await run.pass();
    expect(run.faults).toMatchObject([{ step: "watch", error: { name: "ShortWatchError" }, attempt: 1 }]);
    expect(source.requests).toHaveLength(2);
    await run.pass(run.faults[0]?.retryInMilliseconds);
    expect(source.requests).toHaveLength(4);
    await run.stop();
  });

  test("RFL-6: opens a watch again after 429 and some 5xx errors; after the third failure, and after 403, it lists", async () => {
    const source = new ScriptedListWatch(
      { list: [], version: "7" },
      { watch: [], ends: tooManyRequests("later", 0) },
      { list: [], version: "7" },
      { watch: [], ends: internalError("no") },
      { list: [], version: "7" },
      { watch: [], ends: internalError("no") },
      { list: [], version: "8" },
      { watch: [], ends: forbidden({ group: "", resource: "configmaps" }, "", "no") },
      { list: [], version: "9" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    for (let n = 0; n < 5; n++) await run.pass(LONG / 3);
    expect(source.requests.filter((request) => request !== CHECK)).toEqual([
      FIRST_LIST,
      "watch resourceVersion=7",
      "watch resourceVersion=7",
      "watch resourceVersion=7",
      "list limit=500 resourceVersion=7",
      "watch resourceVersion=8",
      "list limit=500 resourceVersion=8",
      "watch resourceVersion=9",
    ]);
    await run.stop();
  });

  test("lists after an event that it cannot decode, after as many attempts as for a server's error", async () => {
    const odd = { type: "RENAMED", object: configMap("a", "8") } as unknown as WatchEvent;
    const source = new ScriptedListWatch(
      { list: [], version: "7" },
      { watch: [odd], ends: "silence" },
      { list: [], version: "8" },
      { watch: [odd], ends: "silence" },
      { list: [], version: "8" },
      { watch: [odd], ends: "silence" },
      { list: [configMap("a", "8")], version: "8" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    for (let n = 0; n < 4; n++) await run.pass(10_000);
    expect(String(run.faults[0]?.error)).toContain('unknown type "RENAMED"');
    expect(run.stored).toEqual(["replace []", "replace [a]"]);
    await run.stop();
  });
});

describe("a reflector with streaming lists", () => {
  test("collects objects up to the bookmark that ends them, and continues with the same watch", async () => {
    const source = new ScriptedListWatch({
      watch: [added("a", "3"), added("b", "2"), bookmark("7", INITIAL_EVENTS_END), modified("a", "8")],
      ends: "silence",
    });
    const run = reflect(source, { streamingLists: true });
    await run.pass();
    expect(source.requests).toEqual([STREAMED_LIST]);
    expect(run.stored).toEqual(["replace [a b]", "update a@8"]);
    expect(run.reflector.resourceVersion).toBe("8");
    await run.stop();
  });

  test("uses paged lists from then on when the server rejects streaming", async () => {
    const source = new ScriptedListWatch(
      { watch: [], ends: invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", []) },
      { list: [], version: "7" },
      { watch: [], ends: expired("gone") },
      { list: [], version: "8" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source, { streamingLists: true });
    for (let n = 0; n < 2; n++) await run.pass(LONG / 4);
    expect(source.requests.filter((request) => request.startsWith("list limit=500"))).toHaveLength(2);
    await run.stop();
  });

  test.each([
    ["ends before the bookmark", "normally", "ShortWatchError"],
    ["falls silent before the bookmark", "silence", "StalledError"],
    ["breaks before the bookmark", new TransportError("unexpected EOF"), "TransportError"],
  ] as const)("stores nothing of a watch that %s, and lists once in pages", async (_how, ends, name) => {
    const source = new ScriptedListWatch(
      { watch: [added("a", "3")], ends },
      { list: [configMap("b", "4")], version: "7" },
      { watch: [], ends: expired("gone") },
      { watch: [bookmark("9", INITIAL_EVENTS_END)], ends: "silence" },
    );
    const run = reflect(source, { streamingLists: true });
    for (const milliseconds of [0, 180_000, 5000, 5000]) await run.pass(milliseconds);
    expect(run.faults[0]).toMatchObject({ step: "list", error: { name } });
    expect(run.stored).toEqual(["replace [b]", "replace []"]);
    await run.stop();
  });
});

describe("a reflector", () => {
  test("whose watch receives nothing checks the server's health and watches again, without reporting a fault", async () => {
    const source = new ScriptedListWatch(
      { list: [], version: "7" },
      { watch: [], ends: "silence" },
      { list: [], version: "7" },
      { watch: [added("a", "8")], ends: "silence" },
    );
    const run = reflect(source);
    await run.pass();
    await run.pass(90_000);
    expect(run.stored).toEqual(["replace []", "add a@8"]);
    expect(run.faults).toEqual([]);
    await run.stop();
  });

  test("whose watch receives nothing three times in a row lists, because a proxy may hold back events", async () => {
    const source = new ScriptedListWatch(
      { list: [], version: "7" },
      { watch: [], ends: "silence" },
      { list: [], version: "8" },
      { watch: [], ends: "silence" },
      { list: [], version: "8" },
      { watch: [], ends: "silence" },
      { list: [configMap("a", "8")], version: "8" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    await run.pass();
    for (let n = 0; n < 3; n++) await run.pass(90_000);
    expect(run.stored).toEqual(["replace []", "replace [a]"]);
    expect(run.faults).toEqual([]);
    await run.stop();
  });

  test("whose server answers neither a list nor the health check reports a StalledError for each", async () => {
    const source = new ScriptedListWatch(
      { list: "silence" },
      { list: [], version: "7" },
      { watch: [], ends: refused },
      { list: "silence" },
      { list: [], version: "7" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    for (const milliseconds of [90_000, 5000, 5000, 90_000, 10_000]) await run.pass(milliseconds);
    expect(run.faults).toMatchObject([
      { step: "list", error: { name: "StalledError", message: "the server sent nothing for 90 seconds" } },
      { step: "watch", error: refused },
      { step: "watch", error: { name: "StalledError" } },
    ]);
    // The first list may have waited for a version that the server never reaches: the second asks for the newest state.
    expect(source.requests.slice(0, 2)).toEqual([FIRST_LIST, "list limit=500 resourceVersion="]);
    await run.stop();
  });

  test("whose server answers with an older version than before lists, and tells the store that versions have restarted", async () => {
    const source = new ScriptedListWatch(
      { list: [configMap("a", "90")], version: "100" },
      { watch: [], ends: refused },
      { list: [], version: "40" },
      { list: [configMap("a", "30")], version: "101" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    for (const milliseconds of [0, 5000, 5000]) await run.pass(milliseconds);
    expect(run.faults[1]).toMatchObject({ step: "watch", error: { name: "LostHistoryError" } });
    expect(String(run.faults[1]?.error)).toContain("at resourceVersion 40, and 100 was read before");
    expect(source.requests.slice(-2)).toEqual(["list limit=500 resourceVersion=", "watch resourceVersion=101"]);
    expect(run.stored).toEqual(["replace [a]", "replace after a loss [a]"]);
    await run.stop();
  });

  test("whose watch sends events of versions before those that it has read lists, and tells the store that versions have restarted", async () => {
    const source = new ScriptedListWatch(
      { list: [], version: "100" },
      { watch: [added("a", "41")], ends: "silence" },
      { list: [], version: "42" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    for (let n = 0; n < 2; n++) await run.pass(5000);
    expect(run.stored).toEqual(["replace []", "replace after a loss []"]);
    await run.stop();
  });

  test("whose server has not reached the version of the last list lists the newest state", async () => {
    const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
    const source = new ScriptedListWatch(
      { list: timeout("Too large resource version: 0, current: 0", 1, causes) },
      { list: [], version: "5" },
      { watch: [], ends: "silence" },
    );
    const run = reflect(source);
    for (let n = 0; n < 2; n++) await run.pass(5000);
    expect(source.requests[1]).toBe("list limit=500 resourceVersion=");
    await run.stop();
  });
});

describe("a reflector continues in spite of the caller's", () => {
  test("onFault that throws: the error becomes an uncaught exception", async () => {
    const uncaught: unknown[] = [];
    const listeners = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", (error) => uncaught.push(error));
    try {
      const source = new ScriptedListWatch(
        { list: refused },
        { list: [], version: "7" },
        { watch: [], ends: "silence" },
      );
      const thrown = new Error("the caller's");
      const run = reflect(source, {
        onFault: () => {
          throw thrown;
        },
      });
      for (let n = 0; n < 2; n++) await run.pass(5000);
      expect(run.stored).toEqual(["replace []"]);
      expect(uncaught).toEqual([thrown]);
      await run.stop();
    } finally {
      process.removeAllListeners("uncaughtException");
      for (const listener of listeners) process.on("uncaughtException", listener);
    }
  });

  test("source that does not end when its signal aborts", async () => {
    const source = new ScriptedListWatch(
      { list: "silence" },
      { list: [], version: "7" },
      { watch: [], ends: "silence" },
      { list: [], version: "7" },
      { watch: [added("a", "8")], ends: "silence" },
    );
    source.followsSignal = false;
    const run = reflect(source);
    for (let n = 0; n < 3; n++) await run.pass(LONG / 2);
    expect(run.stored).toEqual(["replace []", "add a@8"]);
    await run.stop();
  });
});
