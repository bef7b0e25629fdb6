import { describe, expect, test } from "vitest";
import type { Pod, Taint, TopologySpreadConstraint } from "../../src/api/types/core/v1.js";
import type { SchedulerCache } from "../../src/scheduler/cache/scheduler-cache.js";
import type { ApiObject } from "../../src/machinery/meta/object.js";
import type { SchedulerPlugin } from "../../src/scheduler/framework/plugin.js";
import { unschedulable } from "../../src/scheduler/framework/status.js";
import { podTopologySpread } from "../../src/scheduler/plugins/topology-spread/pod-topology-spread.js";
import { cacheOf, following, node, placed, pod, type PodShape, scored } from "./cluster-state.js";

const web = { app: "web" };
const TOO_MANY = "node(s) didn't match pod topology spread constraints";
const ZONE = "zone";
const constraint = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: ZONE,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: web },
  ...more,
});
const spread = (constraints: readonly TopologySpreadConstraint[], shape: PodShape = {}): Pod =>
  pod("new", { labels: web, topologySpreadConstraints: [...constraints], ...shape });
/** Zones with so many pods "web" each, all on the zone's one node of the same name. */
const zones = (counts: Record<string, number>, shape: PodShape = {}): SchedulerCache =>
  cacheOf(
    Object.keys(counts).map((name) => node(name, { labels: { [ZONE]: name } })),
    Object.entries(counts).flatMap(([name, count]) =>
      Array.from({ length: count }, (_, index) => pod(`${name}${index}`, { labels: web, nodeName: name, ...shape })),
    ),
  );
/** Leaves one node. */
const only = (wanted: string): SchedulerPlugin => ({
  name: "Only",
  filter: (_state, _info, { name }) => (name === wanted ? undefined : unschedulable("Only", `not ${wanted}`)),
});
const plugin = (cache: SchedulerCache) => podTopologySpread({ kinds: following(), nodes: cache });

describe("the scheduler plugin PodTopologySpread filters nodes:", () => {
  test.each<[string, Record<string, number>, Partial<TopologySpreadConstraint>[], PodShape, string]>([
    ["the domain with fewer pods fits", { a: 1, b: 0 }, [{}], {}, "b"],
    ["the skew may reach maxSkew", { a: 1 }, [{}], {}, "a"],
    ["a larger maxSkew lets more pods in", { a: 2, b: 1 }, [{ maxSkew: 1 }], {}, "b"],
    [
      "a node without the label does not fit",
      { a: 0 },
      [{ topologyKey: "rack" }],
      {},
      `0/1 nodes are available: 1 ${TOO_MANY} (missing required label).`,
    ],
    [
      "too few domains for minDomains: the least count is 0",
      { a: 1 },
      [{ minDomains: 2 }],
      {},
      `0/1 nodes are available: 1 ${TOO_MANY}.`,
    ],
    [
      "enough domains for minDomains: the least count is that of a domain",
      { a: 1, b: 1 },
      [{ minDomains: 2 }],
      { nodeSelector: {} },
      "a|b",
    ],
    ["constraints that may be broken filter nothing", { a: 5 }, [{ whenUnsatisfiable: "ScheduleAnyway" }], {}, "a"],
    [
      "all constraints must hold",
      { a: 0, b: 1 },
      [{}, { topologyKey: "rack" }],
      {},
      `0/2 nodes are available: 2 ${TOO_MANY} (missing required label).`,
    ],
    ["a selector that matches everything counts no pod", { a: 3, b: 0 }, [{ labelSelector: {} }], {}, "a|b"],
  ])("%s", (_title, counts, constraints, shape, expected) => {
    const cache = zones(counts);
    expect(expected.split("|")).toContain(placed([plugin(cache)], cache, spread(constraints.map(constraint), shape)));
  });

  test.each<[string, PodShape, string]>([
    ["pods of other namespaces do not count", { namespace: "other" }, "a|b"],
    ["pods that terminate do not count", { deletionTimestamp: "2026-01-01T00:00:00Z" }, "a|b"],
    ["pods with other labels do not count", { labels: { app: "db" } }, "a|b"],
    ["pods of the namespace with the labels do", {}, "b"],
  ])("%s", (_title, shape, expected) => {
    const cache = zones({ a: 1, b: 0 }, shape);
    expect(expected.split("|")).toContain(placed([plugin(cache)], cache, spread([constraint()])));
  });

  const OTHER_TAINT = [{ key: "k", effect: "NoSchedule" as const }];
  test.each<[string, Partial<TopologySpreadConstraint>, PodShape, Taint[], boolean]>([
    ["an empty zone counts", {}, {}, [], false],
    ["a pod that the selector does not match adds nothing", {}, { labels: { app: "other" } }, [], true],
    ["a zone that the nodeSelector leaves out does not count", {}, { nodeSelector: { [ZONE]: "a" } }, [], true],
    [
      "with nodeAffinityPolicy Ignore it counts",
      { nodeAffinityPolicy: "Ignore" },
      { nodeSelector: { [ZONE]: "a" } },
      [],
      false,
    ],
    ["a zone of tainted nodes counts", {}, {}, OTHER_TAINT, false],
    ["with nodeTaintsPolicy Honor it does not", { nodeTaintsPolicy: "Honor" }, {}, OTHER_TAINT, true],
  ])("%s", (_title, more, shape, taints, fits) => {
    const cache = cacheOf(
      [node("a", { labels: { [ZONE]: "a" } }), node("b", { labels: { [ZONE]: "b" }, taints })],
      [1, 2].map((n) => pod(`old${n}`, { labels: web, nodeName: "a" })),
    );
    const outcome = placed([plugin(cache), only("a")], cache, spread([constraint({ maxSkew: 2, ...more })], shape));
    expect(outcome).toBe(fits ? "a" : `0/2 nodes are available: 1 ${TOO_MANY}, 1 not a.`);
  });

  test("the message counts nodes by reason", () => {
    const cache = cacheOf(
      [node("a", { labels: { [ZONE]: "a" } }), node("c")],
      [pod("old", { labels: web, nodeName: "a" })],
    );
    expect(placed([plugin(cache)], cache, spread([constraint({ minDomains: 3 })]))).toBe(
      `0/2 nodes are available: 1 ${TOO_MANY}, 1 ${TOO_MANY} (missing required label).`,
    );
  });
});

