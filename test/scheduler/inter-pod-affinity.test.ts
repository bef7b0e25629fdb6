import { describe, expect, test } from "vitest";
import type { Affinity, Namespace, Pod, PodAffinityTerm } from "../../src/api/types/core/v1.js";
import type { LabelSelector } from "../../src/api/types/meta/v1.js";
import type { SchedulerCache } from "../../src/scheduler/cache/scheduler-cache.js";
import { imageLocality, imageScore } from "../../src/scheduler/plugins/image-locality.js";
import {
  interPodAffinity,
  type InterPodAffinityArgs,
} from "../../src/scheduler/plugins/inter-pod-affinity/inter-pod-affinity.js";
import { cacheOf, following, node, placed, pod, type PodShape, scored } from "./cluster-state.js";

const HOST = "kubernetes.io/hostname";
const db = { app: "db" };
const term = (more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: "zone",
  labelSelector: { matchLabels: db },
  ...more,
});
const near = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const apart = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const namespaces: Namespace[] = [
  { metadata: { name: "default", labels: { team: "a" } } },
  { metadata: { name: "other", labels: { team: "b" } } },
];
const plugin = (cache: SchedulerCache, args?: InterPodAffinityArgs) =>
  interPodAffinity({ kinds: following({ Namespace: namespaces }), nodes: cache }, args);
/** Nodes a1 and a2 in zone a, and b1 in zone b. */
const zoned = (pods: readonly Pod[] = []): SchedulerCache =>
  cacheOf(
    ["a1", "b1", "a2"].map((name) => node(name, { labels: { zone: name.slice(0, 1) } })),
    pods,
  );
const on = (nodeName: string, shape: PodShape = {}): Pod => pod(`db-${nodeName}`, { labels: db, nodeName, ...shape });

describe("the scheduler plugin InterPodAffinity filters nodes:", () => {
  const NO_AFFINITY = "0/3 nodes are available: 3 node(s) didn't match pod affinity rules.";
  test.each<[string, Pod[], PodShape, string]>([
    [
      "AFF-3 a pod goes to the domain of the pods that it wants to be near",
      [on("b1")],
      { affinity: near(term()) },
      "b1",
    ],
    ["AFF-3 any node of the domain will do", [on("a1")], { affinity: near(term()) }, "a1|a2"],
    [
      "AFF-3 with the host as domain the node itself",
      [on("a2")],
      { affinity: near(term({ topologyKey: HOST })) },
      "a2",
    ],
    ["without such pods no node fits", [], { affinity: near(term()) }, NO_AFFINITY],
    [
      "the first pod of a group that wants to be near itself fits",
      [],
      { labels: db, affinity: near(term()) },
      "a1|a2|b1",
    ],
    [
      "but not on nodes without the label",
      [],
      { labels: db, affinity: near(term({ topologyKey: "rack" })) },
      NO_AFFINITY,
    ],
    [
      "pods of another namespace do not count",
      [on("b1", { namespace: "other" })],
      { affinity: near(term()) },
      NO_AFFINITY,
    ],
    [
      "unless the term names it",
      [on("b1", { namespace: "other" })],
      { affinity: near(term({ namespaces: ["other"] })) },
      "b1",
    ],
    [
      "or selects it by its labels",
      [on("b1", { namespace: "other" })],
      { affinity: near(term({ namespaceSelector: { matchLabels: { team: "b" } } })) },
      "b1",
    ],
    [
      "a namespace with other labels is not selected",
      [on("b1", { namespace: "other" })],
      { affinity: near(term({ namespaceSelector: { matchLabels: { team: "c" } } })) },
      NO_AFFINITY,
    ],
    [
      "an empty namespaceSelector selects all",
      [on("b1", { namespace: "other" })],
      { affinity: near(term({ namespaceSelector: {} })) },
      "b1",
    ],
    [
      "all terms must have a pod",
      [on("b1")],
      { affinity: near(term(), term({ labelSelector: { matchLabels: { app: "x" } } })) },
      NO_AFFINITY,
    ],
    ["a term without a selector selects nothing", [on("b1")], { affinity: near({ topologyKey: "zone" }) }, NO_AFFINITY],
  ])("%s", (_title, pods, shape, expected) => {
    const cache = zoned(pods);
    const found = placed([plugin(cache)], cache, pod("new", shape));
    if (expected.startsWith("0/")) expect(found).toBe(expected);
    else expect(expected.split("|")).toContain(found);
  });

  test.each<[string, Pod[], PodShape, string]>([
    [
      "AFF-4 a pod stays away from the domain of the pods that it selects",
      [on("a1")],
      { affinity: apart(term()) },
      "b1",
    ],
    [
      "AFF-4 with the host as domain other nodes of the zone fit",
      [on("a1"), on("b1")],
      { affinity: apart(term({ topologyKey: HOST })) },
      "a2",
    ],
    [
      "AFF-4 where every domain has one no node fits",
      [on("a1"), on("b1")],
      { affinity: apart(term()) },
      "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.",
    ],
    ["a node without the label fits", [on("a1")], { affinity: apart(term({ topologyKey: "rack" })) }, "a1|a2|b1"],
    [
      "a pod stays away from pods that want to be apart from it",
      [on("a1", { affinity: apart(term()) }), on("b1", { affinity: apart(term()) })],
      { labels: db },
      "0/3 nodes are available: 3 node(s) didn't satisfy existing pods anti-affinity rules.",
    ],
    ["other pods do not mind", [on("a1", { affinity: apart(term()) })], { labels: { app: "web" } }, "a1|a2|b1"],
    [
      "pods of other namespaces do not mind",
      [on("a1", { namespace: "other", affinity: apart(term()) })],
      { labels: db },
      "a1|a2|b1",
    ],
    [
      "each node has the first reason that holds",
      [
        on("a1"),
        on("b1", { labels: { app: "x" }, affinity: apart(term({ labelSelector: { matchLabels: { app: "new" } } })) }),
      ],
      { labels: { app: "new" }, affinity: apart(term()) },
      "0/3 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules, 2 node(s) didn't match pod anti-affinity rules.",
    ],
  ])("%s", (_title, pods, shape, expected) => {
    const cache = zoned(pods);
    const found = placed([plugin(cache)], cache, pod("new", shape));
    if (expected.startsWith("0/")) expect(found).toBe(expected);
    else expect(expected.split("|")).toContain(found);
  });
});

