import { describe, expect, test } from "vitest";
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "../../src/api/types/apps/v1.js";
import { lastRevision, newSetAnnotations } from "../../src/controllers/deployment/annotations.js";
import { maxSurge, maxUnavailable, newSetSize } from "../../src/controllers/deployment/fenceposts.js";
import {
  deadlineIn,
  pausedCondition,
  rolloutStatus,
  deploymentStatus,
} from "../../src/controllers/deployment/status.js";
import { generationsOf } from "../../src/controllers/deployment/replica-sets.js";
import { rollBack } from "../../src/controllers/deployment/deployment-sync.js";
import { scale, shrinkOldSets, wasScaled } from "../../src/controllers/deployment/scaling.js";

const NOW = Date.parse("2026-01-01T00:10:00Z");
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString().replace(".000", "");
const ANNOTATION = "deployment.kubernetes.io/";
const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "new" }] } };

function deployment(replicas: number, more: object = {}, status: DeploymentStatus = {}): Deployment {
  const selector = { matchLabels: { app: "web" } };
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%", maxUnavailable: "25%" } };
  const spec = { replicas, selector, template, strategy, progressDeadlineSeconds: 600, ...more } as Deployment["spec"];
  return { metadata: { name: "web", generation: 2 }, ...(spec && { spec }), status };
}

const rolling = (surge: number | string, unavailable: number | string): object => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: surge, maxUnavailable: unavailable } },
});
const RECREATE = { strategy: { type: "Recreate" } };

let created = 0;
/** A set of `size` pods, of which some are available; `for` is the size of the Deployment that it was part of. */
function set(
  name: string,
  size: number,
  more: { available?: number; for?: number; max?: number; revision?: string } = {},
) {
  const { available = size, revision } = more;
  const annotations = {
    ...(more.for !== undefined && { [`${ANNOTATION}desired-replicas`]: String(more.for) }),
    ...(more.max !== undefined && { [`${ANNOTATION}max-replicas`]: String(more.max) }),
    ...(revision !== undefined && { [`${ANNOTATION}revision`]: revision }),
  };
  const metadata = { name, uid: name, generation: 1, creationTimestamp: at(created++), annotations };
  const image = name === "new" ? "new" : `${name} image`;
  return {
    metadata,
    spec: {
      replicas: size,
      selector: {},
      template: {
        metadata: { labels: { app: "web", "pod-template-hash": name } },
        spec: { containers: [{ name: "c", image }] },
      },
    },
    status: { replicas: size, readyReplicas: available, availableReplicas: available, observedGeneration: 1 },
  } as ReplicaSet;
}
const sizes = (resizes: readonly { set: ReplicaSet; size: number }[]) =>
  resizes.map((one) => `${one.set.metadata?.name} ${one.size}`);

