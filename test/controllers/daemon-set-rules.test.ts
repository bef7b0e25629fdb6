import { describe, expect, test } from "vitest";
import type { DaemonSet } from "../../src/api/types/apps/v1.js";
import type { Node, Pod, PodSpec, Taint } from "../../src/api/types/core/v1.js";
import { fitOn, nodeOf, templateFor } from "../../src/controllers/daemon-set/daemon-pod.js";
import { FailedPodsBackoff, daemonSetStatus } from "../../src/controllers/daemon-set/daemon-set-controller.js";
import { type DaemonState, manage } from "../../src/controllers/daemon-set/manage.js";
import { rollingUpdate } from "../../src/controllers/daemon-set/rolling-update.js";
import { FixedClock } from "../helpers/fixed-clock.js";

const NOW = Date.parse("2026-01-01T00:10:00Z");

function setOf(more: object = {}, spec: Partial<PodSpec> = {}): DaemonSet {
  const template = { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "c" }], ...spec } };
  return {
    metadata: {
      name: "agent",
      namespace: "shop",
      uid: "set",
      generation: 4,
      annotations: { "deprecated.daemonset.template.generation": "2" },
    },
    spec: { selector: { matchLabels: { app: "agent" } }, template, ...more },
  };
}
const rolling = (maxUnavailable: number | string, maxSurge: number | string = 0): object => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } },
});

/** "a" is a node; "a!" takes no new pods, "a!!" evicts those there are, "a-" lacks the label that is asked for. */
function nodeFrom(text: string): Node {
  const name = text.replace(/[!-]+$/, "");
  const effect = text.endsWith("!!") ? "NoExecute" : "NoSchedule";
  return {
    metadata: { name, labels: text.endsWith("-") ? {} : { role: "worker" } },
    spec: text.endsWith("!") ? { taints: [{ key: "k", effect }] } : {},
  };
}

let born = 0;
/**
 * "a" is a pod on node a, available and of the current revision. Behind a slash: "o" of an old revision, "h" of the
 * current template with another hash, "n" not ready, "f" failed,
 * "s" succeeded, "t" being deleted, "u" meant for its node and not bound, "y" ready since 5 seconds. Later ones are younger.
 */
function podFrom(text: string): Pod {
  const [node = "", flags = ""] = text.split("/");
  const has = (flag: string): boolean => flags.includes(flag);
  const { metadata, spec } = templateFor(setOf(), node, has("o") || has("h") ? "old" : "new");
  const phase = has("f") ? "Failed" : has("s") ? "Succeeded" : "Running";
  const ready = phase === "Running" && !has("n");
  return {
    metadata: {
      ...metadata,
      labels: { ...metadata?.labels, ...(has("o") && { "pod-template-generation": "1" }) },
      name: text,
      namespace: "shop",
      creationTimestamp: new Date(NOW - 3_600_000 + 1000 * born++).toISOString(),
      ...(has("t") && { deletionTimestamp: "2026-01-01T00:09:00Z" }),
    },
    spec: { ...(spec as PodSpec), ...(!has("u") && { nodeName: node }) },
    status: {
      phase,
      conditions: [
        {
          type: "Ready",
          status: ready ? "True" : "False",
          lastTransitionTime: has("y") ? "2026-01-01T00:09:55Z" : "2026-01-01T00:00:00Z",
        },
      ],
    },
  };
}

const split = (text: string): string[] => (text === "" ? [] : text.split(" "));

function state(set: DaemonSet, nodes: string, pods: string): DaemonState {
  const podsOn = new Map<string, Pod[]>();
  for (const pod of split(pods).map(podFrom)) {
    const node = nodeOf(pod) ?? "";
    podsOn.set(node, [...(podsOn.get(node) ?? []), pod]);
  }
  return { set, nodes: split(nodes).map(nodeFrom), podsOn, hash: "new", now: NOW };
}

const shown = (steps: { readonly create: readonly string[]; readonly delete: readonly Pod[] }): string =>
  [...steps.create.map((node) => `+${node}`), ...steps.delete.map(({ metadata }) => `-${metadata?.name}`)].join(" ");

