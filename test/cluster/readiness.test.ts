import { expect, test } from "vitest";
import { type Observed, readiness } from "../../src/cluster/named/readiness.js";

const BEGAN = Date.parse("2026-01-01T12:00:00.500Z");

const none: Observed = {
  nodes: [],
  pods: [],
  deployments: [],
  replicaSets: [],
  statefulSets: [],
  daemonSets: [],
  jobs: [],
};
const metadata = (name: string, more: object = {}) => ({ name, namespace: "shop", uid: name, ...more });
const ready = (name: string, more: object = {}, spec: object = {}) => ({
  metadata: metadata(name),
  spec,
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }], ...more },
});
const pending = (name: string, status: object, spec: object = { nodeName: "node-1" }) => ({
  metadata: metadata(name),
  spec,
  status: { phase: "Pending", ...status },
});
const waiting = (reason: string, message = "") => ({
  containerStatuses: [{ name: "main", state: { waiting: { reason, message } } }],
});
const ownedBy = (uid: string) => ({ ownerReferences: [{ controller: true, uid }] });
const since = (startedAt: string) => ({ containerStatuses: [{ name: "main", state: { running: { startedAt } } }] });
const ownNode = {
  metadata: { name: "node-1" },
  status: {
    nodeInfo: { osImage: "kubets" },
    addresses: [{ type: "Hostname", address: "node-1" }],
    conditions: [{ type: "Ready", status: "True" }],
  },
};
const otherNode = { ...ownNode, status: { ...ownNode.status, nodeInfo: { osImage: "Debian" } } };

