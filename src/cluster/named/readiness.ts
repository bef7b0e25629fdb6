import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from "../../api/types/apps/v1.js";
import type { Job } from "../../api/types/batch/v1.js";
import type { Node, Pod } from "../../api/types/core/v1.js";
import { conditionOf, heldFault, nodeProblem } from "./cluster-health.js";
import { isOfThisProgram } from "../nodes/remove-node.js";
import { type Fault, podDelay } from "./pod-problem.js";

/** The objects that show whether a cluster is ready. */
export type Observed = {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly deployments: readonly Deployment[];
  readonly replicaSets: readonly ReplicaSet[];
  readonly statefulSets: readonly StatefulSet[];
  readonly daemonSets: readonly DaemonSet[];
  readonly jobs: readonly Job[];
};

export interface ReadinessOptions {
  /**
   * When the server began to start, in milliseconds since the epoch. A status that an earlier process of the cluster wrote says nothing of a pod,
   * until this process has started its containers.
   */
  readonly began: number;
  /** Whether a Job that has failed counts. Otherwise it has ended and is left alone. */
  readonly failedJobs: boolean;
}

/** An object that is not ready, and why. */
export interface Unready extends Delay {
  readonly uid: string;
  /** "pod/web-1", "node/node-1". */
  readonly object: string;
  /** Absent for objects that have none. */
  readonly namespace?: string | undefined;
}

interface Delay extends Fault {
  /** Whether it becomes ready as it is: "never" is final, "hardly" needs a change from outside. */
  readonly prospect: "good" | "hardly" | "never";
}

/** The readiness of a cluster: what is ready, and what is not. */
export interface Readiness {
  readonly nodes: { readonly all: number; readonly ready: number };
  /** Pods that have ended or are being deleted do not count. Those that controllers have yet to make do. */
  readonly pods: { readonly all: number; readonly ready: number };
  /** Nodes first, then workloads, then pods. Where there are none, the cluster is ready. */
  readonly unready: readonly Unready[];
}

export function readiness(observed: Observed, { began, failedJobs }: ReadinessOptions): Readiness {
  const { nodes, jobs } = observed;
  const ownNodes = new Set(nodes.filter(isOfThisProgram).map(({ metadata }) => metadata?.name));
  const pods = observed.pods.filter(({ metadata, status }) => {
    const isOver = status?.phase === "Succeeded" || status?.phase === "Failed";
    return !isOver && metadata?.deletionTimestamp === undefined;
  });
  const ofJobs = new Set(jobs.map(({ metadata }) => metadata?.uid));
  const delayOfPod = (pod: Pod): Fault | undefined => {
    const known = podDelay(pod);
    if (known !== undefined) return known;
    if (ofJobs.has(controllerOf(pod))) return { reason: "Running", message: "its Job has not completed" };
    const isOld = ownNodes.has(pod.spec?.nodeName) && startOf(pod) < began;
    return isOld ? { reason: "ContainerCreating", message: "its containers have not started again" } : undefined;
  };
  const unreadyNodes = nodes.flatMap((node) => unready("node", node, withProspect(nodeProblem(node))));
  const unreadyPods = pods.flatMap((pod) => unready("pod", pod, withProspect(delayOfPod(pod))));
  const busyOwners = new Set(pods.map(controllerOf));
  const unreadyJobs = jobs.flatMap((job) => {
    const delay = jobDelay(job, failedJobs);
    // The pods of one that runs say more.
    const isSaid = delay?.prospect === "good" && busyOwners.has(job.metadata?.uid);
    return isSaid ? [] : unready("job.batch", job, delay);
  });
  const workloads = workloadsOf(observed).map(({ kind, object, ...counts }) => {
    const missing = Math.max(counts.wanted - counts.present, 0);
    return { missing, unready: unready(kind, object, workloadDelay(object, counts)) };
  });
  const owed = workloads.reduce((sum, { missing }) => sum + missing, 0);
  return {
    nodes: { all: nodes.length, ready: nodes.length - unreadyNodes.length },
    pods: { all: pods.length + owed, ready: pods.length - unreadyPods.length },
    unready: [...unreadyNodes, ...workloads.flatMap((one) => one.unready), ...unreadyJobs, ...unreadyPods],
  };
}

