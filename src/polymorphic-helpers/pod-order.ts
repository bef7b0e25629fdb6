import { dictionary } from "../base/collections/dictionary.js";
import type { Pod } from "../api/types/core/v1.js";
import { absent, number, object, objects, type ReceivedObject, text } from "../machinery/meta/received.js";

/** Whether the logs of pod `a` are more useful than those of `b`: it runs, is ready, has run longest or failed most. */
export function byLogging(a: ReceivedObject<Pod>, b: ReceivedObject<Pod>): boolean {
  const [assignedA, assignedB] = [isAssigned(a), isAssigned(b)];
  if (assignedA !== assignedB) return assignedA;
  const [phaseA, phaseB] = [phaseRank(a), phaseRank(b)];
  if (phaseA !== phaseB) return phaseA < phaseB;
  const [readyA, readyB] = [readySince(a), readySince(b)];
  if ((readyA === undefined) !== (readyB === undefined)) return readyA !== undefined;
  if (readyA !== undefined && readyB !== undefined && readyA !== readyB) return afterOrZero(readyB, readyA);
  for (const restarts of [containerRestarts, sidecarRestarts]) {
    const [countA, countB] = [restarts(a), restarts(b)];
    if (countA !== countB) return countA > countB;
  }
  const [createdA, createdB] = [createdAt(a), createdAt(b)];
  return createdA !== createdB && afterOrZero(createdB, createdA);
}

/**
 * Whether a command that needs one pod prefers pod `a` to `b`: the reverse of kubectl's order of pods to delete. It prefers a pod
 * that is on a node, runs, is ready, is not being deleted, has been ready longest, failed least, is oldest.
 */
export const byAttaching = (a: ReceivedObject<Pod>, b: ReceivedObject<Pod>): boolean => isLessActive(b, a);

function isLessActive(a: ReceivedObject<Pod>, b: ReceivedObject<Pod>): boolean {
  const [assignedA, assignedB] = [isAssigned(a), isAssigned(b)];
  if (assignedA !== assignedB) return assignedB;
  const [activityA, activityB] = [activity(a), activity(b)];
  if (activityA !== activityB) return activityA < activityB;
  const [readyA, readyB] = [readySince(a), readySince(b)];
  if ((readyA === undefined) !== (readyB === undefined)) return readyA === undefined;
  const [deletedA, deletedB] = [deletedAt(a), deletedAt(b)];
  if ((deletedA === undefined) !== (deletedB === undefined)) return deletedA !== undefined;
  if (deletedA !== undefined && deletedB !== undefined && deletedA !== deletedB) return deletedA < deletedB;
  if (readyA !== undefined && readyB !== undefined && readyA !== readyB) return afterOrZero(readyA, readyB);
  for (const restarts of [containerRestarts, sidecarRestarts]) {
    const [countA, countB] = [restarts(a), restarts(b)];
    if (countA !== countB) return countA > countB;
  }
  const [createdA, createdB] = [createdAt(a), createdAt(b)];
  return createdA !== createdB && afterOrZero(createdA, createdB);
}

/** A phase that is not named here counts as pending. */
const ACTIVITIES: Readonly<Record<string, number>> = dictionary({ Pending: 0, Unknown: 1, Running: 2 });
const activity = ({ status }: ReceivedObject<Pod>): number => ACTIVITIES[text(object(status).phase)] ?? 0;

/** Undefined for a pod that stays. */
function deletedAt({ metadata }: ReceivedObject<Pod>): number | undefined {
  const { deletionTimestamp } = metadata ?? {};
  return absent(deletionTimestamp) ? undefined : Date.parse(deletionTimestamp) || 0;
}

const isAssigned = ({ spec }: ReceivedObject<Pod>): boolean => text(object(spec).nodeName) !== "";

/** Phases that are not named here count as running: kubectl looks them up in a map. */
const PHASES: Readonly<Record<string, number>> = dictionary({ Running: 0, Unknown: 1, Pending: 2 });
const phaseRank = ({ status }: ReceivedObject<Pod>): number => PHASES[text(object(status).phase)] ?? 0;

/** Undefined when the pod is not ready; 0 when its condition has no transition time. */
function readySince({ status }: ReceivedObject<Pod>): number | undefined {
  const ready = objects(object(status).conditions).find(({ type }) => type === "Ready");
  if (ready?.status !== "True") return undefined;
  return Date.parse(text(ready.lastTransitionTime)) || 0;
}

const createdAt = ({ metadata }: ReceivedObject<Pod>): number => Date.parse(metadata?.creationTimestamp ?? "") || 0;

/** A time that is not known comes after those that are. */
const afterOrZero = (a: number, b: number): boolean => (a === 0 || b === 0 ? a === 0 : a > b);

const containerRestarts = ({ status }: ReceivedObject<Pod>): number =>
  Math.max(0, ...objects(object(status).containerStatuses).map(({ restartCount }) => number(restartCount)));

function sidecarRestarts({ spec, status }: ReceivedObject<Pod>): number {
  const sidecars = new Set(
    objects(object(spec).initContainers)
      .filter(({ restartPolicy }) => restartPolicy === "Always")
      .map(({ name }) => name),
  );
  const statuses = objects(object(status).initContainerStatuses).filter(({ name }) => sidecars.has(name));
  return Math.max(0, ...statuses.map(({ restartCount }) => number(restartCount)));
}
