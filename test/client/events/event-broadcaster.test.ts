import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { kubernetesClient, type KubernetesClient, type KubeObject, loadConfig } from "../../../src/client/index.js";
import {
  type EventBroadcaster,
  eventBroadcaster,
  type EventBroadcasterOptions,
} from "../../../src/client/events/index.js";
import type { Transport, TransportRequest } from "../../../src/client/transport/transport.js";
import { TransportError } from "../../../src/client/transport/transport-error.js";
import { startCluster } from "../../../src/cluster/index.js";
import { ManualTime } from "../../helpers/manual-time.js";
import { seededRandom } from "../../helpers/seeded-random.js";

let cluster: Awaited<ReturnType<typeof startCluster>>;
let client: KubernetesClient;
let namespaces = 0;
let namespace: string;
let time: ManualTime;
let errors: string[];
/** "POST", "PATCH", in order. */
let requests: string[];
/** What happens to the next requests; without one, they are answered. */
let faults: ("refused" | "hangs")[];

beforeAll(async () => {
  cluster = await startCluster({ port: false, storage: "memory" });
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});
beforeEach(async () => {
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  client = kubernetesClient(config, { transport: faulty(cluster.transport()) });
  namespaces += 1;
  namespace = `ns-${namespaces}`;
  [time, errors, requests, faults] = [new ManualTime(), [], [], []];
  const all = kubernetesClient(config, { transport: cluster.transport() });
  const metadata = { name: namespace };
  await all.resource({ group: "", version: "v1", resource: "namespaces" }).create({ metadata });
});

function faulty(transport: Transport): Transport {
  return {
    send(request: TransportRequest) {
      requests.push(request.method);
      const fault = faults.shift();
      if (fault === undefined) return transport.send(request);
      return new Promise((_, reject) => {
        if (fault === "refused") reject(new TransportError("connect: connection refused", { method: request.method }));
        request.signal?.addEventListener("abort", () => reject(request.signal?.reason as Error));
      });
    },
    close: () => transport.close(),
  };
}

const broadcaster = (options: Partial<EventBroadcasterOptions> = {}): EventBroadcaster =>
  eventBroadcaster({
    client,
    clock: time,
    timers: time,
    random: seededRandom("events"),
    onError: (error) => errors.push((error as Error).message),
    ...options,
  });
