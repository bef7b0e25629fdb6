import type { Pod } from "../../api/types/core/v1.js";
import { isReady, readyCondition } from "../owned-pods/pod-state.js";
import { type PodMetric, type PodMetrics, withoutPods, requestsOf } from "./pod-metrics.js";
import type { HorizontalPodAutoscalerBehavior } from "../../api/types/autoscaling/v2.js";
import { parseQuantity, quantityToNumber } from "../../machinery/text/quantity/quantity.js";

/** The deviations of usage from its target up to which the scale is unchanged, as fractions: 0.1 is 10 %. */
export interface Tolerances {
  readonly scaleUp: number;
  readonly scaleDown: number;
}

const DEFAULT = 0.1;

export function tolerancesOf(behavior: HorizontalPodAutoscalerBehavior | undefined): Tolerances {
  const share = (tolerance: string | number | undefined): number =>
    tolerance === undefined ? DEFAULT : quantityToNumber(parseQuantity(String(tolerance)));
  return { scaleUp: share(behavior?.scaleUp?.tolerance), scaleDown: share(behavior?.scaleDown?.tolerance) };
}

/** Whether `ratio`, usage divided by its target, is too close to 1 for a change of scale. */
const isWithin = ({ scaleUp, scaleDown }: Tolerances, ratio: number): boolean =>
  1 - scaleDown <= ratio && ratio <= 1 + scaleUp;

/** The inputs of a calculation apart from the metric's target. */
export interface Measured {
  readonly replicas: number;
  /** Those that the selector of the scaled object selects. */
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  readonly tolerances: Tolerances;
  /** "cpu", "memory"; "" for a metric that is no resource. */
  readonly resource: string;
  /** In milliseconds. */
  readonly now: number;
}

/** The average usage of a metric per pod, in thousandths, and the replicas for it. */
export interface AverageUsage {
  readonly replicas: number;
  readonly usage: number;
}

export interface Utilization extends AverageUsage {
  /** Per cent of what the pods request. */
  readonly percentage: number;
}

const NO_PODS = "no pods returned by selector while calculating replica count";
const NO_METRICS = "did not receive metrics for targeted pods (pods might be unready)";
const MOST_REPLICAS = 2_147_483_647;

/** Computes the replicas at which pods use `target` per cent of their requests. Throws where that cannot be calculated. */
export function replicasForUtilization(measured: Measured, target: number, container: string): Utilization {
  const { pods, resource } = measured;
  const counted = countedMetrics(measured);
  const requests = requestsOf(pods, resource, container);
  const first = utilizationOf(counted, requests);
  const replicas = proposed(measured, {
    counted,
    ratioOf: (metrics) => utilizationOf(metrics, requests).percentage / target,
    // A pod that is not measured is taken to use what it requests, or the target where that is more.
    assumed: (name) => Math.trunc(((requests.get(name) ?? 0) * Math.max(100, target)) / 100),
  });
  return { replicas, ...first };
}

/** Computes the replicas at which pods use `target` thousandths on average. Throws where that cannot be calculated. */
export function replicasForAverage(measured: Measured, target: number): AverageUsage {
  const counted = countedMetrics(measured);
  const replicas = proposed(measured, {
    counted,
    ratioOf: (metrics) => averageOf(metrics) / target,
    assumed: () => target,
  });
  return { replicas, usage: averageOf(counted) };
}

/** Computes the replicas at which an object's or an external metric reaches the value `target`. */
export function replicasForValue(
  { replicas, pods, tolerances }: Pick<Measured, "replicas" | "pods" | "tolerances">,
  value: number,
  target: number,
): number {
  const ratio = value / target;
  if (replicas === 0) return Math.ceil(ratio);
  if (isWithin(tolerances, ratio)) return replicas;
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${NO_PODS}`);
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isReady(pod)).length;
  return Math.min(MOST_REPLICAS, Math.ceil(ratio * ready));
}

/** Computes the replicas at which each pod has `target` thousandths of the metric's value, and the current value per pod. */
export function replicasForShare(
  replicas: number,
  tolerances: Tolerances,
  value: number,
  target: number,
): AverageUsage {
  const ratio = value / (target * replicas);
  const wanted = isWithin(tolerances, ratio) ? replicas : Math.min(MOST_REPLICAS, Math.ceil(value / target));
  return { replicas: wanted, usage: Math.ceil(value / Math.max(1, replicas)) };
}

/** The metrics of pods that have begun to work. */
function countedMetrics({ pods, metrics, resource, now }: Measured): PodMetrics {
  if (pods.length === 0) throw new Error(NO_PODS);
  const { ignored, unready } = groupPods(pods, metrics, resource === "cpu", now);
  const counted = withoutPods(metrics, ignored, unready);
  if (counted.size === 0) throw new Error(NO_METRICS);
  return counted;
}

interface Estimate {
  readonly counted: PodMetrics;
  readonly ratioOf: (metrics: PodMetrics) => number;
  /** What a pod that is not measured uses at most. */
  readonly assumed: (name: string) => number;
}

/** The scale by what is measured, with careful guesses for pods that are not: a guess never turns the direction. */
function proposed(measured: Measured, { counted, ratioOf, assumed }: Estimate): number {
  const { replicas, pods, metrics, tolerances, resource, now } = measured;
  const { readyCount, unready, missing } = groupPods(pods, metrics, resource === "cpu", now);
  const ratio = ratioOf(counted);
  const countsUnready = unready.size > 0 && ratio > 1;
  if (!countsUnready && missing.size === 0) {
    return isWithin(tolerances, ratio) ? replicas : Math.ceil(ratio * readyCount);
  }
  const guess = (value: number): PodMetric => ({ value, at: now, window: 0 });
  const guessed = new Map(counted);
  if (ratio < 1) for (const name of missing) guessed.set(name, guess(assumed(name)));
  if (ratio > 1) for (const name of missing) guessed.set(name, guess(0));
  if (countsUnready) for (const name of unready) guessed.set(name, guess(0));
  const careful = ratioOf(guessed);
  if (isWithin(tolerances, careful) || (ratio < 1 && careful > 1) || (ratio > 1 && careful < 1)) return replicas;
  const wanted = Math.ceil(careful * guessed.size);
  const turns = (careful < 1 && wanted > replicas) || (careful > 1 && wanted < replicas);
  return turns ? replicas : wanted;
}

function utilizationOf(metrics: PodMetrics, requests: ReadonlyMap<string, number>): Omit<Utilization, "replicas"> {
  let [used, requested, count] = [0, 0, 0];
  for (const [name, { value }] of metrics) {
    const request = requests.get(name);
    if (request === undefined) continue;
    used += value;
    requested += request;
    count += 1;
  }
  if (requested === 0) throw new Error("no metrics returned matched known pods");
  return { percentage: Math.trunc((used * 100) / requested), usage: Math.trunc(used / count) };
}

function averageOf(metrics: PodMetrics): number {
  const total = [...metrics.values()].reduce((sum, { value }) => sum + value, 0);
  return Math.trunc(total / metrics.size);
}

/** The names of a scaled object's pods, grouped by how their metrics count. */
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
function groupPods(pods: readonly Pod[], metrics: PodMetrics, isCpu: boolean, now: number): PodGroups {
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
