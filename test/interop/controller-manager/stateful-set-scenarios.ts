import type { StatefulSet } from "../../../src/api/types/apps/v1.js";
import { apart, change, create, orphan, type Scenario, statefulSet, stuck, template, update } from "./scenario.js";
import { pods, type Seen } from "./seen.js";

const KIND = "StatefulSet";
const updated =
  (count: number) =>
  ({ statefulSets }: Seen): boolean =>
    statefulSets.every(({ status }) => (status?.updatedReplicas ?? 0) === count && status?.readyReplicas === 3);
const claimTemplates: Partial<StatefulSet["spec"]> = {
  template: template("web:1", {
    containers: [{ name: "web", image: "web:1", volumeMounts: [{ name: "data", mountPath: "/data" }] }],
  }),
  volumeClaimTemplates: [
    {
      metadata: { name: "data", labels: { tier: "disk" } },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    },
  ],
};

export const statefulSetScenarios: readonly Scenario[] = [
  { title: "a StatefulSet is created in order", steps: [{ act: create(statefulSet()) }] },
  {
    title: "a StatefulSet is created in parallel",
    steps: [{ act: create(statefulSet({ podManagementPolicy: "Parallel", replicas: 5 })) }],
  },
  {
    title: "in order, nothing follows a pod that is not ready",
    steps: [{ act: create(statefulSet({ replicas: 6, template: apart() })), until: pods(4, 3) }],
  },
  {
    title: "in parallel, all pods are created although some are not ready",
    steps: [
      {
        act: create(statefulSet({ replicas: 6, template: apart(), podManagementPolicy: "Parallel" })),
        until: pods(6, 3),
      },
      { act: change(KIND, { replicas: 3 }) },
    ],
  },
  {
    title: "a StatefulSet is scaled up and down",
    steps: [
      { act: create(statefulSet()) },
      { act: change(KIND, { replicas: 5 }) },
      { act: change(KIND, { replicas: 1 }) },
      { act: change(KIND, { replicas: 0 }), until: pods(0, 0) },
    ],
  },
  {
    title: "a rolling update",
    steps: [{ act: create(statefulSet()) }, { act: update(KIND, "web:2") }],
  },
  {
    title: "a rolling update with a partition, which is then removed",
    steps: [
      {
        act: create(statefulSet({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } })),
      },
      { act: update(KIND, "web:2"), until: updated(1) },
      { act: change(KIND, { updateStrategy: { rollingUpdate: { partition: 1 } } }), until: updated(2) },
      { act: change(KIND, { updateStrategy: { rollingUpdate: { partition: 0 } } }) },
    ],
  },
  {
    title: "an update with a partition, and the set scaled up in it",
    steps: [
      {
        act: create(
          statefulSet({ replicas: 2, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 4 } } }),
        ),
      },
      {
        act: change(KIND, { template: template("web:2"), replicas: 3 }),
        until: (seen) => pods(3, 3)(seen) && updated(0)(seen),
      },
    ],
  },
  {
    title: "an update on deletion",
    steps: [
      { act: create(statefulSet({ updateStrategy: { type: "OnDelete" } })) },
      { act: update(KIND, "web:2"), until: updated(0) },
      { act: ({ delete: remove }) => remove("Pod", "web-1"), until: updated(1) },
    ],
  },
  {
    title: "an update that does not become ready stops at its first pod",
    steps: [{ act: create(statefulSet()) }, { act: change(KIND, { template: stuck() }), until: pods(3, 2) }],
  },
  {
    title: "claims are made of templates, and stay when the set shrinks",
    steps: [
      { act: create(statefulSet(claimTemplates)) },
      { act: change(KIND, { replicas: 1 }) },
      { act: change(KIND, { replicas: 2 }) },
    ],
  },
  {
    title: "a rollback makes an old revision the newest",
    steps: [
      { act: create(statefulSet()) },
      { act: update(KIND, "web:2") },
      { act: update(KIND, "web:3") },
      { act: update(KIND, "web:1") },
    ],
  },
  {
    title: "the history limit of a StatefulSet",
    steps: [
      { act: create(statefulSet({ revisionHistoryLimit: 1, replicas: 1 })) },
      { act: update(KIND, "web:2") },
      { act: update(KIND, "web:3") },
      { act: update(KIND, "web:4"), until: ({ revisions }) => revisions.length === 2 },
    ],
  },
  {
    title: "an orphaned pod with a name of the set is adopted",
    steps: [
      {
        act: create(orphan("web-1")),
        until: pods(1, 1),
      },
      {
        act: create(statefulSet()),
        until: (seen) => pods(3, 3)(seen),
      },
    ],
  },
];
