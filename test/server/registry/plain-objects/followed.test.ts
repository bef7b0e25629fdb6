import { describe, expect, test } from "vitest";
import { errorMessage } from "../../../../src/base/text/error-message.js";
import { manualClock } from "../../../../src/base/time/manual-clock.js";
import { startServer } from "../../../../src/cluster/start-server.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import type {
  ObjectSource,
  SourceEvent,
  SourceRequest,
} from "../../../../src/server/registry/plain-objects/object-source.js";
import { call } from "../../../helpers/api-caller.js";
import { eventually } from "../../../helpers/eventually.js";
import { watchEvents, type Watching } from "../../../helpers/watch-events.js";
import { keptIn, objectsOf, WIDGETS } from "./widgets.js";

const POLL = 10_000;
const widget = (name: string, size: number, namespace = "default"): KubeObject => ({
  metadata: { name, namespace },
  spec: { size },
});

/** A server of widgets that are kept in a map, counts its lists, and reports. */
async function serverOf(more: Partial<ObjectSource> = {}, options: object = { poll: POLL }) {
  const kept = new Map<string, KubeObject>();
  const put = (...objects: readonly KubeObject[]) => {
    for (const object of objects) kept.set(`${object.metadata?.namespace}/${object.metadata?.name}`, object);
  };
  const source = objectsOf(kept);
  let lists = 0;
  let gets = 0;
  const objects: ObjectSource = {
    ...source,
    list(request) {
      lists++;
      return source.list(request);
    },
    get(name, request) {
      gets++;
      return source.get(name, request);
    },
    ...more,
  };
  const reported: string[] = [];
  const server = await startServer({
    port: false,
    clock: manualClock("2026-01-01T00:00:00Z"),
    resources: [keptIn(objects, options)],
    onError: (error) => reported.push(errorMessage(error)),
  });
  const transport = server.transport();
  return {
    kept,
    put,
    reported,
    transport,
    lists: () => lists,
    gets: () => gets,
    /** Lets the time between two polls pass. */
    poll: () => server.clock?.advance(POLL),
    send: (method: string, path: string, body?: unknown, type?: string) =>
      call(transport, method, `${WIDGETS}${path}`, body, type === undefined ? {} : { type }),
    watch: (query: string, version: string) => watchEvents(transport, `${WIDGETS}${query}`, version),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

const told = ({ events }: Watching): string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name} ${(object["spec"] as { size?: number })?.size}`);

describe("a watch over a user's source that the server polls", () => {
  test("A-CAP-03: sends what was added, changed and deleted between two lists, each with a later resourceVersion", async () => {
    await using server = await serverOf();
    server.put(widget("a", 1), widget("b", 1), widget("elsewhere", 1, "other"));
    const version = (await server.send("GET", "")).at("metadata.resourceVersion") as string;
    await using watching = await server.watch("", version);
    server.put(widget("b", 2), widget("c", 1));
    server.kept.delete("default/a");
    await server.poll();
    await eventually(() => expect(told(watching).toSorted()).toEqual(["ADDED c 1", "DELETED a 1", "MODIFIED b 2"]));
    const versions = watching.events.map(({ object }) => Number(object.metadata?.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(Math.min(...versions)).toBeGreaterThan(Number(version));
    const read = (await server.send("GET", "/c")).at("metadata.resourceVersion");
    expect(watching.events.find(({ object }) => object.metadata?.name === "c")?.object.metadata?.resourceVersion).toBe(
      read,
    );
  });

  test("begins with the existing objects without a version, and marks their end when the client asks for it", async () => {
    await using server = await serverOf();
    server.put(widget("a", 1));
    await using latest = await server.watch("", "");
    await using any = await server.watch("", "0");
    await using list = await server.watch(
      "?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
      "",
    );
    await eventually(() => expect([told(latest), told(any)]).toEqual([["ADDED a 1"], ["ADDED a 1"]]));
    await eventually(() => expect(list.events.map(({ type }) => type)).toEqual(["ADDED", "BOOKMARK"]));
    expect(list.events[1]?.object.metadata?.annotations).toEqual({ "k8s.io/initial-events-end": "true" });
  });

  test("shares one polling loop with all watches, which ends with the last", async () => {
    await using server = await serverOf();
    server.put(widget("a", 1));
    await server.poll();
    expect(server.lists()).toBe(0);
    {
      await using first = await server.watch("", "");
      await using second = await server.watch("", "");
      await using third = await server.watch("?labelSelector=none", "");
      await eventually(() =>
        expect([told(first), told(second), told(third)]).toEqual([["ADDED a 1"], ["ADDED a 1"], []]),
      );
      const before = server.lists();
      await server.poll();
      await eventually(() => expect(server.lists()).toBe(before + 1));
    }
    // The server may still be ending the watches.
    await eventually(async () => {
      const before = server.lists();
      await server.poll();
      await server.poll();
      expect(server.lists()).toBe(before);
    });
  });

  test("continues from a resourceVersion before a pause, and answers 410 to an unknown or old one", async () => {
    await using server = await serverOf();
    server.put(widget("a", 1));
    const version = (await server.send("GET", "")).at("metadata.resourceVersion") as string;
    server.put(widget("a", 2));
    await using watching = await server.watch("", version);
    await eventually(() => expect(told(watching)).toEqual(["MODIFIED a 2"]));
    for (const gone of ["1", String(Number(version) + 1_000_000)]) {
      await using refused = await server.watch("", gone);
      await eventually(() => expect(refused.events[0]).toMatchObject({ type: "ERROR", object: { code: 410 } }));
    }
  });

  test("sees at once a write through the server, and what a get has read", async () => {
    await using server = await serverOf();
    await using watching = await server.watch("", "");
    const made = await server.send("POST", "", { metadata: { name: "made" }, spec: { size: 1 } });
    expect(made.status).toBe(201);
    await watching.seen(made.at("metadata.resourceVersion") as string);
    const patched = await server.send("PATCH", "/made", { spec: { size: 2 } }, "application/merge-patch+json");
    await watching.seen(patched.at("metadata.resourceVersion") as string);
    const { metadata } = server.kept.get("default/made") as KubeObject;
    server.put({ metadata: { ...metadata }, spec: { size: 3 } });
    await watching.seen((await server.send("GET", "/made")).at("metadata.resourceVersion") as string);
    await server.send("DELETE", "/made");
    await eventually(() =>
      expect(told(watching)).toEqual(["ADDED made 1", "MODIFIED made 2", "MODIFIED made 3", "DELETED made 3"]),
    );
    await server.poll();
    expect(watching.events.length).toBe(4);
  });

  test("treats an object with another uid as another object", async () => {
    await using server = await serverOf();
    server.put({ metadata: { name: "a", namespace: "default", uid: "first" }, spec: { size: 1 } });
    await using watching = await server.watch("", "");
    await eventually(() => expect(told(watching)).toEqual(["ADDED a 1"]));
    server.put({ metadata: { name: "a", namespace: "default", uid: "second" }, spec: { size: 1 } });
    await server.poll();
    await eventually(() => expect(told(watching)).toEqual(["ADDED a 1", "DELETED a 1", "ADDED a 1"]));
  });

  test("keeps the conflict of a client that has read before another change", async () => {
    await using server = await serverOf();
    server.put(widget("a", 1));
    const read = await server.send("GET", "/a");
    server.put(widget("a", 2));
    const stale = { ...widget("a", 3), metadata: { name: "a", resourceVersion: read.at("metadata.resourceVersion") } };
    expect((await server.send("PUT", "/a", stale)).status).toBe(409);
  });

  test("continues after a failed list, which is reported, and catches up with the next", async () => {
    let fault: unknown;
    const kept = new Map<string, KubeObject>();
    const { list } = objectsOf(kept);
    const failing: ObjectSource["list"] = (request) => {
      if (fault !== undefined) throw fault;
      return list(request);
    };
    await using server = await serverOf({ list: failing });
    await using watching = await server.watch("", "");
    fault = new Error("out of reach");
    kept.set("default/a", widget("a", 1));
    await server.poll();
    await eventually(() => expect(server.reported).toEqual(["list of widgets.stable.example.com: out of reach"]));
    expect((await server.send("GET", "")).status).toBe(500);
    fault = undefined;
    await server.poll();
    await eventually(() => expect(told(watching)).toEqual(["ADDED a 1"]));
  });

  test("answers with the error of a failed first list", async () => {
    const list = () => {
      throw new Error("out of reach");
    };
    await using server = await serverOf({ list });
    await expect(server.watch("", "")).rejects.toThrow("answered with 500");
  });
});

/** A source's own watch, fed by hand. */
function feed() {
  const streams = new Set<ReadableStreamDefaultController<SourceEvent>>();
  const users: string[] = [];
  return {
    streams,
    users,
    watch(request: SourceRequest): AsyncIterable<SourceEvent> {
      users.push(request.user.name);
      return new ReadableStream<SourceEvent>({
        start(own) {
          streams.add(own);
          request.signal.addEventListener("abort", () => {
            if (streams.delete(own)) own.close();
          });
        },
      }) as unknown as AsyncIterable<SourceEvent>;
    },
    tell: (type: SourceEvent["type"], object: KubeObject) => {
      for (const stream of streams) stream.enqueue({ type, object });
    },
  };
}

describe("a watch over a user's source with a watch method of its own", () => {
  test("calls the method once for all watches, in the server's name, and ends it with the last", async () => {
    const { watch, tell, streams, users } = feed();
    await using server = await serverOf({ watch }, {});
    server.put(widget("a", 1));
    {
      await using first = await server.watch("", "");
      await using second = await server.watch("", "");
      await eventually(() => expect(told(first)).toEqual(["ADDED a 1"]));
      tell("MODIFIED", widget("a", 2));
      tell("ADDED", widget("b", 1));
      tell("DELETED", { metadata: { name: "a", namespace: "default" } });
      const all = ["ADDED a 1", "MODIFIED a 2", "ADDED b 1", "DELETED a 2"];
      await eventually(() => expect([told(first), told(second)]).toEqual([all, all]));
      expect(users).toEqual(["system:apiserver"]);
    }
    await eventually(() => expect(streams.size).toBe(0));
  });

  test.each([
    ["an object that is wrong", { type: "ADDED", object: { metadata: {} } }, "object: metadata.name: is missing"],
    [
      "a type that is wrong",
      { type: "GONE", object: widget("a", 1) },
      'type: is "GONE", not ADDED, MODIFIED or DELETED',
    ],
    ["a deletion without a name", { type: "DELETED", object: {} }, "object.metadata.name: is missing"],
  ])("%s ends the watches with an error that names it, and the next watch starts again", async (_, event, reason) => {
    const { watch, streams } = feed();
    await using server = await serverOf({ watch }, {});
    await using watching = await server.watch("", "");
    await eventually(() => expect(streams.size).toBe(1));
    for (const stream of streams) stream.enqueue(event as SourceEvent);
    const text = `watch of widgets.stable.example.com: ${reason}`;
    await eventually(() =>
      expect(watching.events).toEqual([
        { type: "ERROR", object: expect.objectContaining({ code: 500, message: `Internal error occurred: ${text}` }) },
      ]),
    );
    expect(server.reported).toEqual([text]);
    server.put(widget("a", 1));
    await using again = await server.watch("", "");
    await eventually(() => expect(told(again)).toEqual(["ADDED a 1"]));
  });

  test("ends with an error when the method throws", async () => {
    const watch = () => {
      throw new Error("no feed");
    };
    await using server = await serverOf({ watch }, {});
    await using watching = (await server.watch("", "").catch(() => undefined)) as Watching;
    if (watching !== undefined) await eventually(() => expect(watching.events[0]?.type).toBe("ERROR"));
    expect(server.reported[0]).toBe("watch of widgets.stable.example.com: no feed");
  });

  test("starts the method again with a list when it ends, and misses nothing", async () => {
    const { watch, streams } = feed();
    await using server = await serverOf({ watch }, {});
    await using watching = await server.watch("", "");
    await eventually(() => expect(streams.size).toBe(1));
    for (const stream of streams) stream.close();
    streams.clear();
    server.put(widget("a", 1));
    await eventually(async () => {
      await server.poll();
      expect(told(watching)).toEqual(["ADDED a 1"]);
    });
    expect(streams.size).toBe(1);
  });
});

describe("the server's cache of a user's source", () => {
  test("answers get and list from memory, and follows the source", async () => {
    await using server = await serverOf({}, { poll: POLL, cache: true });
    server.put(widget("a", 1));
    expect((await server.send("GET", "/a")).at("spec.size")).toBe(1);
    expect((await server.send("GET", "")).at("items.0.spec.size")).toBe(1);
    expect([server.gets(), server.lists()]).toEqual([0, 1]);
    server.put(widget("a", 2));
    expect((await server.send("GET", "/a")).at("spec.size")).toBe(1);
    await server.poll();
    await eventually(async () => expect((await server.send("GET", "/a")).at("spec.size")).toBe(2));
    expect([server.gets(), server.lists()]).toEqual([0, 2]);
    const written = await server.send("PATCH", "/a", { spec: { size: 3 } }, "application/merge-patch+json");
    expect(written.status).toBe(200);
    expect((await server.send("GET", "/a")).at("spec.size")).toBe(3);
  });

  test("answers from the last list while lists fail, and 500 before the first", async () => {
    let fault: unknown = new Error("out of reach");
    const list = () => {
      if (fault !== undefined) throw fault;
      return [widget("a", 1)];
    };
    await using server = await serverOf({ list }, { poll: POLL, cache: true });
    expect((await server.send("GET", "/a")).status).toBe(500);
    fault = undefined;
    expect((await server.send("GET", "/a")).status).toBe(200);
    fault = new Error("out of reach");
    await server.poll();
    await eventually(() => expect(server.reported.length).toBe(2));
    expect((await server.send("GET", "/a")).status).toBe(200);
  });

  test("ends with the server", async () => {
    const { watch, streams } = feed();
    {
      await using server = await serverOf({ watch }, { cache: true });
      expect((await server.send("GET", "")).status).toBe(200);
      expect(streams.size).toBe(1);
    }
    await eventually(() => expect(streams.size).toBe(0));
  });
});