describe("DEP-5: the size limits of a Deployment's rolling update", () => {
  test.each([
    // replicas, maxSurge, maxUnavailable -> surge, unavailable
    [10, "25%", "25%", 3, 2],
    [4, "25%", "25%", 1, 1],
    [3, "25%", "25%", 1, 0],
    [1, "25%", "25%", 1, 0],
    [10, 0, "1%", 0, 1],
    [10, "1%", 0, 1, 0],
    [2, "0%", "0%", 0, 1],
    [10, 5, 3, 5, 3],
    [2, 0, 5, 0, 2],
    [0, "50%", "50%", 0, 0],
    [100, "33%", "33%", 33, 33],
    [7, "50%", "50%", 4, 3],
  ])(
    "for %i replicas with maxSurge %s and maxUnavailable %s are %i more and %i fewer pods",
    (replicas, up, down, surge, missing) => {
      const one = deployment(replicas, rolling(up, down));
      expect([maxSurge(one), maxUnavailable(one)]).toEqual([surge, missing]);
    },
  );

  test("do not exist with the strategy Recreate", () => {
    expect([maxSurge(deployment(10, RECREATE)), maxUnavailable(deployment(10, RECREATE))]).toEqual([0, 0]);
  });

  test.each([
    ["grows by the surge", 10, 0, 10, 3],
    ["grows as far as old sets made room", 10, 3, 8, 5],
    ["waits while there is no room", 10, 3, 10, 3],
    ["never exceeds what is wanted", 10, 8, 0, 10],
    ["starts whole without old sets", 10, 0, 0, 10],
    ["starts with nothing when another rollout has the room", 10, 0, 13, 0],
  ])("DEP-1: during a rolling update the new ReplicaSet %s", (_, wanted, size, old, next) => {
    const newSet = set("new", size);
    expect(newSetSize(deployment(wanted), [set("old", old), newSet], newSet)).toBe(next);
  });

  test.each([
    ["nothing without old pods", 10, [10, 10], [], []],
    ["as many as the new set has available beyond the minimum", 10, [3, 3], [["a", 10, 10]], ["a 5"]],
    ["two at once before the new set is ready", 10, [3, 0], [["a", 10, 10]], ["a 8"]],
    ["nothing more while the new set is not ready", 10, [5, 0], [["a", 8, 8]], []],
    [
      "pods that are not available first",
      10,
      [3, 3],
      [
        ["a", 5, 5],
        ["b", 5, 2],
      ],
      ["b 2", "a 3"],
    ],
    [
      "the oldest set first",
      10,
      [3, 3],
      [
        ["a", 4, 4],
        ["b", 6, 6],
      ],
      ["a 0", "b 5"],
    ],
    ["the pods of a failed rollout when it is rolled back", 10, [8, 8], [["a", 5, 0]], ["a 0"]],
    ["not below the minimum for pods that are not available", 10, [5, 0], [["a", 8, 7]], []],
    ["nothing while a status counts pods that have yet to go", 6, [4, 0], [["a", 5, 11]], []],
    ["nothing while the new set's status counts pods that have yet to go", 6, [4, 7], [["a", 5, 5]], []],
  ] as const)(
    "DEP-1: during a rolling update old ReplicaSets lose %s",
    (_, wanted, [size, available], old, expected) => {
      const newSet = set("new", size, { available });
      const sets = old.map(([name, count, ready]) => set(name, count, { available: ready }));
      expect(sizes(shrinkOldSets(deployment(wanted), { newSet, old: sets }))).toEqual(expected);
    },
  );
});