type Workload = Deployment | ReplicaSet | StatefulSet | DaemonSet;

/** A paused Deployment makes no pods. */
const isPaused = ({ spec }: Workload): boolean => spec !== undefined && "paused" in spec && spec.paused === true;

interface Counts {
  readonly wanted: number;
  readonly present: number;
}

/** Everything that makes pods for as long as it is there. A ReplicaSet of a Deployment counts as that. */
function workloadsOf({ deployments, replicaSets, statefulSets, daemonSets }: Observed) {
  const scaled = (kind: string, object: Exclude<Workload, DaemonSet>, present = 0) => ({
    kind,
    object,
    wanted: object.spec?.replicas ?? 1,
    present,
  });
  return [
    ...deployments.map((one) => scaled("deployment.apps", one, one.status?.updatedReplicas)),
    ...replicaSets
      .filter((one) => controllerOf(one) === undefined)
      .map((one) => scaled("replicaset.apps", one, one.status?.replicas)),
    ...statefulSets.map((one) => scaled("statefulset.apps", one, one.status?.replicas)),
    ...daemonSets.map((object) => ({
      kind: "daemonset.apps",
      object: object as Workload,
      wanted: object.status?.desiredNumberScheduled ?? 0,
      present: object.status?.currentNumberScheduled ?? 0,
    })),
  ].filter(({ object }) => object.metadata?.deletionTimestamp === undefined && !isPaused(object));
}

function workloadDelay(object: Workload, { wanted, present }: Counts): Delay | undefined {
  const { generation = 0 } = object.metadata ?? {};
  if ((object.status?.observedGeneration ?? 0) < generation) {
    return { reason: "NotObserved", message: "no controller has seen it yet", prospect: "hardly" };
  }
  if (present >= wanted) return undefined;
  const failed = heldFault(object, "ReplicaFailure", "True");
  if (failed !== undefined) return { ...failed, prospect: "hardly" };
  return { reason: "PodsMissing", message: `${present} of ${wanted} pods exist`, prospect: "good" };
}

function jobDelay(job: Job, failedJobs: boolean): Delay | undefined {
  if (job.metadata?.deletionTimestamp !== undefined || job.spec?.suspend === true) return undefined;
  const failed = heldFault(job, "Failed", "True");
  if (failed !== undefined) return failedJobs ? { ...failed, prospect: "never" } : undefined;
  if (conditionOf(job, "Complete")?.status === "True") return undefined;
  return { reason: "Incomplete", message: "it has not completed, and no pod of it runs", prospect: "good" };
}

/** A pod that waits for one of these becomes ready by a change from outside, or by luck. */
const HARDLY: ReadonlySet<string> = new Set([
  "Unschedulable",
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
  "CrashLoopBackOff",
  "NotRunAgain",
]);

const withProspect = (fault: Fault | undefined): Delay | undefined =>
  fault && { ...fault, prospect: HARDLY.has(fault.reason) ? "hardly" : "good" };

interface Owned {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[];
  };
}

function unready(kind: string, { metadata = {} }: Owned, delay: Delay | undefined): readonly Unready[] {
  const { name = "", namespace, uid = "" } = metadata;
  return delay === undefined ? [] : [{ uid, object: `${kind}/${name}`, namespace, ...delay }];
}

const controllerOf = ({ metadata }: Owned): string | undefined =>
  metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;

/** When the containers that run were started, the earliest; to the second, as the API has times. */
function startOf({ status }: Pod): number {
  const starts = (status?.containerStatuses ?? []).map(({ state }) => Date.parse(state?.running?.startedAt ?? ""));
  return Math.min(...starts.filter((time) => !Number.isNaN(time)).map((time) => time + 999));
}
