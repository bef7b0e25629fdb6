import { beforeEach, describe, expect, test } from "vitest";
import { podInfo } from "../../src/scheduler/cache/pod-info.js";
import {
  Action,
  ANY_EVENT,
  type ClusterEvent,
  type EventHint,
  matchesEvent,
} from "../../src/scheduler/framework/cluster-event.js";
import type { SchedulerPlugin } from "../../src/scheduler/framework/plugin.js";
import { pending, unresolvable } from "../../src/scheduler/framework/status.js";
import { NO_NODES } from "../../src/scheduler/plugins/names.js";
import { schedulingGates } from "../../src/scheduler/plugins/queue-plugins.js";
import { KeyedHeap } from "../../src/base/collections/keyed-heap.js";
import { backoffDuration, DEFAULT_BACKOFF, type QueuedPod } from "../../src/scheduler/queue/queued-pod.js";
import { rulesOf } from "../../src/scheduler/queue/queueing-rules.js";
import { SchedulingQueue } from "../../src/scheduler/queue/scheduling-queue.js";
import { ManualTime } from "../helpers/manual-time.js";
import { pod, type PodShape, profileOf } from "./cluster-state.js";

const NODE_ADDED: ClusterEvent = { resource: "Node", action: Action.add };
const POD_GONE: ClusterEvent = { resource: "AssignedPod", action: Action.delete };

let time: ManualTime;
let queue: SchedulingQueue;
/** What the plugin "Gate" keeps back. */
const gated = new Set<string>();

beforeEach(() => {
  time = new ManualTime();
  gated.clear();
  const plugins: SchedulerPlugin[] = [
    schedulingGates(),
    { name: "Nodes", events: [{ resource: "Node", action: Action.add }] },
    {
      name: "Pods",
      events: [{ resource: "AssignedPod", action: Action.delete, hint: (_pod, before) => before === "helps" }],
    },
    { name: "Everything" },
    {
      name: "Gate",
      events: [{ resource: "Node", action: Action.delete }],
      preEnqueue: ({ metadata }) => (gated.has(metadata?.name ?? "") ? unresolvable("Gate", "kept back") : undefined),
    },
  ];
  queue = new SchedulingQueue({
    clock: time,
    timers: time,
    backoff: DEFAULT_BACKOFF,
    rules: rulesOf(new Map([["default-scheduler", profileOf(plugins)]])),
    onReady: () => {},
  });
});

const info = (name: string, shape: PodShape = {}) => podInfo(pod(name, shape));
const add = (name: string, shape: PodShape = {}): void => queue.add(info(name, shape));
const next = (): string | undefined => queue.pop()?.info.name;

/** Tries the next pod and rejects it. */
function reject(...plugins: readonly string[]): QueuedPod {
  const queued = queue.pop() as QueuedPod;
  queued.rejectedBy = new Set(plugins);
  queue.reject(queued);
  return queued;
}

describe("the scheduler's active queue", () => {
  test("SCQ-1 returns pods of higher priority first, and of equal priority the older", () => {
    add("old");
    time.pass(10);
    add("young");
    add("high", { priority: 1000 });
    add("low", { priority: -5 });
    expect([next(), next(), next(), next()]).toEqual(["high", "old", "young", "low"]);
  });

  test("PRC-5 returns high, mid and low in that order", () => {
    for (const [name, priority] of [
      ["low", 1],
      ["high", 3],
      ["mid", 2],
    ] as const)
      add(name, { priority });
    expect([next(), next(), next()]).toEqual(["high", "mid", "low"]);
  });

  test("returns nothing while it is empty: the scheduler waits for onReady (SCQ-2 blocks)", () => {
    expect(next()).toBeUndefined();
  });

  test("returns the newest state of a waiting pod", () => {
    add("a");
    add("b");
    queue.update(info("b"), info("b", { priority: 5 }), []);
    expect(next()).toBe("b");
  });

  test("drops a deleted pod", () => {
    add("a");
    queue.delete("default/a");
    expect(next()).toBeUndefined();
  });

  test("counts the attempts of a pod", () => {
    add("a");
    reject("Nodes");
    queue.move(NODE_ADDED, undefined, {});
    expect(queue.pop()?.attempts).toBe(2);
  });
});