describe("the scheduler plugin InterPodAffinity scores nodes:", () => {
  const weighted = (weight: number, more: Partial<PodAffinityTerm> = {}) => ({ weight, podAffinityTerm: term(more) });
  const prefersNear = (...terms: ReturnType<typeof weighted>[]): Affinity => ({
    podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms },
  });
  const prefersApart = (...terms: ReturnType<typeof weighted>[]): Affinity => ({
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms },
  });
  const web: LabelSelector = { matchLabels: { app: "web" } };
  test.each<[string, Pod[], PodShape, InterPodAffinityArgs | undefined, Record<string, number>]>([
    [
      "AFF-2 preferred affinity draws pods near",
      [on("b1")],
      { affinity: prefersNear(weighted(5)) },
      undefined,
      { a1: 0, b1: 100, a2: 0 },
    ],
    [
      "AFF-2 preferred anti-affinity keeps them apart",
      [on("b1")],
      { affinity: prefersApart(weighted(5)) },
      undefined,
      { a1: 100, b1: 0, a2: 100 },
    ],
    [
      "weights add up",
      [on("a1"), on("b1")],
      { affinity: prefersNear(weighted(10), weighted(30, { topologyKey: HOST })) },
      undefined,
      { a1: 100, b1: 100, a2: 0 },
    ],
    [
      "a pod of affinity to the new one draws it",
      [on("b1", { affinity: near(term({ labelSelector: web })) })],
      { labels: { app: "web" } },
      undefined,
      { a1: 0, b1: 100, a2: 0 },
    ],
    [
      "unless hardPodAffinityWeight is 0",
      [on("b1", { affinity: near(term({ labelSelector: web })) })],
      { labels: { app: "web" } },
      { hardPodAffinityWeight: 0 },
      { a1: 0, b1: 0, a2: 0 },
    ],
    [
      "pods that prefer to be near the new one draw it",
      [on("b1", { affinity: prefersNear(weighted(1, { labelSelector: web })) })],
      { labels: { app: "web" } },
      undefined,
      { a1: 0, b1: 100, a2: 0 },
    ],
    [
      "pods that prefer to be apart push it away",
      [on("b1", { affinity: prefersApart(weighted(1, { labelSelector: web })) })],
      { labels: { app: "web" } },
      undefined,
      { a1: 100, b1: 0, a2: 100 },
    ],
    [
      "the profile may ignore what existing pods prefer",
      [on("b1", { affinity: prefersApart(weighted(1, { labelSelector: web })) })],
      { labels: { app: "web" } },
      { ignorePreferredTermsOfExistingPods: true },
      { a1: 0, b1: 0, a2: 0 },
    ],
    ["without terms there is no score", [on("b1")], {}, undefined, { a1: 0, b1: 0, a2: 0 }],
  ])("%s", (_title, pods, shape, args, expected) => {
    const cache = zoned(pods);
    const scores = scored(plugin(cache, args), cache, pod("new", shape));
    expect(scores).toEqual(expected);
  });
});

describe("the scheduler plugin ImageLocality", () => {
  const MIB = 1024 * 1024;
  test.each([
    ["23 MiB or less scores 0", 23 * MIB, 1, 0],
    ["1000 MiB scores 100", 1000 * MIB, 1, 100],
    ["more scores no more", 5000 * MIB, 1, 100],
    ["511.5 MiB is half way", 511.5 * MIB, 1, 50],
    ["of two images twice as much is needed", 1000 * MIB, 2, 49],
  ])("%s", (_title, bytes, images, expected) => {
    expect(imageScore(bytes, images)).toBe(expected);
  });

  const big = { names: ["registry/app:1"], sizeBytes: 1000 * MIB };
  test.each<[string, string, Record<string, number>]>([
    ["a node with the image scores by its size and how many nodes have it", "registry/app:1", { a: 48, b: 0 }],
    ["another tag is another image", "registry/app:2", { a: 0, b: 0 }],
    ["an image without a tag is :latest", "registry/app", { a: 0, b: 0 }],
  ])("%s", (_title, image, expected) => {
    const cache = cacheOf([node("a", { images: [big] }), node("b")]);
    expect(scored(imageLocality({ nodes: cache }), cache, pod("p", { containers: [{ image }] }))).toEqual(expected);
  });
});
