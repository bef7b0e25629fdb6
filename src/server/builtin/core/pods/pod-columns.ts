import { list, number, object, objects, type ReadonlyFields, text } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { TableRowCondition } from "../../../registry/table-columns.js";
import { age, conditionStatus, name, orNone, since } from "../../tables/cells.js";
import { columns } from "../../tables/columns.js";

export const podColumns = columns(
  [
    "Name",
    ["Ready", "How many of the containers are ready, and how many there are; sidecars count."],
    ["Status", "The phase of the pod, or the reason of the container that keeps it from running."],
    ["Restarts", "How often containers were started again, and when one last ended before that."],
    "Age",
    ["IP:string:1", "The first address of the pod."],
    ["Node:string:1", "The node that the pod is bound to."],
    ["Nominated Node:string:1", "The node where preempted pods make room for this one."],
    ["Readiness Gates:string:1", "How many of the conditions that the pod asks for hold."],
  ],
  (pod, now) => {
    const [spec, status] = [object(pod.spec), object(pod.status)];
    const summary = summarize(pod);
    return [
      name(pod),
      `${summary.ready}/${summary.total}`,
      summary.reason,
      restartsCell(summary, now),
      age(pod, now),
      orNone(text(objects(status.podIPs)[0]?.ip)),
      orNone(text(spec.nodeName)),
      orNone(text(status.nominatedNodeName)),
      readinessGatesCell(spec, status),
    ];
  },
  { conditions: completion },
);

/** What the row of a pod says of its containers. */
interface PodSummary {
  readonly reason: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** When a container last ended before it was started again; "" for never. */
  readonly lastRestart: string;
}

/** Counts restarts and remembers the last one. */
class Restarts {
  count = 0;
  last = "";

  add(container: ReadonlyFields): void {
    this.count += number(container.restartCount);
    const finished = text(object(object(container.lastState).terminated).finishedAt);
    if (finished !== "" && (this.last === "" || Date.parse(finished) > Date.parse(this.last))) this.last = finished;
  }
}

function summarize(pod: KubeObject): PodSummary {
  const [spec, status] = [object(pod.spec), object(pod.status)];
  const sidecars = new Set(
    objects(spec.initContainers)
      .filter((container) => container.restartPolicy === "Always")
      .map((container) => container.name),
  );
  const init = summarizeInit(spec, status, sidecars);
  let reason = init.reason ?? baseReason(status);
  let [ready, restarts] = [init.ready, init.restarts];
  if (init.reason === undefined || conditionStatus(status.conditions, "Initialized") === "True") {
    const main = summarizeMain(status, reason, init.sidecarRestarts);
    reason = main.reason;
    ready += main.ready;
    restarts = init.sidecarRestarts;
  }
  return {
    reason: deletionReason(pod, status) ?? reason,
    ready,
    total: list(spec.containers).length + sidecars.size,
    restarts: restarts.count,
    lastRestart: restarts.last,
  };
}

function baseReason(status: ReadonlyFields): string {
  const gated = objects(status.conditions).some(
    (condition) => condition.type === "PodScheduled" && condition.reason === "SchedulingGated",
  );
  return gated ? "SchedulingGated" : text(status.reason) || text(status.phase);
}

/** `reason` is set while an init container has not done its part. */
function summarizeInit(spec: ReadonlyFields, status: ReadonlyFields, sidecars: ReadonlySet<unknown>) {
  const restarts = new Restarts();
  const sidecarRestarts = new Restarts();
  const total = list(spec.initContainers).length;
  let ready = 0;
  let reason: string | undefined;
  for (const [index, container] of objects(status.initContainerStatuses).entries()) {
    const state = object(container.state);
    const sidecar = sidecars.has(container.name);
    restarts.add(container);
    if (sidecar) sidecarRestarts.add(container);
    if (state.terminated !== undefined && number(object(state.terminated).exitCode) === 0) continue;
    if (sidecar && container.started === true) {
      if (container.ready === true) ready++;
      continue;
    }
    reason = initReason(state) ?? `Init:${index}/${total}`;
    break;
  }
  return { restarts, sidecarRestarts, ready, reason };
}

function initReason(state: ReadonlyFields): string | undefined {
  if (state.terminated !== undefined) return `Init:${terminatedReason(object(state.terminated))}`;
  const waiting = text(object(state.waiting).reason);
  return waiting === "" || waiting === "PodInitializing" ? undefined : `Init:${waiting}`;
}

/** Containers are read last to first, so the first one with something to say wins. Adds to `restarts`. */
function summarizeMain(status: ReadonlyFields, before: string, restarts: Restarts): { reason: string; ready: number } {
  let reason = before;
  let failure = "";
  let ready = 0;
  for (const container of objects(status.containerStatuses).toReversed()) {
    restarts.add(container);
    const state = object(container.state);
    const waiting = text(object(state.waiting).reason);
    if (waiting !== "") reason = waiting;
    else if (state.terminated !== undefined) {
      reason = terminatedReason(object(state.terminated));
      if (number(object(state.terminated).exitCode) !== 0) failure = reason;
    } else if (container.ready === true && state.running !== undefined) ready++;
  }
  if (reason !== "Completed") return { reason, ready };
  // Where the first container has completed, what is left of the others counts.
  if (ready > 0 && conditionStatus(status.conditions, "Ready") === "True") return { reason: "Running", ready };
  return { reason: failure || (ready > 0 ? "NotReady" : reason), ready };
}

function terminatedReason(terminated: ReadonlyFields): string {
  const reason = text(terminated.reason);
  if (reason !== "") return reason;
  const signal = number(terminated.signal);
  return signal === 0 ? `ExitCode:${number(terminated.exitCode)}` : `Signal:${signal}`;
}

/** Whether the pod has come to its end, for clients that leave such pods out. */
function completion(pod: KubeObject): readonly TableRowCondition[] {
  switch (object(pod.status).phase) {
    case "Succeeded":
      return [completed("Succeeded", "The pod has completed successfully.")];
    case "Failed":
      return [completed("Failed", "The pod failed.")];
    default:
      return [];
  }
}

const completed = (reason: string, message: string): TableRowCondition => ({
  type: "Completed",
  status: "True",
  reason,
  message,
});

function deletionReason(pod: KubeObject, status: ReadonlyFields): string | undefined {
  if (pod.metadata?.deletionTimestamp === undefined) return undefined;
  if (status.reason === "NodeLost") return "Unknown";
  return status.phase === "Succeeded" || status.phase === "Failed" ? undefined : "Terminating";
}

function restartsCell({ restarts, lastRestart }: PodSummary, now: number): string {
  return restarts === 0 || lastRestart === "" ? String(restarts) : `${restarts} (${since(lastRestart, now)} ago)`;
}

function readinessGatesCell(spec: ReadonlyFields, status: ReadonlyFields): string {
  const gates = objects(spec.readinessGates);
  if (gates.length === 0) return "<none>";
  const open = gates.filter((gate) => conditionStatus(status.conditions, text(gate.conditionType)) === "True");
  return `${open.length}/${gates.length}`;
}