describe("a pod that the scheduler has rejected", () => {
  test.each<[string, readonly string[], ClusterEvent, unknown, boolean]>([
    ["comes back by an event that its plugin has registered", ["Nodes"], NODE_ADDED, undefined, true],
    ["stays for an event of another resource", ["Nodes"], POD_GONE, "helps", false],
    ["stays for another action", ["Nodes"], { resource: "Node", action: Action.nodeLabel }, undefined, false],
    ["comes back where the hint says so", ["Pods"], POD_GONE, "helps", true],
    ["stays where the hint says no", ["Pods"], POD_GONE, "does not", false],
    ["comes back when one of its plugins asks for it", ["Nodes", "Pods"], POD_GONE, "helps", true],
    [
      "comes back by any event where a plugin has registered none",
      ["Everything"],
      { resource: "CSINode", action: Action.add },
      undefined,
      true,
    ],
    ["comes back by the event of all", ["Nodes"], ANY_EVENT, undefined, true],
    ["that met no node comes back by a node", [NO_NODES], NODE_ADDED, undefined, true],
    ["that met no node stays for others", [NO_NODES], POD_GONE, "helps", false],
  ])("%s", (_title, plugins, event, before, comes) => {
    add("a");
    reject(...plugins);
    expect(queue.sizes.unschedulable).toBe(1);
    queue.move(event, before, {});
    expect(next()).toBe(comes ? "a" : undefined);
  });

  test("comes back after five minutes without an event", () => {
    add("a");
    reject("Nodes");
    time.pass(5 * 60_000 - 1);
    expect(next()).toBeUndefined();
    time.pass(1);
    expect(next()).toBe("a");
  });

  test("comes back when it changes so that it may fit", () => {
    add("a", { labels: { x: "1" } });
    reject("Everything");
    queue.update(info("a"), info("a", { labels: { x: "2" } }), [
      { resource: "UnscheduledPod", action: Action.podLabel },
    ]);
    expect(next()).toBe("a");
  });

  test("returns only when the plugin's hint function agrees", () => {
    add("a", { priority: 5 });
    reject("Nodes");
    queue.move(NODE_ADDED, undefined, {}, ({ priority }) => priority < 5);
    expect(next()).toBeUndefined();
  });

  test("becomes active at once when a plugin activates it", () => {
    add("a");
    reject("Nodes");
    queue.activate("default/a");
    expect(queue.sizes).toEqual({ active: 1, backoff: 0, unschedulable: 0, gated: 0 });
  });
});

describe("the scheduler's backoff of a pod", () => {
  test.each([
    [0, 0],
    [1, 1000],
    [2, 2000],
    [3, 4000],
    [4, 8000],
    [5, 10_000],
    [50, 10_000],
  ])("SCQ-1 after %i failures lasts %i ms", (count, expected) => {
    expect(backoffDuration(DEFAULT_BACKOFF, count)).toBe(expected);
  });

  test("delays a moved pod while others are active, and ends early when nothing else is", () => {
    add("a");
    reject("Nodes");
    add("b");
    queue.move(NODE_ADDED, undefined, {});
    expect(queue.sizes).toMatchObject({ active: 1, backoff: 1 });
    expect([next(), next()]).toEqual(["b", "a"]);
  });

  test("ends, and the moved pod is active", () => {
    add("a");
    reject("Nodes");
    time.pass(1000);
    queue.move(NODE_ADDED, undefined, {});
    expect(queue.sizes).toMatchObject({ active: 1, backoff: 0 });
  });

  test("also applies to a pod whose attempt failed with an error, which returns by itself", () => {
    add("a");
    reject();
    expect(next()).toBeUndefined();
    time.pass(999);
    expect(next()).toBeUndefined();
    time.pass(1);
    expect(next()).toBe("a");
  });

  test("doubles with errors in a row", () => {
    add("a");
    reject();
    time.pass(1000);
    reject();
    time.pass(1999);
    expect(next()).toBeUndefined();
    time.pass(1);
    expect(next()).toBe("a");
  });

  test("is skipped by a pod that a plugin let wait for something outside of the scheduler", () => {
    add("a");
    const queued = queue.pop() as QueuedPod;
    queued.pendingBy = new Set([pending("Nodes", "").plugin]);
    queue.reject(queued);
    queue.move(NODE_ADDED, undefined, {});
    expect(queue.sizes).toMatchObject({ active: 1, backoff: 0 });
  });
});

