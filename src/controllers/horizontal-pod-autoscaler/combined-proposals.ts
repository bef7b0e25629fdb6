import type { MetricStatus } from "../../api/types/autoscaling/v2.js";
import type { Reason } from "./conditions.js";
import { MetricError, type Proposal } from "./metric-proposal.js";

/** What all metrics of an autoscaler come to. */
export interface Combined {
  /** The largest scale that a metric asks for; undefined where the metrics that are known are not enough to scale. */
  readonly replicas: number | undefined;
  /** The metric that asks for it. */
  readonly metric: string;
  /** In the order of the spec; an empty one where a metric is not known. */
  readonly statuses: readonly MetricStatus[];
  /** Of the condition ScalingActive, which is True where there is a scale. */
  readonly reason: Reason;
  /** What is wrong with metrics; scaling up goes on without them. */
  readonly error?: string;
}

const UNKNOWN: MetricStatus = { type: "" as string as MetricStatus["type"] };

/** While a metric is not known, the others scale up and never down. */
export function combine(outcomes: readonly (Proposal | MetricError)[], specReplicas: number): Combined {
  const statuses = outcomes.map((one) => (one instanceof MetricError ? UNKNOWN : one.status));
  const failed = outcomes.filter((one) => one instanceof MetricError);
  const [first] = failed;
  let [replicas, metric] = [0, ""];
  for (const one of outcomes) {
    if (one instanceof MetricError || (replicas !== 0 && one.replicas <= replicas)) continue;
    ({ replicas, metric } = one);
  }
  if (first === undefined) return { replicas, metric, statuses, reason: found(metric) };
  const count = `${failed.length} invalid out of ${outcomes.length}`;
  const error = `invalid metrics (${count}), first error is: ${first.message}`;
  if (failed.length === outcomes.length || replicas < specReplicas) {
    const message = `the HPA was unable to compute the replica count: ${first.detail}`;
    return { replicas: undefined, metric: "", statuses, reason: { reason: first.reason, message }, error };
  }
  return { replicas, metric, statuses, reason: found(metric), error };
}

const found = (metric: string): Reason => ({
  reason: "ValidMetricFound",
  message: `the HPA was able to successfully calculate a replica count from ${metric}`,
});
