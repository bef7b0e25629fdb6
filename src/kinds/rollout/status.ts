import { goQuote } from "../../base/go-quote.js";
import { number, object, objects, text } from "../../machinery/meta/access.js";
import type { GroupKind } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { revisionOf } from "./revision.js";

/** How far a rollout is: a line for people, with its newline, and whether there is nothing more to wait for. */
export interface RolloutStatus {
  readonly text: string;
  readonly done: boolean;
}

/** Throws where the rollout failed, or cannot be told. `revision` 0 is whichever runs. */
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

const waiting = (line: string): RolloutStatus => ({ text: `${line}\n`, done: false });
const finished = (line: string): RolloutStatus => ({ text: `${line}\n`, done: true });

function deploymentStatus(deployment: KubeObject, revision: bigint): RolloutStatus {
  const { name = "", generation = 0 } = deployment.metadata ?? {};
  const { replicas } = object(deployment.spec);
  const status = object(deployment.status);
  if (revision > 0n) requireRevision(deployment, revision);
  if (generation > number(status.observedGeneration)) {
    return waiting("Waiting for deployment spec update to be observed...");
  }
  const progressing = objects(status.conditions).find(({ type }) => type === "Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded") {
    throw new Error(`deployment ${goQuote(name)} exceeded its progress deadline`);
  }
  const [total, updated, available] = [
    number(status.replicas),
    number(status.updatedReplicas),
    number(status.availableReplicas),
  ];
  const rest = (what: string): RolloutStatus =>
    waiting(`Waiting for deployment ${goQuote(name)} rollout to finish: ${what}...`);
  if (replicas !== undefined && updated < number(replicas)) {
    return rest(`${updated} out of ${number(replicas)} new replicas have been updated`);
  }
  if (total > updated) return rest(`${total - updated} old replicas are pending termination`);
  if (available < updated) return rest(`${available} of ${updated} updated replicas are available`);
  return finished(`deployment ${goQuote(name)} successfully rolled out`);
}

function requireRevision(deployment: KubeObject, wanted: bigint): void {
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
function daemonSetStatus(daemonSet: KubeObject): RolloutStatus {
  requireRollingUpdate(daemonSet);
  const { name = "", generation = 0 } = daemonSet.metadata ?? {};
  const status = object(daemonSet.status);
  if (generation > number(status.observedGeneration)) {
    return waiting("Waiting for daemon set spec update to be observed...");
  }
  const desired = number(status.desiredNumberScheduled);
  const [updated, available] = [number(status.updatedNumberScheduled), number(status.numberAvailable)];
  const rest = (what: string): RolloutStatus =>
    waiting(`Waiting for daemon set ${goQuote(name)} rollout to finish: ${what}...`);
  if (updated < desired) return rest(`${updated} out of ${desired} new pods have been updated`);
  if (available < desired) return rest(`${available} of ${desired} updated pods are available`);
  return finished(`daemon set ${goQuote(name)} successfully rolled out`);
}

function statefulSetStatus(statefulSet: KubeObject): RolloutStatus {
  requireRollingUpdate(statefulSet);
  const { generation = 0 } = statefulSet.metadata ?? {};
  const spec = object(statefulSet.spec);
  const status = object(statefulSet.status);
  const observed = number(status.observedGeneration);
  if (observed === 0 || generation > observed) {
    return waiting("Waiting for statefulset spec update to be observed...");
  }
  const replicas = spec.replicas === undefined ? undefined : number(spec.replicas);
  const missing = (replicas ?? 0) - number(status.readyReplicas);
  if (replicas !== undefined && missing > 0) return waiting(`Waiting for ${missing} pods to be ready...`);
  const updated = number(status.updatedReplicas);
  const { rollingUpdate } = object(spec.updateStrategy);
  if (rollingUpdate !== undefined) {
    const { partition } = object(rollingUpdate);
    const wanted = (replicas ?? 0) - number(partition);
    if (replicas !== undefined && partition !== undefined && updated < wanted) {
      return waiting(
        `Waiting for partitioned roll out to finish: ${updated} out of ${wanted} new pods have been updated...`,
      );
    }
    return finished(`partitioned roll out complete: ${updated} new pods have been updated...`);
  }
  const [current, update] = [text(status.currentRevision), text(status.updateRevision)];
  if (update !== current) {
    return waiting(`waiting for statefulset rolling update to complete ${updated} pods at revision ${update}...`);
  }
  const pods = number(status.currentReplicas);
  return finished(`statefulset rolling update complete ${pods} pods at revision ${current}...`);
}

function requireRollingUpdate({ spec }: KubeObject): void {
  if (object(object(spec).updateStrategy).type !== "RollingUpdate") {
    throw new Error("rollout status is only available for RollingUpdate strategy type");
  }
}
