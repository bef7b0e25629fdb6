import type { DaemonSet, Deployment, StatefulSet } from "../../api/types/apps/v1.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { GroupKind } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { absent, number, object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { revisionOf } from "./revision.js";

/** The progress of a rollout. Numbers count pods. */
export type RolloutStatus =
  /** The controller has not seen the object's last change. */
  | { readonly step: "unobserved" }
  /** So many of the wanted pods are new. A StatefulSet without a partition names the revision that it goes to. */
  | { readonly step: "updating"; readonly updated: number; readonly wanted: number; readonly revision?: string }
  /** All new pods are there, and so many old ones still. */
  | { readonly step: "terminating"; readonly old: number }
  /** So many of the new pods are available. */
  | { readonly step: "unavailable"; readonly available: number; readonly wanted: number }
  /** A StatefulSet waits for so many pods. */
  | { readonly step: "unready"; readonly missing: number }
  /** Nothing more is waited for. Of a StatefulSet: its pods, and without a partition their revision. */
  | { readonly step: "complete"; readonly updated: number; readonly revision?: string };

/** Computes the progress of a rollout. Throws where it failed, or where its progress is unknown. `revision` 0 means the current one. */
export type StatusViewer = (object: KubeObject, revision: bigint) => RolloutStatus;

const VIEWERS: Readonly<Record<string, StatusViewer>> = {
  "Deployment.apps": deploymentStatus,
  "Deployment.extensions": deploymentStatus,
  "DaemonSet.apps": daemonSetStatus,
  "DaemonSet.extensions": daemonSetStatus,
  "StatefulSet.apps": statefulSetStatus,
};

/** Throws for a kind that is not rolled out. */
export function statusViewerFor({ group, kind }: GroupKind): StatusViewer {
  const key = group === "" ? kind : `${kind}.${group}`;
  const viewer = Object.hasOwn(VIEWERS, key) ? VIEWERS[key] : undefined;
  if (viewer === undefined) throw new Error(`no status viewer has been implemented for ${key}`);
  return viewer;
}

function deploymentStatus(deployment: ReceivedObject<Deployment>, revision: bigint): RolloutStatus {
  const { name = "", generation = 0 } = deployment.metadata ?? {};
  const { replicas } = object(deployment.spec);
  const status = object(deployment.status);
  if (revision > 0n) requireRevision(deployment, revision);
  if (generation > number(status.observedGeneration)) return { step: "unobserved" };
  const progressing = objects(status.conditions).find(({ type }) => type === "Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded") {
    throw new Error(`deployment ${goQuote(name)} exceeded its progress deadline`);
  }
  const [total, updated, available] = [
    number(status.replicas),
    number(status.updatedReplicas),
    number(status.availableReplicas),
  ];
  if (!absent(replicas) && updated < number(replicas)) {
    return { step: "updating", updated, wanted: number(replicas) };
  }
  if (total > updated) return { step: "terminating", old: total - updated };
  if (available < updated) return { step: "unavailable", available, wanted: updated };
  return { step: "complete", updated };
}

function requireRevision(deployment: ReceivedObject<Deployment>, wanted: bigint): void {
  let running: bigint;
  try {
    running = revisionOf(deployment);
  } catch (error) {
    const { name = "" } = deployment.metadata ?? {};
    throw new Error(`cannot get the revision of deployment ${goQuote(name)}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  if (running !== wanted) {
    throw new Error(`desired revision (${wanted}) is different from the running revision (${running})`);
  }
}

/** A DaemonSet's revision cannot be asked for. */
function daemonSetStatus(daemonSet: ReceivedObject<DaemonSet>): RolloutStatus {
  requireRollingUpdate(daemonSet);
  const { generation = 0 } = daemonSet.metadata ?? {};
  const status = object(daemonSet.status);
  if (generation > number(status.observedGeneration)) return { step: "unobserved" };
  const wanted = number(status.desiredNumberScheduled);
  const [updated, available] = [number(status.updatedNumberScheduled), number(status.numberAvailable)];
  if (updated < wanted) return { step: "updating", updated, wanted };
  if (available < wanted) return { step: "unavailable", available, wanted };
  return { step: "complete", updated };
}

function statefulSetStatus(statefulSet: ReceivedObject<StatefulSet>): RolloutStatus {
  requireRollingUpdate(statefulSet);
  const { generation = 0 } = statefulSet.metadata ?? {};
  const spec = object(statefulSet.spec);
  const status = object(statefulSet.status);
  const observed = number(status.observedGeneration);
  if (observed === 0 || generation > observed) return { step: "unobserved" };
  const replicas = absent(spec.replicas) ? undefined : number(spec.replicas);
  const missing = (replicas ?? 0) - number(status.readyReplicas);
  if (replicas !== undefined && missing > 0) return { step: "unready", missing };
  const updated = number(status.updatedReplicas);
  const { rollingUpdate } = object(spec.updateStrategy);
  if (!absent(rollingUpdate)) {
    const { partition } = object(rollingUpdate);
    const wanted = (replicas ?? 0) - number(partition);
    if (replicas !== undefined && !absent(partition) && updated < wanted) {
      return { step: "updating", updated, wanted };
    }
    return { step: "complete", updated };
  }
  const [current, update] = [text(status.currentRevision), text(status.updateRevision)];
  if (update !== current) return { step: "updating", updated, wanted: replicas ?? 0, revision: update };
  return { step: "complete", updated: number(status.currentReplicas), revision: current };
}

function requireRollingUpdate({ spec }: ReceivedObject<DaemonSet | StatefulSet>): void {
  if (object(object(spec).updateStrategy).type !== "RollingUpdate") {
    throw new Error("rollout status is only available for RollingUpdate strategy type");
  }
}
