import type { Deployment } from "../../api/types/apps/v1.js";
import type { Job } from "../../api/types/batch/v1.js";
import type { Node, Pod } from "../../api/types/core/v1.js";
import { type Fault, podProblem } from "./pod-problem.js";
import type { StandIns } from "./stand-ins.js";

/** The objects from which the health of a cluster is computed. */
export interface Observed {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly deployments: readonly Deployment[];
  readonly jobs: readonly Job[];
  readonly standIns: StandIns;
}

export interface Problem extends Fault {
  /** "pod/web-1", "node/node-1". */
  readonly object: string;
  /** Absent for objects that have none. */
  readonly namespace?: string | undefined;
}

/** The health of a cluster: how many of its nodes and pods are ready, and what is wrong. */
export interface ClusterHealth {
  readonly nodes: { readonly all: number; readonly ready: number };
  /** Pods that have completed count in `completed` alone. */
  readonly pods: { readonly all: number; readonly ready: number; readonly completed: number };
  readonly standIns: StandIns;
  /** Nodes first, then workloads, then pods. */
  readonly problems: readonly Problem[];
}

export function clusterHealth({ nodes, pods, deployments, jobs, standIns }: Observed): ClusterHealth {
  const completed = pods.filter(({ status }) => status?.phase === "Succeeded").length;
  return {
    nodes: { all: nodes.length, ready: nodes.filter((node) => conditionOf(node, "Ready")?.status === "True").length },
    pods: {
      all: pods.length - completed,
      ready: pods.filter((pod) => pod.status?.phase === "Running" && conditionOf(pod, "Ready")?.status === "True")
        .length,
      completed,
    },
    standIns,
    problems: [
      ...nodes.flatMap((node) => problem("node", node, nodeProblem(node))),
      ...deployments.flatMap((deployment) => problem("deployment.apps", deployment, deploymentProblem(deployment))),
      ...jobs.flatMap((job) => problem("job.batch", job, heldFault(job, "Failed", "True"))),
      ...pods.flatMap((pod) => problem("pod", pod, podProblem(pod))),
    ],
  };
}

interface Conditioned {
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

function problem(kind: string, { metadata }: Conditioned, fault: Fault | undefined): Problem[] {
  if (fault === undefined) return [];
  return [{ object: `${kind}/${metadata?.name ?? ""}`, namespace: metadata?.namespace, ...fault }];
}

export function nodeProblem(node: Node): Fault | undefined {
  const ready = conditionOf(node, "Ready");
  if (ready?.status === "True") return undefined;
  return { reason: "NotReady", message: ready?.message ?? "no kubelet has posted its status" };
}

function deploymentProblem(deployment: Deployment): Fault | undefined {
  return heldFault(deployment, "Progressing", "False") ?? heldFault(deployment, "ReplicaFailure", "True");
}

/** The fault of a condition that has this status. */
export function heldFault(object: Conditioned, type: string, status: string): Fault | undefined {
  const condition = conditionOf(object, type);
  if (condition?.status !== status) return undefined;
  return { reason: condition.reason ?? type, message: condition.message ?? "" };
}

export const conditionOf = ({ status }: Conditioned, type: string): Condition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);
