import { newestRelease, releaseOf } from "../../src/api/facts/index.js";
import { describe, expect, test } from "vitest";
import type { StatefulSet } from "../../src/api/types/apps/v1.js";
import type { PersistentVolumeClaim, Pod, PodTemplateSpec } from "../../src/api/types/core/v1.js";
import { type ServerGates, serverGates } from "../../src/api/gates/feature-gates.js";
import { publishedScheme } from "../../src/api/scheme/published.js";
import { controllerRevision, inRevisionOrder } from "../../src/controllers/history/controller-revisions.js";
import { revisionData, revisionText, templateOf } from "../../src/controllers/history/revision-data.js";
import { claimOwners, claimsOf, isStale } from "../../src/controllers/stateful-set/member-control.js";
import { memberPod, STATEFUL_SET, withIdentity } from "../../src/controllers/stateful-set/identity.js";
import { keepsTemplate } from "../../src/controllers/stateful-set/same-template.js";
import { plan } from "../../src/controllers/stateful-set/plan.js";
import { statefulSetStatus } from "../../src/controllers/stateful-set/status.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { controllerReference } from "../../src/controllers/owned-pods/controller-ref.js";

const release = await releaseOf("1.36");
const NEWER = serverGates("1.37");
const NOW = Date.parse("2026-01-01T00:10:00Z");
const template = { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "c" }] } };
const current = { name: "db-old", template };
const update = { name: "db-new", template };

function setOf(replicas: number, more: object = {}): StatefulSet {
  const updateStrategy = { type: "RollingUpdate", rollingUpdate: { partition: 0 } };
  const spec = {
    replicas,
    selector: { matchLabels: { app: "db" } },
    template,
    serviceName: "dns",
    updateStrategy,
    ...more,
  };
  return {
    metadata: { name: "db", namespace: "shop", uid: "set", generation: 3 },
    spec: spec as StatefulSet["spec"] & object,
  };
}
const partition = (count: number): object => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: count } },
});
const PARALLEL = { podManagementPolicy: "Parallel" };
const ON_DELETE = { updateStrategy: { type: "OnDelete" } };

/**
 * "0" is db-0, ready and of the new revision. Behind it: "o" of the old revision, "n" not ready, "p" pending, "f" failed,
 * "s" succeeded, "t" being deleted, "y" ready since 5 seconds.
 */
function pod(text: string): Pod {
  const [, ordinal = "0", flags = ""] = /^(\d+)(\w*)$/.exec(text) ?? [];
  const has = (flag: string): boolean => flags.includes(flag);
  const phase = has("f") ? "Failed" : has("s") ? "Succeeded" : has("p") ? "Pending" : "Running";
  const lastTransitionTime = has("y") ? "2026-01-01T00:09:55Z" : "2026-01-01T00:00:00Z";
  const ready = phase === "Running" && !has("n");
  const made = memberPod(setOf(1), template, Number(ordinal), has("o") ? "db-old" : "db-new");
  return {
    ...made,
    metadata: {
      ...made.metadata,
      uid: `pod-${ordinal}`,
      ...(has("t") && { deletionTimestamp: "2026-01-01T00:09:00Z" }),
    },
    status: { phase, conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime }] },
  };
}
const pods = (text: string): Pod[] => (text === "" ? [] : text.split(" ").map(pod));

/** "create 1" with the revision for what is created; what keeps pods as they are is left out. */
function steps(set: StatefulSet, text: string, gates = serverGates("1.36")): string[] {
  return plan({ set, pods: pods(text), current, update, gates, now: NOW })
    .steps.filter(({ act }) => act !== "keep" && act !== "release")
    .map(({ act, pod: { metadata } }) => {
      const revision = act === "create" ? ` ${metadata?.labels?.["controller-revision-hash"]}` : "";
      return `${act} ${metadata?.name}${revision}`;
    });
}