describe("the scheduler plugin PodTopologySpread scores nodes:", () => {
  const anyway = (more: Partial<TopologySpreadConstraint> = {}) =>
    constraint({ whenUnsatisfiable: "ScheduleAnyway", ...more });
  test.each<[string, Record<string, number>, TopologySpreadConstraint[], Record<string, number>]>([
    ["fewer pods score higher", { a: 0, b: 1, c: 2 }, [anyway()], { a: 100, b: 33, c: 0 }],
    ["no pods anywhere: all score 100", { a: 0, b: 0 }, [anyway()], { a: 100, b: 100 }],
    ["equal counts score equally", { a: 2, b: 2 }, [anyway()], { a: 100, b: 100 }],
    [
      "hosts count their own pods",
      { a: 1, b: 0 },
      [anyway({ topologyKey: "kubernetes.io/hostname" })],
      { a: 0, b: 100 },
    ],
    ["required constraints do not score", { a: 1, b: 0 }, [constraint()], { a: 0, b: 0 }],
  ])("%s", (_title, counts, constraints, expected) => {
    const cache = zones(counts);
    expect(scored(plugin(cache), cache, spread(constraints))).toEqual(expected);
  });

  test("a node without a label of the constraints scores 0", () => {
    const cache = cacheOf([node("a", { labels: { [ZONE]: "a" } }), node("b")]);
    expect(scored(plugin(cache), cache, spread([anyway()]))).toEqual({ a: 100, b: 0 });
  });

  const service = { metadata: { name: "web", namespace: "default" }, spec: { selector: web } };
  const set = { metadata: { name: "web-1", namespace: "default" }, spec: { selector: { matchLabels: web } } };
  const owned = (kind: string): Pod => ({
    ...pod("new", { labels: web }),
    metadata: {
      ...pod("new", { labels: web }).metadata,
      ownerReferences: [{ apiVersion: "apps/v1", kind, name: "web-1", uid: "1", controller: true }],
    },
  });
  test.each<[string, Record<string, ApiObject[]>, Pod, Record<string, number>]>([
    [
      "a pod of a Service is spread over hosts by default",
      { Service: [service] },
      pod("new", { labels: web }),
      { a: 33, b: 100 },
    ],
    ["a pod of a ReplicaSet is", { ReplicaSet: [set] }, owned("ReplicaSet"), { a: 33, b: 100 }],
    ["a pod of a StatefulSet is", { StatefulSet: [set] }, owned("StatefulSet"), { a: 33, b: 100 }],
    ["a pod of neither is not", {}, pod("new", { labels: web }), { a: 0, b: 0 }],
    [
      "a Service that selects other pods does not count",
      { Service: [{ ...service, spec: { selector: { app: "db" } } } as ApiObject] },
      pod("new", { labels: web }),
      { a: 0, b: 0 },
    ],
    [
      "a Service without a selector does not count",
      { Service: [{ ...service, spec: {} } as ApiObject] },
      pod("new", { labels: web }),
      { a: 0, b: 0 },
    ],
  ])("%s", (_title, objects, of, expected) => {
    const cache = cacheOf(
      [node("a"), node("b")],
      [1, 2, 3].map((n) => pod(`o${n}`, { labels: web, nodeName: "a" })),
    );
    expect(scored(podTopologySpread({ kinds: following(objects), nodes: cache }), cache, of)).toEqual(expected);
  });

  test("the profile's own default constraints filter nodes for pods of a Service", () => {
    const cache = zones({ a: 1, b: 0 });
    const listed = podTopologySpread(
      { kinds: following({ Service: [service] }), nodes: cache },
      {
        defaultingType: "List",
        defaultConstraints: [{ maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: "DoNotSchedule" }],
      },
    );
    expect(placed([listed], cache, pod("new", { labels: web }))).toBe("b");
  });
});