describe("on which nodes a DaemonSet's controller creates or deletes pods", () => {
  test.each([
    ["every node gets one", "a b", "", "+a +b"],
    ["a node that has one gets none", "a b", "a", "+b"],
    ["a node whose taint keeps pods away gets none", "a!", "", ""],
    ["a pod stays on a node that takes no new ones", "a!", "a", ""],
    ["a pod leaves a node whose taint evicts it", "a!!", "a", "-a"],
    ["a node waits for a pod that is being deleted", "a", "a/t", ""],
    ["a pod that is being deleted is not deleted again", "a!!", "a/t", ""],
    ["of two the younger goes", "a", "a a/o", "-a/o"],
    ["of two the one that is not bound goes", "a", "a/u a/o", "-a/u"],
    ["a failed pod is deleted", "a", "a/f", "-a/f"],
    ["a pod that ended is deleted", "a", "a/s", "-a/s"],
    ["a pod that waits for a node that is gone is deleted", "a", "a b/u", "-b/u"],
    ["a pod on a node that is gone is left to others", "a", "a b", ""],
  ])("%s", (_, nodes, pods, expected) => {
    expect(shown(manage(state(setOf(), nodes, pods), () => 0))).toBe(expected);
  });

  test("only on nodes that its node selector matches, and it deletes others", () => {
    const set = setOf({}, { nodeSelector: { role: "worker" } });
    expect(shown(manage(state(set, "a- b- c", "b"), () => 0))).toBe("+c -b");
  });

  test.each([
    ["an old and a new pod stay while the new one is not available", "a/o a/n", ""],
    ["the old pod goes when the new one is available", "a/o a", "-a/o"],
    ["the old pod goes when it is not ready", "a/on a/n", "-a/on"],
    ["the new pod must be ready for a while", "a/o a/y", ""],
    ["of two new ones the younger goes", "a a/n", "-a/n"],
    ["a pod that is being deleted has a successor at once", "a/ot", "+a"],
  ])("during an update with surge: %s", (_, pods, expected) => {
    const set = setOf({ ...rolling(0, 1), minReadySeconds: 10 });
    expect(shown(manage(state(set, "a", pods), () => 0))).toBe(expected);
  });

  test("but not on a node with a failed pod while the node's backoff lasts", () => {
    const steps = manage(state(setOf(), "a b", "a/f b/f"), (node) => (node === "a" ? 3000 : 0));
    expect([shown(steps), steps.retryAfter, steps.ended.map(({ node }) => node)]).toEqual(["-b/f", 3000, ["b"]]);
  });

  test.each([
    ["a taint of a node that is not ready", { key: "node.kubernetes.io/not-ready", effect: "NoExecute" }, true, true],
    ["a node that is cordoned", { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }, true, true],
    ["a node without network", { key: "node.kubernetes.io/network-unavailable", effect: "NoSchedule" }, false, true],
    ["a user's taint", { key: "k", effect: "NoSchedule" }, false, true],
    ["a user's taint that evicts", { key: "k", effect: "NoExecute" }, false, false],
    ["a preference", { key: "k", effect: "PreferNoSchedule" }, true, true],
  ])("as the node's taints allow, for example %s", (_, taint, mayRun, mayStay) => {
    const node = { metadata: { name: "a" }, spec: { taints: [taint as Taint] } };
    expect(fitOn(setOf(), node)).toEqual({ mayRun, mayStay });
  });

  test("also on nodes without a network, for pods in the host network", () => {
    const taints: Taint[] = [{ key: "node.kubernetes.io/network-unavailable", effect: "NoSchedule" }];
    const node = { metadata: { name: "a" }, spec: { taints } };
    expect(fitOn(setOf({}, { hostNetwork: true }), node).mayRun).toBe(true);
  });

  test.each([
    ["a", true],
    ["b", false],
  ])("a pod template with node affinity to node a fits on %s: %s", (name, fits) => {
    expect(fitOn(setOf({}, { nodeName: "a" }), { metadata: { name } })).toEqual({ mayRun: fits, mayStay: fits });
  });
});

describe("a rolling update of a DaemonSet deletes or creates pods so that it", () => {
  test.each([
    ["replaces as many as may be unavailable", rolling(1), "a b", "a/o b/o", "-a/o"],
    ["takes a percentage of the nodes, rounded up", rolling("50%"), "a b c", "a/o b/o c/o", "-a/o -b/o"],
    ["waits for the new pod", rolling(1), "a b", "a/n b/o", ""],
    ["waits for a new pod that is not long enough ready", { ...rolling(1), minReadySeconds: 10 }, "a b", "a/y b/o", ""],
    ["goes on when it is available", rolling(1), "a b", "a b/o", "-b/o"],
    ["counts a node without a pod as unavailable", rolling(1), "a b", "b/o", ""],
    ["counts a pod that is being deleted as unavailable", rolling(1), "a b", "a/ot b/o", ""],
    ["replaces old pods that are not available at once", rolling(1), "a b c", "a/on b/on c/o", "-a/on -b/on"],
    ["is done when all are new", rolling(1), "a b", "a b", ""],
    ["leaves pods of the template to which another version gave another hash", rolling(2), "a b", "a/h b/h", ""],
    ["replaces one where neither may be", rolling(0), "a b", "a/o b/o", "-a/o"],
    ["leaves nodes with too many pods alone", rolling(2), "a b", "a/o a/o b/o", "-b/o"],
  ])("%s", (_, more, nodes, pods, expected) => {
    expect(shown(rollingUpdate(state(setOf(more), nodes, pods)))).toBe(expected);
  });

  test.each([
    ["creates beside old pods", 1, "a b", "a/o b/o", "+a"],
    ["creates as many as may be more", "100%", "a b", "a/o b/o", "+a +b"],
    ["waits for the new pod", 1, "a b", "a/o a/n b/o", ""],
    ["deletes the old pod when the new one is available", 1, "a b", "a/o a b/o", "+b -a/o"],
    ["replaces old pods that are not available at once", 1, "a b c", "a/on b/on c/o", "+a +b +c"],
    ["deletes an old pod that does not serve, on a node that should have none", 1, "a b!", "a b/on", "-b/on"],
    ["keeps an old pod there while too few serve elsewhere", 1, "a b!", "a/n b/o", ""],
    ["deletes it when enough do", 1, "a b!", "a b/o", "-b/o"],
  ])("with surge %s", (_, surge, nodes, pods, expected) => {
    expect(shown(rollingUpdate(state(setOf(rolling(0, surge)), nodes, pods)))).toBe(expected);
  });
});