describe("DEP-3: when a Deployment's replicas change, its ReplicaSets are scaled", () => {
  test.each([
    ["the annotation differs", [5], 10, true],
    ["the annotation is the size", [10], 10, false],
    ["there is no annotation", [undefined], 10, false],
    ["one of two differs", [10, 9], 10, true],
  ])("if the change is noticed: %s", (_, annotated, wanted, scaled) => {
    const [first, second] = annotated.map((count, index) =>
      set(index === 0 ? "new" : "a", 5, count === undefined ? {} : { for: count }),
    );
    expect(wasScaled(deployment(wanted), { newSet: first, old: second ? [second] : [] })).toBe(scaled);
  });

  test("unless they have no pods", () => {
    const old = [set("a", 0, { for: 1 })];
    expect(wasScaled(deployment(10), { newSet: set("new", 10, { for: 10 }), old })).toBe(false);
  });

  test.each([
    ["one active set gets it all", 10, [5, 5], [], ["new 10"]],
    ["without active sets the new one gets it", 3, [0, 0], [["a", 0]], ["new 3"]],
    ["a single old set that is active gets it", 6, undefined, [["a", 4]], ["a 6"]],
    [
      "the newest old set gets it when no set is active",
      6,
      undefined,
      [
        ["a", 0],
        ["b", 0],
      ],
      ["b 6"],
    ],
    ["nothing changes at the size", 5, [5, 5], [], []],
    [
      "old sets go when the new one is saturated",
      10,
      [10, 10],
      [
        ["a", 2],
        ["b", 1],
      ],
      ["a 0", "b 0"],
    ],
  ] as const)("so that %s", (_, wanted, newSize, old, expected) => {
    const newSet = newSize === undefined ? undefined : set("new", newSize[0], { for: wanted });
    expect(sizes(scale(deployment(wanted), { newSet, old: old.map(([name, size]) => set(name, size)) }))).toEqual(
      expected,
    );
  });

  test.each([
    // Sizes of new, a, b of a Deployment of so many pods at most; wanted, surge; the sizes that they get.
    ["up in proportion", [5, 5], 10, 20, 0, ["new 10", "a 10"]],
    ["down in proportion", [5, 5], 10, 6, 0, ["a 3", "new 3"]],
    ["the largest first", [3, 5, 2], 10, 15, 0, ["a 8", "new 5", "b 2"]],
    ["the newer of two of one size grows first", [5, 5], 10, 11, 0, ["new 6", "a 5"]],
    ["the older of two of one size shrinks first", [5, 5], 10, 9, 0, ["a 4", "new 5"]],
    ["the largest gets what rounding leaves", [3, 3, 4], 10, 11, 0, ["b 5", "new 3", "a 3"]],
    ["down to nothing", [5, 5], 10, 0, 0, ["a 0", "new 0"]],
    ["with its surge", [4, 7], 11, 20, 2, ["a 14", "new 8"]],
    ["the size stays and annotations follow", [5, 5], 10, 10, 0, ["a 5", "new 5"]],
  ] as const)("in proportion, of several active sets: %s", (_, before, max, wanted, surge, expected) => {
    const [newSize, ...others] = before;
    const old = others.map((size, index) => set("ab"[index] ?? "", size, { max }));
    const newSet = set("new", newSize, { max });
    expect(sizes(scale(deployment(wanted, rolling(surge, 1)), { newSet, old }))).toEqual(expected);
  });

  test("but several active ones are left alone with the strategy Recreate", () => {
    expect(scale(deployment(9, RECREATE), { newSet: set("new", 1), old: [set("a", 1)] })).toEqual([]);
  });
});

describe("the ReplicaSet of a Deployment's current template", () => {
  test("is found although its labels have the hash", () => {
    const [a, b] = [set("a", 1), set("new", 1)];
    expect(generationsOf(deployment(1), [a, b])).toEqual({ newSet: b, old: [a] });
  });

  test("is the oldest when several match", () => {
    const [first, second] = [
      set("new", 1),
      { ...set("new", 1), metadata: { name: "z", uid: "z", creationTimestamp: at(9999) } },
    ];
    expect(generationsOf(deployment(1), [second, first])).toEqual({ newSet: first, old: [second] });
  });

  test("does not exist after a change of the template", () => {
    expect(generationsOf(deployment(1), [set("a", 1)]).newSet).toBeUndefined();
  });
});