describe("STS-1: a StatefulSet that starts its pods in order", () => {
  test.each([
    ["begins with the lowest ordinal", 3, "", ["create db-0 db-new"]],
    ["waits for a pod that is not ready", 3, "0n", []],
    ["waits for a pod that is pending, and makes sure of its claims", 3, "0p", ["claims db-0"]],
    ["goes on when the pod is ready", 3, "0", ["create db-1 db-new"]],
    ["fills a gap first", 3, "0 2", ["create db-1 db-new"]],
    ["rests when all are ready", 3, "0 1 2", []],
    ["deletes a failed pod", 3, "0 1f 2", ["delete db-1"]],
    ["deletes a pod that ended", 3, "0s 1 2", ["delete db-0"]],
    ["waits for a failed pod that is being deleted", 3, "0ft 1 2", []],
    ["waits for a pod that is being deleted", 3, "0t 1 2", []],
    ["shrinks from the highest ordinal", 1, "0 1 2", ["delete db-2"]],
    ["does not shrink while a wanted pod is not ready", 1, "0n 1 2", []],
    ["waits for the pod that goes", 1, "0 1 2t", []],
    ["shrinks past a pod that is not ready when no lower one is", 1, "0 1 2n", ["delete db-2"]],
    ["does not delete a pod that is not ready before a lower one", 1, "0 1n 2n", []],
    ["deletes a ready pod above one that is not", 1, "0 1n 2", ["delete db-2"]],
    ["shrinks to nothing", 0, "0", ["delete db-0"]],
    ["replaces the highest outdated pod", 3, "0o 1o 2o", ["delete db-2"]],
    ["waits until the replaced pod is ready", 3, "0o 1o 2n", []],
    ["waits until the replaced pod is gone", 3, "0o 1o 2to", []],
    ["replaces the next one", 3, "0o 1o 2", ["delete db-1"]],
    ["does not update while a lower pod is not ready", 3, "0no 1o 2o", []],
    ["grows before it updates", 3, "0o 1o", ["create db-2 db-new"]],
  ])("%s", (_, replicas, text, expected) => {
    expect(steps(setOf(replicas), text)).toEqual(expected);
  });
});

describe("STS-1: a StatefulSet that starts its pods in parallel", () => {
  test.each([
    ["creates all at once", 3, "", ["create db-0 db-new", "create db-1 db-new", "create db-2 db-new"]],
    ["does not wait for others", 3, "0n", ["create db-1 db-new", "create db-2 db-new"]],
    ["makes sure of the claims of all that are pending", 2, "0p 1p", ["claims db-0", "claims db-1"]],
    ["deletes what failed and creates what is missing", 3, "0f 1", ["delete db-0", "create db-2 db-new"]],
    ["shrinks at once", 1, "0n 1 2n 3t", ["delete db-2", "delete db-1"]],
    ["updates one by one", 3, "0o 1o 2o", ["delete db-2"]],
    ["replaces a broken pod of the old revision", 3, "0no 1no 2no", ["delete db-2"]],
    ["waits for the replaced pod", 3, "0o 1o 2n", []],
    ["waits for a pod that it creates", 3, "0o 1o", ["create db-2 db-new"]],
  ])("%s", (_, replicas, text, expected) => {
    expect(steps(setOf(replicas, PARALLEL), text)).toEqual(expected);
  });
});