test.each<[string, object, string[]]>([
  ["a pod that is ready: nothing", { pods: [ready("a")] }, []],
  [
    "pods that have ended, or are being deleted: nothing",
    {
      pods: [
        pending("a", { phase: "Succeeded" }),
        pending("b", { phase: "Failed" }),
        { ...pending("c", {}), metadata: metadata("c", { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
      ],
    },
    [],
  ],
  ["a pod without a node", { pods: [pending("a", {}, {})] }, ["good pod/a Pending: no node has been chosen for it"]],
  [
    "a pod that no node takes",
    {
      pods: [
        pending(
          "a",
          { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1" }] },
          {},
        ),
      ],
    },
    ["hardly pod/a Unschedulable: 0/1"],
  ],
  [
    "a pod whose container is being made",
    { pods: [pending("a", waiting("ContainerCreating"))] },
    ['good pod/a ContainerCreating: container "main"'],
  ],
  [
    "a pod whose image is refused",
    { pods: [pending("a", waiting("InvalidImageName", "bad"))] },
    ['hardly pod/a InvalidImageName: container "main": bad'],
  ],
  [
    "a pod whose init container runs",
    {
      pods: [
        pending("a", {
          initContainerStatuses: [{ name: "wait", started: false, state: { running: {} } }],
          ...waiting("PodInitializing"),
        }),
      ],
    },
    ['good pod/a PodInitializing: init container "wait" has not ended'],
  ],
  [
    "a pod whose sidecar runs and whose container crashed",
    {
      pods: [
        pending("a", {
          phase: "Running",
          initContainerStatuses: [{ name: "log", started: true, state: { running: {} } }],
          containerStatuses: [
            {
              name: "main",
              state: { waiting: { reason: "CrashLoopBackOff", message: "back-off" } },
              lastState: { terminated: { exitCode: 3 } },
            },
          ],
        }),
      ],
    },
    ['hardly pod/a CrashLoopBackOff: container "main": back-off; it last exited with code 3'],
  ],
  [
    "a status that an earlier process of the cluster wrote",
    {
      nodes: [ownNode],
      pods: [ready("a", since("2026-01-01T11:59:59Z"), { nodeName: "node-1" })],
    },
    ["good pod/a ContainerCreating: its containers have not started again"],
  ],
  [
    "a status of this process, in the second in which it began: nothing",
    {
      nodes: [ownNode],
      pods: [ready("a", since("2026-01-01T12:00:00Z"), { nodeName: "node-1" })],
    },
    [],
  ],
  [
    "an older status of another program's node: nothing",
    {
      nodes: [otherNode],
      pods: [ready("a", since("2026-01-01T11:59:59Z"), { nodeName: "node-1" })],
    },
    [],
  ],
  [
    "a node that is not ready",
    { nodes: [{ metadata: { name: "n", uid: "n" } }] },
    ["good node/n NotReady: no kubelet has posted its status"],
  ],
  [
    "a Deployment of which no controller knows",
    { deployments: [{ metadata: metadata("d", { generation: 1 }), spec: { replicas: 2 } }] },
    ["hardly deployment.apps/d NotObserved: no controller has seen it yet"],
  ],
  [
    "a Deployment whose pods are refused",
    {
      deployments: [
        {
          metadata: metadata("d"),
          spec: { replicas: 2 },
          status: {
            conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "quota" }],
          },
        },
      ],
    },
    ["hardly deployment.apps/d FailedCreate: quota"],
  ],
  [
    "workloads whose pods are being made; a paused Deployment and a Deployment's ReplicaSet are not among them",
    {
      deployments: [
        { metadata: metadata("d"), spec: { replicas: 2 }, status: { updatedReplicas: 1 } },
        { metadata: metadata("paused"), spec: { replicas: 2, paused: true } },
      ],
      replicaSets: [
        { metadata: metadata("r", ownedBy("d")), spec: { replicas: 2 } },
        { metadata: metadata("alone"), spec: {} },
      ],
      statefulSets: [{ metadata: metadata("s"), spec: { replicas: 3 }, status: { replicas: 3 } }],
      daemonSets: [{ metadata: metadata("e"), status: { desiredNumberScheduled: 2, currentNumberScheduled: 0 } }],
    },
    [
      "good deployment.apps/d PodsMissing: 1 of 2 pods exist",
      "good replicaset.apps/alone PodsMissing: 0 of 1 pods exist",
      "good daemonset.apps/e PodsMissing: 0 of 2 pods exist",
    ],
  ],
  [
    "a Job whose pod is ready, which has to end",
    {
      jobs: [{ metadata: metadata("j") }],
      pods: [{ ...ready("a"), metadata: metadata("a", ownedBy("j")) }],
    },
    ["good pod/a Running: its Job has not completed"],
  ],
  [
    "Jobs between two pods, complete, suspended and failed",
    {
      jobs: [
        { metadata: metadata("between") },
        { metadata: metadata("done"), status: { conditions: [{ type: "Complete", status: "True" }] } },
        { metadata: metadata("suspended"), spec: { suspend: true } },
        {
          metadata: metadata("failed"),
          status: {
            conditions: [{ type: "Failed", status: "True", reason: "BackoffLimitExceeded", message: "often" }],
          },
        },
      ],
    },
    [
      "good job.batch/between Incomplete: it has not completed, and no pod of it runs",
      "never job.batch/failed BackoffLimitExceeded: often",
    ],
  ],
])("waiting for a cluster reports what is not ready: %s", (_title, observed, expected) => {
  const { unready } = readiness({ ...none, ...observed }, { began: BEGAN, failedJobs: true });
  expect(unready.map(({ prospect, object, reason, message }) => `${prospect} ${object} ${reason}: ${message}`)).toEqual(
    expected,
  );
});

test("waiting for a cluster counts pods that controllers have yet to create", () => {
  const deployments = [
    { metadata: metadata("d"), spec: { replicas: 3 }, status: { updatedReplicas: 1 } },
  ] as unknown as Observed["deployments"];
  const pods = [ready("a"), pending("b", {}), pending("c", { phase: "Succeeded" })] as Observed["pods"];
  const found = readiness({ ...none, deployments, pods }, { began: BEGAN, failedJobs: true });
  expect([found.nodes, found.pods]).toEqual([
    { all: 0, ready: 0 },
    { all: 4, ready: 1 },
  ]);
});
