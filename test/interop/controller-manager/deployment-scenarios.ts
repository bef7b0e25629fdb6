import { setTimeout } from "node:timers/promises";
import {
  change,
  create,
  deployment,
  replicaSet,
  type Scenario,
  SELECTOR,
  type Step,
  stuck,
  template,
  update,
} from "./scenario.js";
import { pods, type Seen } from "./seen.js";

const KIND = "Deployment";
const rolling = (maxSurge: number | string, maxUnavailable: number | string) =>
  ({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } }) as const;
const hasCondition =
  (type: string, reason: string) =>
  ({ deployments }: Seen): boolean =>
    deployments.every(({ status }) => status?.conditions?.some((one) => one.type === type && one.reason === reason));
const setCount =
  (count: number) =>
  ({ replicaSets }: Seen): boolean =>
    replicaSets.length === count;

/** The oldest ReplicaSets go first. Of those that are made in the same second, their names decide. */
const aSecondLater =
  (act: Step["act"]): Step["act"] =>
  async (session) => {
    await setTimeout(1100);
    await act(session);
  };

export const deploymentScenarios: readonly Scenario[] = [
  { title: "a Deployment is created", steps: [{ act: create(deployment()) }] },
  {
    title: "a rolling update with surge and without unavailable pods",
    steps: [{ act: create(deployment(rolling(2, 0))) }, { act: update(KIND, "web:2") }],
  },
  {
    title: "a rolling update with half of the pods unavailable and no surge",
    steps: [{ act: create(deployment({ replicas: 4, ...rolling(0, "50%") })) }, { act: update(KIND, "web:2") }],
  },
  {
    title: "recreation",
    steps: [{ act: create(deployment({ strategy: { type: "Recreate" } })) }, { act: update(KIND, "web:2") }],
  },
  {
    title: "a Deployment that is created paused, changed and resumed",
    steps: [
      { act: create(deployment({ paused: true })), until: setCount(0) },
      { act: update(KIND, "web:2"), until: setCount(0) },
      { act: change(KIND, { paused: false }) },
    ],
  },
  {
    title: "a pause with a change of the template and of the size",
    steps: [
      { act: create(deployment()) },
      { act: change(KIND, { paused: true }), until: hasCondition("Progressing", "DeploymentPaused") },
      { act: change(KIND, { template: template("web:2"), replicas: 5 }), until: pods(5, 5) },
      { act: change(KIND, { paused: null }) },
    ],
  },
  {
    title: "a rollback by the template of an earlier revision",
    steps: [
      { act: create(deployment()) },
      { act: update(KIND, "web:2") },
      { act: update(KIND, "web:3") },
      { act: update(KIND, "web:1") },
    ],
  },
  {
    title: "scaling up, down and to nothing",
    steps: [
      { act: create(deployment()) },
      { act: change(KIND, { replicas: 7 }) },
      { act: change(KIND, { replicas: 2 }) },
      { act: change(KIND, { replicas: 0 }), until: pods(0, 0) },
    ],
  },
  {
    title: "scaling in the middle of a rollout is proportional",
    steps: [
      { act: create(deployment({ replicas: 10, ...rolling(3, 2) })) },
      { act: change(KIND, { template: stuck() }), until: pods(13, 8) },
      { act: change(KIND, { replicas: 15 }), until: pods(18, 11) },
      { act: change(KIND, { replicas: 6 }), until: ({ pods: all }) => all.length === 9 },
    ],
  },
  {
    title: "a rollout that is replaced in its middle",
    steps: [
      { act: create(deployment({ replicas: 4 })) },
      { act: change(KIND, { template: stuck("web:2") }), until: pods(5, 3) },
      { act: change(KIND, { template: stuck("web:3") }), until: ({ replicaSets }) => replicaSets.length === 3 },
      { act: update(KIND, "web:4") },
    ],
  },
  {
    title: "the history limit",
    steps: [
      { act: create(deployment({ revisionHistoryLimit: 1 })) },
      { act: aSecondLater(update(KIND, "web:2")) },
      { act: aSecondLater(update(KIND, "web:3")), until: setCount(2) },
      { act: update(KIND, "web:4"), until: setCount(2) },
    ],
  },
  {
    title: "annotations are copied to ReplicaSets, and revisions kept",
    steps: [
      {
        act: create(
          deployment(
            {},
            {
              annotations: {
                "kubernetes.io/change-cause": "first",
                "kubectl.kubernetes.io/last-applied-configuration": "{}",
                "example.com/owner": "shop",
              },
            },
          ),
        ),
      },
      {
        async act({ patch }) {
          await patch(KIND, "web", {
            metadata: { annotations: { "kubernetes.io/change-cause": "second", "example.com/owner": null } },
            spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } },
          });
        },
      },
      {
        async act({ patch }) {
          await patch(KIND, "web", { metadata: { annotations: { "kubernetes.io/change-cause": "third" } } });
        },
      },
      { act: update(KIND, "web:1") },
    ],
  },
  {
    title: "an orphaned ReplicaSet of the same template is adopted",
    steps: [{ act: create(replicaSet({ replicas: 2 })) }, { act: create(deployment()) }],
  },
  {
    title: "an orphaned ReplicaSet of another template is adopted and scaled down",
    steps: [
      { act: create(replicaSet({ template: template("web:0") }, { name: "old" })) },
      { act: create(deployment()) },
    ],
  },
  {
    title: "a Deployment is deleted without its ReplicaSets, and made again",
    steps: [
      { act: create(deployment()) },
      { act: update(KIND, "web:2") },
      {
        act: ({ delete: remove }) => remove(KIND, "web", { propagationPolicy: "Orphan" }),
        until: ({ deployments, replicaSets }) =>
          deployments.length === 0 && replicaSets.every(({ metadata }) => metadata?.ownerReferences === undefined),
      },
      { act: create(deployment({ template: template("web:2") })) },
    ],
  },
  {
    title: "a rollout exceeds its deadline, and recovers",
    steps: [
      { act: create(deployment({ progressDeadlineSeconds: 2, minReadySeconds: 1 })) },
      {
        act: change(KIND, { template: stuck() }),
        until: hasCondition("Progressing", "ProgressDeadlineExceeded"),
      },
      { act: update(KIND, "web:3") },
    ],
  },
  {
    title: "pods that admission refuses",
    steps: [
      {
        act: create(deployment({ template: template("web:1", { priorityClassName: "missing" }) })),
        until: hasCondition("ReplicaFailure", "FailedCreate"),
      },
      { act: change(KIND, { template: template("web:2", { priorityClassName: null }) }) },
    ],
  },
  {
    title: "a selector of expressions",
    steps: [
      {
        act: create(
          deployment({
            selector: { ...SELECTOR, matchExpressions: [{ key: "app", operator: "In", values: ["web", "other"] }] },
          }),
        ),
      },
      { act: update(KIND, "web:2") },
    ],
  },
];