describe("the pod that a DaemonSet creates for a node", () => {
  test("has the revision's hash, the template's generation, default tolerations and the node", () => {
    const { metadata, spec } = templateFor(setOf(), "a", "h");
    expect(metadata?.labels).toEqual({ app: "agent", "controller-revision-hash": "h", "pod-template-generation": "2" });
    expect(spec?.tolerations?.map(({ key, effect }) => `${key?.slice(19)}:${effect}`)).toEqual([
      "not-ready:NoExecute",
      "unreachable:NoExecute",
      "disk-pressure:NoSchedule",
      "memory-pressure:NoSchedule",
      "pid-pressure:NoSchedule",
      "unschedulable:NoSchedule",
    ]);
    expect(nodeOf({ ...(spec && { spec }) })).toBe("a");
  });

  test("keeps the template's tolerations, and has a daemon's without a time limit", () => {
    const own = { key: "k", operator: "Exists" as const };
    const short = { key: "node.kubernetes.io/not-ready", operator: "Exists" as const, effect: "NoExecute" as const };
    const { spec } = templateFor(setOf({}, { tolerations: [own, { ...short, tolerationSeconds: 5 }] }), "a", "h");
    expect(spec?.tolerations?.slice(0, 2)).toEqual([own, short]);
    expect(spec?.tolerations).toHaveLength(7);
  });

  test("requires its node instead of the template's required affinity, and keeps preferences", () => {
    const preferred = [{ weight: 1, preference: {} }];
    const term = { matchExpressions: [{ key: "x", operator: "Exists" as const }] };
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
      },
    };
    expect(templateFor(setOf({}, { affinity }), "a", "h").spec?.affinity?.nodeAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["a"] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: preferred,
    });
  });

  test("counts for the node to which it is bound, whatever its affinity says", () => {
    const { spec } = podFrom("a");
    expect(nodeOf({ spec: { ...(spec as PodSpec), nodeName: "b" } })).toBe("b");
    expect(nodeOf({ spec: { containers: [] } })).toBeUndefined();
  });
});

describe("the status of a DaemonSet", () => {
  test.each([
    ["nodes without pods", "a b", "", { desiredNumberScheduled: 2, currentNumberScheduled: 0, numberUnavailable: 2 }],
    [
      "pods of both revisions",
      "a b c",
      "a b/o c/n",
      {
        desiredNumberScheduled: 3,
        currentNumberScheduled: 3,
        numberReady: 2,
        numberAvailable: 2,
        updatedNumberScheduled: 2,
      },
    ],
    ["a pod that is ready for a short time", "a", "a/y", { numberReady: 1, numberUnavailable: 1 }],
    ["a pod on a node that should have none", "a!", "a", { desiredNumberScheduled: 0, numberMisscheduled: 1 }],
    ["the oldest of two", "a", "a/n a", { currentNumberScheduled: 1, numberReady: 0 }],
  ])("counts %s", (_, nodes, pods, expected) => {
    const found = daemonSetStatus(state(setOf({ minReadySeconds: 10 }), nodes, pods), true);
    expect(found).toMatchObject({ observedGeneration: 4, ...expected });
  });

  test("has a new observed generation only when the controller has acted on it", () => {
    expect(daemonSetStatus(state(setOf(), "a", "a"), false)).not.toHaveProperty("observedGeneration");
  });
});

test("a DaemonSet replaces a failed pod after a second, then after twice as long each time, up to 15 minutes", () => {
  const clock = new FixedClock(NOW);
  const backoff = new FailedPodsBackoff(clock);
  const waits: number[] = [];
  for (let count = 0; count < 12; count++) {
    expect(backoff.replace("shop/agent/a")).toBe(0);
    const wait = backoff.replace("shop/agent/a");
    waits.push(wait / 1000);
    clock.advance(wait - 1);
    expect(backoff.replace("shop/agent/a")).toBe(1);
    clock.advance(1);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  clock.advance(31 * 60_000);
  expect([backoff.replace("shop/agent/a"), backoff.replace("shop/agent/a")]).toEqual([0, 1000]);
  backoff.forget("shop/agent/");
  expect(backoff.replace("shop/agent/a")).toBe(0);
});