describe("DEP-1: the revision numbers of a Deployment's ReplicaSets", () => {
  const annotated = (annotations: Record<string, string>) => ({ metadata: { annotations } });
  const of = (from: Record<string, string>, before: Record<string, string>, revision: number) =>
    newSetAnnotations({ ...deployment(1), ...annotated(from) }, annotated(before) as ReplicaSet, revision);

  test.each([
    ["a first revision has no history", {}, {}, 1, { [`${ANNOTATION}revision`]: "1" }],
    [
      "a revision that is the last one stays",
      {},
      { [`${ANNOTATION}revision`]: "3" },
      3,
      { [`${ANNOTATION}revision`]: "3" },
    ],
    [
      "a lower revision does not replace a higher one",
      {},
      { [`${ANNOTATION}revision`]: "9" },
      3,
      { [`${ANNOTATION}revision`]: "9" },
    ],
    [
      "a template that is used again keeps its former revision",
      {},
      { [`${ANNOTATION}revision`]: "1" },
      4,
      { [`${ANNOTATION}revision`]: "4", [`${ANNOTATION}revision-history`]: "1" },
    ],
    [
      "history grows at its end",
      {},
      { [`${ANNOTATION}revision`]: "4", [`${ANNOTATION}revision-history`]: "1,2" },
      5,
      { [`${ANNOTATION}revision`]: "5", [`${ANNOTATION}revision-history`]: "1,2,4" },
    ],
    [
      "annotations of the Deployment are copied, its own are not",
      { note: "x", "kubectl.kubernetes.io/last-applied-configuration": "{}", [`${ANNOTATION}revision`]: "7" },
      {},
      1,
      { note: "x", [`${ANNOTATION}revision`]: "1" },
    ],
    [
      "a revision that is no number stays",
      {},
      { [`${ANNOTATION}revision`]: "x" },
      4,
      { [`${ANNOTATION}revision`]: "x" },
    ],
  ])("%s", (_, from, before, revision, expected) => {
    expect(of(from, before, revision)).toEqual(expected);
  });

  test("in the history annotation lose the oldest at 2000 characters", () => {
    const history = Array.from({ length: 400 }, (_, index) => String(1000 + index)).join(",");
    const after = of({}, { [`${ANNOTATION}revision`]: "1400", [`${ANNOTATION}revision-history`]: history }, 1401);
    expect(after[`${ANNOTATION}revision-history`]).toBe(`${history.slice(5)},1400`);
  });

  test.each([
    [["1", "3", "2"], 2],
    [["1"], 0],
    [[], 0],
    [["5", "x", "4"], 4],
  ])("%j have as last but one %i", (revisions, last) => {
    expect(lastRevision(revisions.map((revision) => set("a", 1, { revision })))).toBe(last);
  });
});

describe("DEP-3: rollback of a Deployment by annotation", () => {
  const asked = (revision: string) => ({
    ...deployment(1),
    metadata: { name: "web", annotations: { "deprecated.deployment.rollback.to": revision, note: "mine" } },
  });
  const sets = [set("a", 0, { revision: "1" }), set("b", 0, { revision: "2" }), set("new", 1, { revision: "3" })];

  test.each([
    ["2", "DeploymentRollback", 'Rolled back deployment "web" to revision 2', "b image"],
    ["0", "DeploymentRollback", 'Rolled back deployment "web" to revision 2', "b image"],
    ["9", "DeploymentRollbackRevisionNotFound", "Unable to find the revision to rollback to.", "new"],
    [
      "3",
      "DeploymentRollbackTemplateUnchanged",
      'The rollback revision contains the same template as current deployment "web"',
      "new",
    ],
  ])("to %s: %s", (revision, reason, message, image) => {
    const done = rollBack(asked(revision), sets);
    expect(done).toMatchObject({ reason, message });
    expect(done.deployment.metadata?.annotations).not.toHaveProperty("deprecated.deployment.rollback.to");
    expect(done.deployment.spec?.template.spec?.containers[0]?.image).toBe(image);
    expect(done.deployment.spec?.template.metadata?.labels).toEqual({ app: "web" });
  });

  test("to the last revision records an event when there is none", () => {
    expect(rollBack(asked("0"), [set("new", 1, { revision: "1" })]).message).toBe("Unable to find last revision.");
  });
});