describe("a pod with scheduling gates", () => {
  const kept = { schedulingGates: [{ name: "example.com/quota" }] };
  test("waits outside of the active queue", () => {
    add("a", kept);
    expect([next(), queue.sizes.gated]).toEqual([undefined, 1]);
  });

  test("becomes active when its last gate is removed", () => {
    add("a", kept);
    queue.update(info("a", kept), info("a"), [{ resource: "UnscheduledPod", action: Action.podGatesEliminated }]);
    expect([next(), queue.sizes.gated]).toEqual(["a", 0]);
  });

  test("stays when only one of its gates is removed", () => {
    add("a", { schedulingGates: [{ name: "x" }, { name: "y" }] });
    queue.update(info("a", kept), info("a", kept), [{ resource: "UnscheduledPod", action: Action.other }]);
    expect(next()).toBeUndefined();
  });

  test("is not moved by events of other plugins", () => {
    add("a", kept);
    queue.move(NODE_ADDED, undefined, {});
    queue.move(ANY_EVENT, undefined, {});
    time.pass(10 * 60_000);
    expect(next()).toBeUndefined();
  });

  test("is tried again by an event that its plugin has registered", () => {
    gated.add("a");
    add("a");
    queue.move({ resource: "Node", action: Action.delete }, {}, undefined);
    expect(next()).toBeUndefined();
    gated.clear();
    queue.move({ resource: "Node", action: Action.delete }, {}, undefined);
    expect(next()).toBe("a");
  });
});

describe("a pod that is being scheduled", () => {
  test("returns to the queue by an event that happened meanwhile", () => {
    add("a");
    const queued = queue.pop() as QueuedPod;
    queue.move(NODE_ADDED, undefined, {});
    queued.rejectedBy = new Set(["Nodes"]);
    queue.reject(queued);
    expect(queue.sizes.unschedulable).toBe(0);
  });

  test("does not return by an event from before", () => {
    queue.move(NODE_ADDED, undefined, {});
    add("a");
    reject("Nodes");
    expect(queue.sizes.unschedulable).toBe(1);
  });

  test("does not return when it was bound", () => {
    add("a");
    queue.pop();
    queue.done("default/a");
    queue.move(NODE_ADDED, undefined, {});
    expect(queue.sizes).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 0 });
  });

  test("that is deleted is forgotten", () => {
    add("a");
    queue.pop();
    queue.delete("default/a");
    expect(queue.isInFlight("default/a")).toBe(false);
  });
});

test("the scheduler's queue runs no timer while every pod is active or there is none", () => {
  add("a");
  queue.pop();
  queue.done("default/a");
  expect(time.pending).toBe(0);
});

test("the scheduler's queue ends its timer when it stops", () => {
  add("a");
  reject("Nodes");
  queue.stop();
  expect(time.pending).toBe(0);
});

test.each<[string, EventHint, ClusterEvent, boolean]>([
  ["the same resource and action", NODE_ADDED, NODE_ADDED, true],
  ["one action of several", { resource: "Node", action: Action.add | Action.nodeTaint }, NODE_ADDED, true],
  [
    "an update of one kind by all updates",
    { resource: "Node", action: Action.update },
    { resource: "Node", action: Action.nodeTaint },
    true,
  ],
  ["another action", { resource: "Node", action: Action.delete }, NODE_ADDED, false],
  ["another resource", POD_GONE, NODE_ADDED, false],
  ["pods of both kinds by Pod", { resource: "Pod", action: Action.delete }, POD_GONE, true],
  ["everything by the wildcard", ANY_EVENT, NODE_ADDED, true],
  ["the wildcard by one resource", NODE_ADDED, ANY_EVENT, false],
])("an event of the cluster matches one that a plugin registered: %s", (_title, registered, event, expected) => {
  expect(matchesEvent(registered, event)).toBe(expected);
});

test("the scheduler's heap keeps its order through changes and deletions anywhere", () => {
  const heap = new KeyedHeap<[string, number]>(
    ([key]) => key,
    (a, b) => a[1] - b[1],
  );
  for (let index = 0; index < 100; index++) heap.push([`k${index}`, (index * 37) % 101]);
  for (let index = 0; index < 100; index += 3) heap.delete(`k${index}`);
  for (let index = 1; index < 100; index += 3) heap.push([`k${index}`, (index * 53) % 97]);
  const out: number[] = [];
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) out.push(item[1]);
  expect(out).toHaveLength(66);
  expect(out).toEqual(out.toSorted((a, b) => a - b));
});