describe("STS-1: an update of a StatefulSet", () => {
  test.each([
    ["of a partition leaves lower ordinals", partition(2), "0o 1o 2o", ["delete db-2"]],
    ["of a partition is complete at its first ordinal", partition(2), "0o 1o 2", []],
    ["of a partition beyond the set updates nothing", partition(9), "0o 1o 2o", []],
    ["creates a pod below the partition at the old revision", partition(2), "1o 2", ["create db-0 db-old"]],
    ["creates a pod above the partition at the new revision", partition(2), "0o 1o", ["create db-2 db-new"]],
    ["on deletion deletes nothing", ON_DELETE, "0o 1o 2o", []],
    ["on deletion creates pods at the new revision", ON_DELETE, "0o 2o", ["create db-1 db-new"]],
    ["of a set that is being deleted does nothing", {}, "0o", [], { deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ] as const)("%s", (_, more, text, expected, metadata?: object) => {
    const set = setOf(3, more);
    expect(steps({ ...set, metadata: { ...set.metadata, ...metadata } }, text)).toEqual(expected);
  });

  const upTo = (maxUnavailable: number | string) => ({
    ...PARALLEL,
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0, maxUnavailable } },
  });
  test.each([
    ["replaces a broken pod of the old revision first", 1, "0no 1o 2o", ["db-2"], ["db-0"]],
    ["replaces several of them at a time, as many as may be unavailable", 2, "0no 1no 2no", ["db-2"], ["db-2", "db-1"]],
    ["does not count them while it replaces them", 1, "0no 1no 2to", [], ["db-1"]],
    ["replaces them although a pod of the new revision is broken", 1, "0no 1o 2n", [], ["db-0"]],
    ["goes on with the others within the budget", 2, "0no 1o 2o", ["db-2"], ["db-0", "db-2"]],
    ["waits for pods of the new revision", 2, "0o 1n 2n", [], []],
    ["waits for a pod that goes", 1, "0o 1o 2to", [], []],
    ["counts shares of the pods, rounded down", "67%", "0o 1o 2n", [], ["db-1"]],
    ["replaces one where the share is none", "10%", "0o 1o 2o", ["db-2"], ["db-2"]],
  ] as const)("K37-037: in parallel, an update %s", (_, maxUnavailable, text, older, newer) => {
    const deletions = (gates: ServerGates) => steps(setOf(3, upTo(maxUnavailable)), text, gates);
    expect(deletions(serverGates("1.36"))).toEqual(older.map((name) => `delete ${name}`));
    expect(deletions(NEWER)).toEqual(newer.map((name) => `delete ${name}`));
    expect(deletions(serverGates("1.36", { MaxUnavailableStatefulSet: true }))).toEqual(deletions(NEWER));
  });

  test("K37-037: in order, an update replaces up to maxUnavailable pods, and waits for the new ones", () => {
    const set = setOf(4, { ...upTo(2), podManagementPolicy: "OrderedReady" });
    expect(steps(set, "0o 1o 2o 3o", NEWER)).toEqual(["delete db-3", "delete db-2"]);
    expect(steps(set, "0o 1o 2o 3to", NEWER)).toEqual([]);
    expect(steps(set, "0o 1o", NEWER)).toEqual(["create db-2 db-new"]);
  });

  test.each([
    ["starts at its first ordinal", "", ["create db-5 db-new"]],
    ["deletes what is below", "0 5 6", ["delete db-0"]],
    ["deletes what is above, the highest first", "0 5 6 7", ["delete db-7"]],
  ])("with ordinals from 5 on %s", (_, text, expected) => {
    expect(steps(setOf(2, { ordinals: { start: 5 } }), text)).toEqual(expected);
  });

  test.each([
    ["waits until a pod was ready for that long", "0y", []],
    ["goes on then", "0", ["create db-1 db-new"]],
    ["does not shrink before", "0y 1 2 3", []],
  ])("with minReadySeconds %s", (_, text, expected) => {
    expect(steps(setOf(2, { minReadySeconds: 10 }), text)).toEqual(expected);
  });
});

