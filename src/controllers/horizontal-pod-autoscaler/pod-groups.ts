import type { Pod } from "../../api/types/core/v1.js";
import { readyCondition } from "../owned-pods/pod-state.js";
import type { PodMetric, PodMetrics } from "./pod-metrics.js";

/** The pods of a scaled object, by what their metrics are worth. Names of pods. */
export interface PodGroups {
  readonly readyCount: number;
  /** Their metrics do not count while they begin. */
  readonly unready: ReadonlySet<string>;
  /** They run, and nothing was measured of them. */
  readonly missing: ReadonlySet<string>;
  /** They are deleted or have failed. */
  readonly ignored: ReadonlySet<string>;
}

/** So long after its start the processor time of a pod may be that of its start-up. */
const CPU_INITIALIZATION_MS = 300_000;
/** A pod that became unready within this time of its start has never been ready. */
const INITIAL_READINESS_MS = 30_000;

/** `isCpu`: the metric is processor time, which pods use much of while they start. `now` in milliseconds. */
export function groupPods(pods: readonly Pod[], metrics: PodMetrics, isCpu: boolean, now: number): PodGroups {
  const [unready, missing, ignored] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let readyCount = 0;
  for (const pod of pods) {
    const name = pod.metadata?.name ?? "";
    const metric = metrics.get(name);
    const phase = pod.status?.phase;
    if (pod.metadata?.deletionTimestamp != null || phase === "Failed") ignored.add(name);
    else if (phase === "Pending") unready.add(name);
    else if (metric === undefined) missing.add(name);
    else if (isCpu && isStarting(pod, metric, now)) unready.add(name);
    else readyCount += 1;
  }
  return { readyCount, unready, missing, ignored };
}

function isStarting(pod: Pod, metric: PodMetric, now: number): boolean {
  const ready = readyCondition(pod);
  const { startTime } = pod.status ?? {};
  if (ready === undefined || startTime == null) return true;
  const started = Date.parse(startTime);
  const changed = Date.parse(ready.lastTransitionTime ?? "1970-01-01T00:00:00Z");
  const isUnready = ready.status === "False";
  if (started + CPU_INITIALIZATION_MS > now) return isUnready || metric.at < changed + metric.window;
  return isUnready && started + INITIAL_READINESS_MS > changed;
}
