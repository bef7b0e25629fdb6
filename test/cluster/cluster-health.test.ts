import { describe, expect, test } from "vitest";
import type { Pod } from "../../src/api/types/core/v1.js";
import { clusterHealth, type Observed } from "../../src/cluster/named/cluster-health.js";
import { podProblem } from "../../src/cluster/named/pod-problem.js";

const pod = (status: object, metadata: object = {}): Pod => ({ metadata: { name: "web", ...metadata }, status }) as Pod;
const waiting = (reason: string, message = "") => ({
  phase: "Pending",
  containerStatuses: [{ name: "main", state: { waiting: { reason, message } } }],
});
const ready = (status: string, more: object = {}) => ({
  phase: "Running",
  conditions: [{ type: "Ready", status, ...more }],
});

describe("what a cluster's status reports as wrong with a pod", () => {
  test.each<[string, Pod, string | undefined]>([
    ["nothing: it is ready", pod(ready("True")), undefined],
    ["nothing: it has completed", pod({ phase: "Succeeded" }), undefined],
    ["nothing: its containers are being made", pod(waiting("ContainerCreating")), undefined],
    ["nothing: the scheduler has not seen it", pod({ phase: "Pending" }), undefined],
    [
      "nothing: it is being deleted",
      pod(ready("False", { reason: "ContainersNotReady" }), { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      undefined,
    ],
    [
      "no node takes it",
      pod({
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/1 nodes" }],
      }),
      "Unschedulable: 0/1 nodes",
    ],
    [
      "its image cannot be pulled",
      pod(waiting("ImagePullBackOff", 'Back-off pulling image "x"')),
      'ImagePullBackOff: Back-off pulling image "x"',
    ],
    [
      "its container crashes",
      pod({ ...waiting("CrashLoopBackOff", "back-off 10s"), phase: "Running" }),
      "CrashLoopBackOff: back-off 10s",
    ],
    [
      "an init container crashes",
      pod({
        phase: "Pending",
        initContainerStatuses: [{ name: "init", state: { waiting: { reason: "CrashLoopBackOff", message: "later" } } }],
        containerStatuses: [{ name: "main", state: { waiting: { reason: "PodInitializing" } } }],
      }),
      "CrashLoopBackOff: later",
    ],
    [
      "it runs and is not ready",
      pod(ready("False", { reason: "ContainersNotReady", message: "containers with unready status: [main]" })),
      "ContainersNotReady: containers with unready status: [main]",
    ],
    [
      "it has failed",
      pod({
        phase: "Failed",
        containerStatuses: [{ name: "main", state: { terminated: { exitCode: 3, reason: "Error" } } }],
      }),
      "Error: container main exited with code 3",
    ],
    ["it was evicted", pod({ phase: "Failed", reason: "Evicted", message: "low on memory" }), "Evicted: low on memory"],
  ])("%s", (_title, object, expected) => {
    const problem = podProblem(object);
    expect(problem && `${problem.reason}: ${problem.message}`).toBe(expected);
  });
});

describe("a cluster's status", () => {
  const condition = (type: string, status: string, reason: string, message: string) => ({
    status: { conditions: [{ type, status, reason, message }] },
  });
  const standIns = { containers: 0, pods: 0, silentNodes: 0, webhooks: [] };
  const none: Observed = { nodes: [], pods: [], deployments: [], jobs: [], standIns };

  test("counts nodes and pods, completed pods separately", () => {
    const nodes = [
      { metadata: { name: "a" }, ...condition("Ready", "True", "KubeletReady", "") },
      {
        metadata: { name: "b" },
        ...condition("Ready", "Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."),
      },
    ] as Observed["nodes"];
    const pods = [pod(ready("True")), pod({ phase: "Pending" }), pod({ phase: "Succeeded" })];
    expect(clusterHealth({ ...none, nodes, pods })).toEqual({
      nodes: { all: 2, ready: 1 },
      pods: { all: 2, ready: 1, completed: 1 },
      standIns,
      problems: [
        { object: "node/b", namespace: undefined, reason: "NotReady", message: "Kubelet stopped posting node status." },
      ],
    });
  });

  test("reports a stuck rollout and a failed Job as problems", () => {
    const named = (name: string) => ({ metadata: { name, namespace: "shop" } });
    const deadline = condition("Progressing", "False", "ProgressDeadlineExceeded", "timed out");
    const quota = condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota");
    const health = clusterHealth({
      ...none,
      deployments: [
        { ...named("web"), ...deadline },
        { ...named("api"), ...quota },
        { ...named("good"), ...condition("Progressing", "True", "NewReplicaSetAvailable", "") },
      ] as unknown as Observed["deployments"],
      jobs: [
        { ...named("sum"), ...condition("Failed", "True", "BackoffLimitExceeded", "too often") },
      ] as Observed["jobs"],
    });
    expect(health.problems.map(({ object, reason }) => `${object} ${reason}`)).toEqual([
      "deployment.apps/web ProgressDeadlineExceeded",
      "deployment.apps/api FailedCreate",
      "job.batch/sum BackoffLimitExceeded",
    ]);
  });
});