const pod = (name = "web"): KubeObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, uid: "u1", resourceVersion: "7" },
});
const events = async (group = ""): Promise<KubeObject[]> => {
  const version = group === "" ? { group, version: "v1" } : { group, version: "v1" };
  return (
    await client
      .resource({ ...version, resource: "events" })
      .namespace(namespace)
      .list()
  ).items;
};
/** Without what the server adds. */
const written = ({ metadata, ...event }: KubeObject): KubeObject => {
  const { name, namespace: place, annotations } = metadata ?? {};
  return { metadata: { name, namespace: place, ...(annotations && { annotations }) } as never, ...event };
};
/** Lets requests and promises that wait for no timer run to their end. */
const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 50; turns += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("an event that a recorder writes", () => {
  test("by core/v1 has client-go's fields", async () => {
    const all = broadcaster();
    all.recorder({ component: "web-operator" }).event(pod(), "Warning", "BackOff", "it fell over");
    await all.flush();
    expect((await events()).map(written)).toEqual([
      {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace },
        involvedObject: {
          apiVersion: "v1",
          kind: "Pod",
          name: "web",
          namespace,
          uid: "u1",
          resourceVersion: "7",
        },
        reason: "BackOff",
        message: "it fell over",
        source: { component: "web-operator" },
        firstTimestamp: "2026-01-01T00:00:00Z",
        lastTimestamp: "2026-01-01T00:00:00Z",
        count: 1,
        type: "Warning",
        eventTime: null,
        reportingComponent: "web-operator",
        reportingInstance: "",
      },
    ]);
    expect(errors).toEqual([]);
  });

  test("by events.k8s.io/v1 has an action", async () => {
    const all = broadcaster();
    const recorder = all.recorder({ component: "example.com/web-operator", host: "node-1" });
    const related = { apiVersion: "v1", kind: "Node", name: "node-1" };
    recorder.event(pod(), "Normal", "Pulled", "image is there", {
      action: "Pulling",
      related,
      annotations: { a: "b" },
    });
    await all.flush();
    expect((await events("events.k8s.io")).map(written)).toEqual([
      {
        apiVersion: "events.k8s.io/v1",
        kind: "Event",
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace, annotations: { a: "b" } },
        eventTime: "2026-01-01T00:00:00.000000Z",
        reportingController: "example.com/web-operator",
        reportingInstance: "example.com/web-operator-node-1",
        action: "Pulling",
        reason: "Pulled",
        regarding: expect.objectContaining({ kind: "Pod", name: "web" }),
        related,
        note: "image is there",
        type: "Normal",
        deprecatedSource: {},
        deprecatedFirstTimestamp: null,
        deprecatedLastTimestamp: null,
      },
    ]);
    expect(errors).toEqual([]);
  });

  test("about an object without a namespace goes to the namespace default", async () => {
    const all = broadcaster();
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: `node-of-${namespace}` } };
    all.recorder({ component: "c" }).event(node, "Normal", "Ready", "it runs");
    await all.flush();
    const { items } = await client
      .resource({ group: "", version: "v1", resource: "events" })
      .namespace("default")
      .list();
    expect(items.filter(({ metadata }) => metadata?.name?.startsWith(node.metadata.name))).toHaveLength(1);
  });

  test("about a part of an object can be given by a reference", async () => {
    const all = broadcaster();
    const reference = { apiVersion: "v1", kind: "Pod", namespace, name: "web", fieldPath: "spec.containers{app}" };
    all.recorder({ component: "c" }).event(reference, "Normal", "Pulled", "image is there");
    await all.flush();
    expect((await events())[0]?.["involvedObject"]).toEqual(reference);
  });

  test("about an object whose name an event cannot have is named by a uuid", async () => {
    const all = broadcaster();
    all.recorder({ component: "c" }).event(pod("system:node"), "Normal", "Bound", "role is bound");
    await all.flush();
    expect((await events())[0]?.metadata?.name).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  test("is reported and not written when its type is unknown or its object has no kind", async () => {
    const all = broadcaster();
    const recorder = all.recorder({ component: "c" });
    recorder.event(pod(), "Error" as never, "Broken", "it fell over");
    recorder.event({ metadata: { name: "web" } }, "Normal", "Broken", "it fell over");
    await all.flush();
    expect([requests, errors]).toEqual([
      [],
      [
        "cannot record event Broken (it fell over): Unsupported event type: 'Error'",
        'cannot record event Broken (it fell over): the object has no apiVersion, no kind: {"name":"web"}',
      ],
    ]);
  });

  test("is passed to all handlers, also when another handler throws", async () => {
    const all = broadcaster();
    const seen: string[] = [];
    all.watch(() => {
      throw new Error("broken handler");
    });
    const stop = all.watch(({ reason }) => seen.push(reason));
    const recorder = all.recorder({ component: "c" });
    recorder.event(pod(), "Normal", "One", "m");
    stop();
    recorder.event(pod(), "Normal", "Two", "m");
    await all.flush();
    expect([seen, errors]).toEqual([["One"], ["broken handler", "broken handler"]]);
    expect(await events()).toHaveLength(2);
  });
});

