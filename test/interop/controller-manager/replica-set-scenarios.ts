import { apart, change, create, orphan, replicaSet, type Scenario, template } from "./scenario.js";
import { isReady, pods } from "./seen.js";

const KIND = "ReplicaSet";

export const replicaSetScenarios: readonly Scenario[] = [
  {
    title: "a ReplicaSet grows and shrinks",
    steps: [
      { act: create(replicaSet()) },
      { act: change(KIND, { replicas: 6 }) },
      { act: change(KIND, { replicas: 1 }) },
    ],
  },
  {
    title: "orphaned pods are adopted, and those too many deleted",
    steps: [{ act: create(orphan("one"), orphan("two")), until: pods(2, 2) }, { act: create(replicaSet()) }],
  },
  {
    title: "a pod whose labels change is released and replaced",
    steps: [
      { act: create(replicaSet()) },
      {
        async act({ seen, patch }) {
          const [first] = seen.pods;
          await patch("Pod", first?.metadata?.name ?? "", { metadata: { labels: { app: "other" } } });
        },
        until: pods(4, 4),
      },
    ],
  },
  {
    title: "a deleted pod is replaced",
    steps: [
      { act: create(replicaSet()) },
      {
        async act({ seen, delete: remove }) {
          const [first] = seen.pods;
          await remove("Pod", first?.metadata?.name ?? "");
        },
        until: (seen) => pods(3, 3)(seen),
      },
    ],
  },
  {
    title: "a pod without a node is deleted first",
    steps: [
      { act: create(replicaSet({ replicas: 4, template: apart() })), until: pods(4, 3) },
      { act: change(KIND, { replicas: 3 }), until: ({ pods: all }) => all.length === 3 && all.every(isReady) },
    ],
  },
  {
    title: "pods of another template stay when the ReplicaSet's changes",
    steps: [
      { act: create(replicaSet()) },
      { act: change(KIND, { template: template("web:2"), minReadySeconds: 1, replicas: 4 }), until: pods(4, 4) },
    ],
  },
];