describe("a pod of a StatefulSet", () => {
  const claims = [{ metadata: { name: "data", labels: { tier: "x" } }, spec: { accessModes: ["ReadWriteOnce"] } }];
  const set = setOf(3, { volumeClaimTemplates: claims });

  test("STS-1: has its name, host name, labels, revision and claims", () => {
    const volumes = [
      { name: "data", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
    ];
    const made = memberPod(set, { ...template, spec: { ...template.spec, volumes } }, 2, "db-x");
    expect(made).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "db-2",
        generateName: "db-",
        namespace: "shop",
        labels: {
          app: "db",
          "apps.kubernetes.io/pod-index": "2",
          "statefulset.kubernetes.io/pod-name": "db-2",
          "controller-revision-hash": "db-x",
        },
        ownerReferences: [controllerReference(STATEFUL_SET, set)],
      },
      spec: {
        containers: [{ name: "c" }],
        hostname: "db-2",
        subdomain: "dns",
        volumes: [
          { name: "data", persistentVolumeClaim: { claimName: "data-db-2" } },
          { name: "tmp", emptyDir: {} },
        ],
      },
    });
  });

  test("gets its labels back when they are removed", () => {
    const one = pod("1");
    expect(withIdentity(one)).toBeUndefined();
    const { "apps.kubernetes.io/pod-index": _, ...labels } = one.metadata?.labels ?? {};
    expect(withIdentity({ ...one, metadata: { ...one.metadata, labels } })?.metadata?.labels).toEqual(
      one.metadata?.labels,
    );
  });

  test("has claims with the labels that the set selects", () => {
    expect(claimsOf(set, pod("1"))).toEqual([
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data-db-1", namespace: "shop", labels: { tier: "x", app: "db" } },
        spec: { accessModes: ["ReadWriteOnce"] },
      },
    ]);
  });

  const OF_SET = controllerReference(STATEFUL_SET, set);
  const OF_POD = { ...controllerReference({ apiVersion: "v1", kind: "Pod" }, pod("1")), name: "db-1" };
  const OTHER = { ...OF_SET, kind: "Other", name: "x", uid: "x" };
  const claim = (...ownerReferences: (typeof OF_SET)[]): PersistentVolumeClaim => ({
    metadata: { name: "data-db-1", ownerReferences },
  });
  const keeping = (replicas: number, whenDeleted: string, whenScaled: string): StatefulSet =>
    setOf(replicas, { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } });

  test.each([
    // whenDeleted, whenScaled, replicas, owners before -> owners after; undefined: they stay.
    ["Retain", "Retain", 3, [], undefined],
    ["Retain", "Retain", 3, [OF_SET], []],
    ["Delete", "Retain", 3, [], [OF_SET]],
    ["Delete", "Retain", 3, [OF_SET], undefined],
    ["Delete", "Retain", 1, [], [OF_SET]],
    ["Retain", "Delete", 3, [], undefined],
    ["Retain", "Delete", 1, [], [OF_POD]],
    ["Retain", "Delete", 3, [OF_POD], []],
    ["Delete", "Delete", 3, [OF_POD], [OF_SET]],
    ["Delete", "Delete", 1, [OF_SET], [OF_POD]],
    ["Delete", "Retain", 3, [{ ...OF_SET, controller: false }], [OF_SET]],
    ["Delete", "Retain", 3, [OTHER], undefined],
    ["Delete", "Retain", 3, [OTHER, OF_SET], [OTHER]],
    ["Delete", "Retain", 3, [{ ...OF_SET, uid: "former" }], [OF_SET]],
  ])(
    "keeps or loses its claim, whenDeleted %s and whenScaled %s, of %i replicas",
    (whenDeleted, whenScaled, replicas, before, after) => {
      expect(claimOwners(keeping(replicas, whenDeleted, whenScaled), pod("1"), claim(...before))).toEqual(after);
    },
  );

  test.each([
    ["of a former pod of the name", "Delete", [{ ...OF_POD, uid: "former" }], true],
    ["of the pod itself", "Delete", [OF_POD], false],
    ["without owner", "Delete", [], false],
    ["that is retained", "Retain", [{ ...OF_POD, uid: "former" }], false],
  ])("waits for a claim %s", (_, whenScaled, refs, stale) => {
    expect(isStale(keeping(3, "Retain", whenScaled), pod("1"), claim(...refs))).toBe(stale);
  });
});

describe("the status of a StatefulSet", () => {
  const status = (set: StatefulSet, text: string, outdated = 0, of = release) =>
    statefulSetStatus(set, {
      release: of,
      pods: pods(text),
      current: "db-old",
      update: "db-new",
      collisionCount: 0,
      outdated,
      now: NOW,
    });

  test.each([
    [
      "a set that begins",
      setOf(3),
      "",
      { replicas: 0, availableReplicas: 0, currentRevision: "db-old", updateRevision: "db-new" },
    ],
    [
      "an update under way",
      setOf(3),
      "0o 1o 2n",
      {
        replicas: 3,
        readyReplicas: 2,
        availableReplicas: 2,
        currentReplicas: 2,
        updatedReplicas: 1,
        currentRevision: "db-old",
      },
    ],
    [
      "an update that is complete",
      setOf(2),
      "0 1",
      { replicas: 2, readyReplicas: 2, currentReplicas: 2, updatedReplicas: 2, currentRevision: "db-new" },
    ],
    [
      "an update with a partition",
      setOf(2, partition(1)),
      "0o 1",
      { currentReplicas: 1, updatedReplicas: 1, currentRevision: "db-old" },
    ],
    ["an update on deletion", setOf(2, ON_DELETE), "0 1", { updatedReplicas: 2, currentRevision: "db-old" }],
    [
      "a set that shrinks",
      setOf(1),
      "0 1t",
      { replicas: 2, readyReplicas: 2, updatedReplicas: 1, currentRevision: "db-old" },
    ],
    [
      "pods that are ready for a short time",
      setOf(2, { minReadySeconds: 10 }),
      "0 1y",
      { readyReplicas: 2, availableReplicas: 1 },
    ],
  ])("for %s", (_, set, text, expected) => {
    expect(status(set, text)).toMatchObject({ observedGeneration: 3, collisionCount: 0, ...expected });
  });

  test.each([
    ["1.36 leaves", release, "db-old", undefined],
    ["1.37 ends", newestRelease, "db-new", 2],
  ])("K37-141: %s an OnDelete update when all pods are of the new revision", (_, of, currentRevision, current) => {
    const { currentReplicas, ...others } = status(setOf(2, ON_DELETE), "0 1", 0, of);
    expect(others).toMatchObject({ currentRevision, updateRevision: "db-new", updatedReplicas: 2 });
    expect(currentReplicas).toBe(current);
    expect(status(setOf(2, ON_DELETE), "0o 1", 0, of).currentRevision).toBe("db-old");
  });

  test("no longer counts a pod that was just deleted among the current ones", () => {
    expect(status(setOf(3), "0o 1o 2o", 1).currentReplicas).toBe(2);
  });
});