describe("DEP-1: the status of a Deployment", () => {
  const progressing = (reason: string, more: Partial<DeploymentCondition> = {}): DeploymentCondition => ({
    type: "Progressing",
    status: "True",
    reason,
    message: "",
    lastUpdateTime: at(-60),
    lastTransitionTime: at(-90),
    ...more,
  });
  const statusOf = (
    before: DeploymentStatus,
    sets: { newSet?: ReplicaSet; old?: readonly ReplicaSet[] },
    more: object = {},
  ) => rolloutStatus(deployment(3, more, before), { newSet: sets.newSet, old: sets.old ?? [] }, NOW);
  const condition = (status: DeploymentStatus, type: string) => status.conditions?.find((one) => one.type === type);

  test("counts the pods of all ReplicaSets", () => {
    const sets = { newSet: set("new", 2, { available: 1 }), old: [set("a", 2)] };
    expect(deploymentStatus(deployment(3), sets, NOW)).toMatchObject({
      observedGeneration: 2,
      replicas: 4,
      updatedReplicas: 2,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 1,
    });
  });

  test.each([
    ["the sum of what sets tell", [1, 2], 3],
    ["0 where none ends", [0, 0], 0],
    ["unknown where one does not tell", [1, undefined], undefined],
  ])("counts terminating pods: %s", (_, counts, expected) => {
    const old = counts.map((terminatingReplicas, index) => {
      const one = set(`s${index}`, 1);
      return { ...one, status: { ...one.status, terminatingReplicas } } as ReplicaSet;
    });
    expect(deploymentStatus(deployment(3), { newSet: undefined, old }, NOW).terminatingReplicas).toBe(expected);
  });

  test.each([
    [3, "True", "MinimumReplicasAvailable", "Deployment has minimum availability."],
    [2, "False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability."],
  ])("with %i of 3 pods available has the condition Available %s", (available, status, reason, message) => {
    const found = deploymentStatus(deployment(3), { newSet: set("new", 3, { available }), old: [] }, NOW);
    expect(found.conditions).toEqual([
      { type: "Available", status, reason, message, lastUpdateTime: at(0), lastTransitionTime: at(0) },
    ]);
  });

  test.each([
    [
      "complete",
      { replicas: 3, conditions: [progressing("ReplicaSetUpdated")] },
      { newSet: set("new", 3) },
      ["True", "NewReplicaSetAvailable", 'ReplicaSet "new" has successfully progressed.', at(0), at(-90)],
    ],
    [
      "progress: more new pods",
      { replicas: 3, conditions: [progressing("NewReplicaSetCreated")] },
      { newSet: set("new", 1), old: [set("a", 3)] },
      ["True", "ReplicaSetUpdated", 'ReplicaSet "new" is progressing.', at(0), at(-90)],
    ],
    [
      "progress after a timeout",
      { replicas: 4, conditions: [progressing("ProgressDeadlineExceeded", { status: "False" })] },
      { newSet: set("new", 1), old: [set("a", 3)] },
      ["True", "ReplicaSetUpdated", 'ReplicaSet "new" is progressing.', at(0), at(0)],
    ],
    [
      "no progress yet",
      {
        replicas: 4,
        updatedReplicas: 1,
        readyReplicas: 3,
        availableReplicas: 3,
        conditions: [progressing("ReplicaSetUpdated")],
      },
      { newSet: set("new", 1, { available: 0 }), old: [set("a", 3)] },
      ["True", "ReplicaSetUpdated", "", at(-60), at(-90)],
    ],
    [
      "no progress within the deadline",
      {
        replicas: 4,
        updatedReplicas: 1,
        readyReplicas: 3,
        availableReplicas: 3,
        conditions: [progressing("ReplicaSetUpdated", { lastUpdateTime: at(-601) })],
      },
      { newSet: set("new", 1, { available: 0 }), old: [set("a", 3)] },
      ["False", "ProgressDeadlineExceeded", 'ReplicaSet "new" has timed out progressing.', at(0), at(0)],
    ],
    [
      "a pod that fails after the rollout",
      {
        replicas: 3,
        updatedReplicas: 3,
        conditions: [progressing("NewReplicaSetAvailable", { lastUpdateTime: at(-9999) })],
      },
      { newSet: set("new", 3, { available: 1 }) },
      ["True", "NewReplicaSetAvailable", "", at(-9999), at(-90)],
    ],
    [
      "a paused Deployment without sets that is resumed",
      { replicas: 0, conditions: [progressing("DeploymentResumed", { status: "Unknown", lastUpdateTime: at(-700) })] },
      {},
      ["False", "ProgressDeadlineExceeded", 'Deployment "web" has timed out progressing.', at(0), at(0)],
    ],
  ] as const)("has the condition Progressing: %s", (_, before, sets, [status, reason, message, updated, since]) => {
    const found = condition(statusOf({ ...before, conditions: [...before.conditions] }, sets), "Progressing");
    expect(found).toEqual({
      type: "Progressing",
      status,
      reason,
      message,
      lastUpdateTime: updated,
      lastTransitionTime: since,
    });
  });

  test("has no condition Progressing without a deadline", () => {
    const before = { conditions: [progressing("ReplicaSetUpdated")] };
    const found = statusOf(before, { newSet: set("new", 3) }, { progressDeadlineSeconds: 2 ** 31 - 1 });
    expect(condition(found, "Progressing")).toBeUndefined();
  });

  test("has the failure of a ReplicaSet, the new one's first, until the failure ends", () => {
    const failing = (name: string): ReplicaSet => {
      const failure = {
        type: "ReplicaFailure",
        status: "True",
        reason: "FailedCreate",
        message: name,
        lastTransitionTime: at(-5),
      };
      const one = set(name, 3);
      return { ...one, status: { ...one.status, conditions: [failure] } } as ReplicaSet;
    };
    const failed = statusOf({}, { newSet: failing("new"), old: [failing("a")] });
    expect(condition(failed, "ReplicaFailure")).toEqual({
      type: "ReplicaFailure",
      status: "True",
      reason: "FailedCreate",
      message: "new",
      lastTransitionTime: at(-5),
      lastUpdateTime: at(-5),
    });
    expect(condition(statusOf({}, { old: [set("b", 1), failing("a")] }), "ReplicaFailure")?.message).toBe("a");
    expect(condition(statusOf(failed, { newSet: set("new", 3) }), "ReplicaFailure")).toBeUndefined();
  });

  test.each([
    ["is looked at when the deadline is over", { conditions: [progressing("ReplicaSetUpdated")] }, {}, 541_000],
    [
      "is looked at soon when it was over before",
      { conditions: [progressing("X", { lastUpdateTime: at(-900) })] },
      {},
      1000,
    ],
    ["is left once it has timed out", { conditions: [progressing("ProgressDeadlineExceeded")] }, {}, undefined],
    [
      "is left when it is complete",
      { replicas: 3, updatedReplicas: 3, availableReplicas: 3, observedGeneration: 2, conditions: [progressing("X")] },
      {},
      undefined,
    ],
    ["is left without a condition", {}, {}, undefined],
    [
      "is left without a deadline",
      { conditions: [progressing("X")] },
      { progressDeadlineSeconds: undefined },
      undefined,
    ],
  ])("during a rollout %s", (_, status, more, after) => {
    expect(deadlineIn(deployment(3, more, status), NOW)).toBe(after);
  });

  test.each([
    ["paused", true, "ReplicaSetUpdated", "DeploymentPaused", "Deployment is paused"],
    ["paused before", true, "DeploymentPaused", undefined, undefined],
    ["resumed", false, "DeploymentPaused", "DeploymentResumed", "Deployment is resumed"],
    ["running", false, "ReplicaSetUpdated", undefined, undefined],
    ["paused after a timeout", true, "ProgressDeadlineExceeded", undefined, undefined],
  ])("DEP-1: of a Deployment %s has the condition Progressing", (_, paused, before, reason, message) => {
    const found = pausedCondition(deployment(3, { paused }, { conditions: [progressing(before)] }), NOW);
    expect([found?.reason, found?.message, found?.status]).toEqual([reason, message, reason && "Unknown"]);
  });
});