describe("repeated events that a recorder writes", () => {
  test("of core/v1 raise the count and the last time of the first, by a patch", async () => {
    const all = broadcaster();
    const recorder = all.recorder({ component: "c" });
    for (let times = 0; times < 3; times += 1) {
      recorder.event(pod(), "Warning", "BackOff", "it fell over");
      await all.flush();
      time.pass(60_000);
    }
    const [first, ...others] = await events();
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      count: 3,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:02:00Z",
      message: "it fell over",
    });
    expect(requests.slice(0, 3)).toEqual(["POST", "PATCH", "PATCH"]);
  });

  test("are created again when the server has forgotten the first", async () => {
    const all = broadcaster();
    const recorder = all.recorder({ component: "c" });
    recorder.event(pod(), "Normal", "Synced", "m");
    await all.flush();
    const resource = client.resource({ group: "", version: "v1", resource: "events" }).namespace(namespace);
    await resource.deleteCollection();
    recorder.event(pod(), "Normal", "Synced", "m");
    await all.flush();
    expect((await events()).map(({ count }) => count)).toEqual([2]);
  });

  test("that differ in their message become one from the tenth on", async () => {
    const all = broadcaster();
    const recorder = all.recorder({ component: "c" });
    for (let number = 1; number <= 12; number += 1) recorder.event(pod(), "Warning", "Failed", `try ${number}`);
    await all.flush();
    const found = (await events()).map(({ message, count }) => `${count} ${message}`).sort();
    expect(found).toEqual(
      [
        ...Array.from({ length: 9 }, (_, index) => `1 try ${index + 1}`),
        "3 (combined from similar events): try 12",
      ].sort(),
    );
    time.pass(600_001);
    recorder.event(pod(), "Warning", "Failed", "try 13");
    await all.flush();
    expect((await events()).map(({ message }) => message)).toContain("try 13");
  });

  test("of one source about one object are cut off after 25, and one more is let through every 5 minutes", async () => {
    const all = broadcaster();
    const recorder = all.recorder({ component: "c" });
    for (let number = 0; number < 40; number += 1) recorder.event(pod(), "Normal", "Synced", "m");
    await all.flush();
    expect((await events())[0]?.["count"]).toBe(25);
    recorder.event(pod("other"), "Normal", "Synced", "m");
    recorder.event(pod(), "Warning", "Synced", "m");
    time.pass(300_000);
    recorder.event(pod(), "Normal", "Synced", "m");
    recorder.event(pod(), "Normal", "Synced", "m");
    await all.flush();
    // Those that were not written count all the same.
    expect((await events()).map(({ count }) => Number(count)).sort((a, b) => a - b)).toEqual([1, 1, 41]);
  });

  test("with an action become a series, whose count is written at its start, every 30 minutes and at its end", async () => {
    const all = broadcaster();
    const recorder = all.recorder({ component: "example.com/c", host: "h" });
    const happens = () => recorder.event(pod(), "Normal", "Synced", "m", { action: "Syncing" });
    const series = async () => {
      await all.flush();
      return (await events("events.k8s.io")).map((event) => event["series"]);
    };
    happens();
    expect(await series()).toEqual([undefined]);
    time.pass(1_000);
    happens();
    expect(await series()).toEqual([{ count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" }]);
    for (let minutes = 0; minutes < 30; minutes += 1) {
      time.pass(60_000);
      happens();
    }
    expect(await series()).toEqual([{ count: 31, lastObservedTime: "2026-01-01T00:29:01.000000Z" }]);
    time.pass(12 * 60_000);
    expect(await series()).toEqual([{ count: 32, lastObservedTime: "2026-01-01T00:30:01.000000Z" }]);
    happens();
    await all.flush();
    expect(await events("events.k8s.io")).toHaveLength(2);
    await all.close();
    expect(errors).toEqual([]);
  });
});

describe("the queue of an event recorder", () => {
  test("drops events that do not fit, and reports them", async () => {
    const all = broadcaster({ queueSize: 2 });
    const recorder = all.recorder({ component: "c" });
    for (const reason of ["A", "B", "C"]) recorder.event(pod(), "Normal", reason, "m");
    await all.flush();
    expect((await events()).map(({ reason }) => reason)).toEqual(["A", "B"]);
    expect(errors).toEqual([expect.stringMatching(/^dropped event ns-\d+\/web\.\w+ \(C\): too many queued events$/)]);
  });

  test("makes a producer wait for room, and loses none of its events", async () => {
    const all = broadcaster({ queueSize: 2, correlation: { burst: 100, maxSimilar: 100 } });
    const recorder = all.recorder({ component: "c" });
    const produce = async (name: string) => {
      for (let number = 0; number < 20; number += 1) {
        await all.room();
        recorder.event(pod(), "Normal", "Synced", `${name} ${number}`);
      }
    };
    await Promise.all([produce("a"), produce("b")]);
    await all.flush();
    expect([(await events()).length, errors]).toEqual([40, []]);
  });
});

describe("an event recorder whose server does not answer", () => {
  test("tries 12 times, 10 seconds apart, the second time sooner by a random part", async () => {
    const all = broadcaster();
    faults = Array.from({ length: 100 }, () => "refused" as const);
    all.recorder({ component: "c" }).event(pod(), "Normal", "Synced", "m");
    await settle();
    expect(requests).toHaveLength(1);
    time.pass(10_000);
    await settle();
    expect(requests).toHaveLength(2);
    for (let tries = 3; tries <= 20; tries += 1) {
      time.pass(10_000);
      await settle();
    }
    expect(requests).toHaveLength(12);
    expect(errors.map((message) => message.replace(/ns-\d+\/web\.\w+/, "E"))).toEqual([
      expect.stringMatching(/^trying again to write event E: .*connection refused$/),
      expect.stringMatching(/^retry limit exceeded for event E: .*connection refused$/),
    ]);
    await all.flush();
  });

  test("writes the event when the server is back", async () => {
    const all = broadcaster();
    faults = ["refused", "hangs", "refused"];
    all.recorder({ component: "c" }).event(pod(), "Normal", "Synced", "m");
    for (let tries = 0; tries < 8; tries += 1) {
      await settle();
      time.pass(10_000);
    }
    await all.flush();
    expect(await events()).toHaveLength(1);
  });

  test("ends close() after at most 10 seconds", async () => {
    const all = broadcaster();
    faults = ["hangs"];
    const recorder = all.recorder({ component: "c" });
    for (const reason of ["A", "B", "C"]) recorder.event(pod(), "Normal", reason, "m");
    await settle();
    const closing = all.close();
    await settle();
    time.pass(10_000);
    await closing;
    expect(errors).toEqual([
      "closed before the server took 2 more events",
      expect.stringMatching(/^cannot write event/),
    ]);
    expect(requests).toHaveLength(1);
  });
});

test("an event recorder reports an event that the server refuses once, and does not retry it", async () => {
  const all = broadcaster();
  const recorder = all.recorder({ component: "not a qualified name!" });
  recorder.event(pod(), "Normal", "Synced", "m", { action: "Syncing" });
  recorder.event(pod(), "Normal", "Synced", "m");
  await all.flush();
  expect([requests, errors]).toEqual([
    ["POST", "POST"],
    [expect.stringMatching(/^the server rejected event ns-\d+\/web\.\w+: .*reportingController: Invalid value/)],
  ]);
});

test("close() of an event recorder writes the waiting events, retries refused ones once, and then accepts no more", async () => {
  const all = broadcaster();
  const recorder = all.recorder({ component: "c" });
  faults = ["refused"];
  recorder.event(pod(), "Normal", "A", "m");
  recorder.event(pod(), "Normal", "B", "m");
  await settle();
  await all.close();
  await all.close();
  expect((await events()).map(({ reason }) => String(reason)).sort()).toEqual(["A", "B"]);
  recorder.event(pod(), "Normal", "C", "m");
  expect(errors.at(-1)).toMatch(/^dropped event .* \(C\): the broadcaster is closed$/);
});

test("close() of an event recorder writes the count of a series that has not ended", async () => {
  const all = broadcaster();
  const recorder = all.recorder({ component: "example.com/c", host: "h" });
  for (let times = 0; times < 5; times += 1) recorder.event(pod(), "Normal", "Synced", "m", { action: "Syncing" });
  await all.close();
  expect((await events("events.k8s.io")).map((event) => event["series"])).toEqual([
    { count: 5, lastObservedTime: "2026-01-01T00:00:00.000000Z" },
  ]);
});