describe("the ControllerRevision of a StatefulSet or DaemonSet", () => {
  test("keeps the template as a patch that replaces it", () => {
    const data = revisionData(template);
    expect(revisionText(data)).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"db"}},"spec":{"containers":[{"name":"c"}]}}}}',
    );
    expect(templateOf({ data, revision: 1 })).toEqual(template);
    expect(templateOf({ data: null, revision: 1 })).toBeUndefined();
  });

  test("keeps the patch with sorted keys, as kubectl sends it to undo a rollout", () => {
    const data = revisionData({
      spec: { containers: [{ name: "c", image: "i", args: ["b"] }] },
      metadata: { name: "n" },
    });
    expect(JSON.stringify(data)).toBe(revisionText(data));
  });

  test("has text escaped as in Go", () => {
    expect(revisionText({ a: "<&>" })).toBe('{"a":"\\u003c\\u0026\\u003e"}');
  });

  test("is named after the owner, cut to 223 characters, and has its annotations", () => {
    const owner = { metadata: { name: "x".repeat(250), namespace: "shop", uid: "u", annotations: { note: "n" } } };
    const made = controllerRevision({
      owner,
      ownerKind: STATEFUL_SET,
      template,
      data: {},
      revision: 4,
      hashLabel: "hash",
      hash: "abc",
    });
    expect(made).toMatchObject({
      metadata: {
        name: `${"x".repeat(223)}-abc`,
        namespace: "shop",
        annotations: { note: "n" },
        labels: { app: "db", hash: "abc" },
        ownerReferences: [{ kind: "StatefulSet", uid: "u", controller: true }],
      },
      revision: 4,
    });
  });

  test("is ordered by number, then age, then name", () => {
    const of = (name: string, revision: number, creationTimestamp: string) => ({
      metadata: { name, creationTimestamp },
      data: null,
      revision,
    });
    const [a, b, c, d] = [
      of("a", 2, "2026-01-01T00:00:02Z"),
      of("b", 2, "2026-01-01T00:00:01Z"),
      of("c", 1, "2026-01-01T00:00:03Z"),
      of("d", 2, "2026-01-01T00:00:01Z"),
    ] as const;
    expect(inRevisionOrder([a, b, c, d])).toEqual([c, b, d, a]);
  });
});

describe("a ControllerRevision that an earlier version of Kubernetes wrote", () => {
  const set = structuredClone(setOf(1));
  publishedScheme()
    .kind({ group: "apps", version: "v1", kind: "StatefulSet" })
    .applyDefaults(set as unknown as KubeObject, NOW);
  const full = set.spec?.template as unknown as JsonObject & { readonly spec: JsonObject };
  const { schedulerName: _, ...withoutDefault } = full.spec;

  test.each([
    ["with the zero time as null", { ...full, metadata: { creationTimestamp: null, labels: { app: "db" } } }, true],
    ["without the default of a later field", { ...full, spec: withoutDefault }, true],
    ["with a field that is no more", { ...full, spec: { ...full.spec, former: "x" } }, true],
    ["of another template", { ...full, spec: { ...full.spec, hostNetwork: true } }, false],
    ["that cannot be read", { ...full, spec: "x" }, false],
  ])("is recognized as the set's current template: %s", (_title, kept, expected) => {
    const data = revisionData(kept as unknown as PodTemplateSpec);
    expect(keepsTemplate({ data, revision: 1 }, set, newestRelease)).toBe(expected);
  });
});
