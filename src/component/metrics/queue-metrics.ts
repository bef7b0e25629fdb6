import type { ControllerStatus } from "../../client/manager/index.js";
import { QUEUE_BUCKETS, QUEUE_METRICS } from "../../client/workqueue/queue-metrics.js";
import type { DurationDistribution } from "../../client/workqueue/duration-histogram.js";
import type { Family, FamilyDefinition } from "../../machinery/metrics/family.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";

type Described = (typeof QUEUE_METRICS)[keyof typeof QUEUE_METRICS];

/** Shows the metrics of controllers' queues, which the queues count anyway. */
export function showQueues(table: MetricTable, statuses: readonly ControllerStatus[]): void {
  const family = (type: FamilyDefinition["type"], { labelNames: labels, ...described }: Described): Family =>
    table.family({ ...described, labels, type, stability: "BETA" });
  const { depth, adds, retries, unfinished, longest, queueDuration, workDuration } = QUEUE_METRICS;
  for (const { name, queue } of statuses) {
    const numbers = [
      [family("gauge", depth), queue.depth],
      [family("counter", adds), queue.adds],
      [family("counter", retries), queue.retries],
      [family("gauge", unfinished), queue.unfinishedWorkSeconds],
      [family("gauge", longest), queue.longestRunning?.seconds ?? 0],
    ] as const;
    for (const [metric, value] of numbers) metric.set(metric.series(name), value);
    replace(family("histogram", queueDuration), name, queue.queueDuration);
    replace(family("histogram", workDuration), name, queue.workDuration);
  }
}

/** A queue counts in finer buckets than are shown. */
function replace(family: Family, name: string, { count, sumSeconds, buckets }: DurationDistribution): void {
  let before = 0;
  const counts = QUEUE_BUCKETS.map((bound) => {
    const upTo = buckets.find(({ atMostSeconds }) => atMostSeconds === bound)?.count ?? before;
    const between = upTo - before;
    before = upTo;
    return between;
  });
  family.replace(family.series(name), [...counts, count - before], sumSeconds);
}

const CLAIM_CREATES: FamilyDefinition = {
  name: "dynamic_resource_allocation_resourceclaim_creates_total",
  type: "counter",
  help: "Number of ResourceClaims creation requests, categorized by creation status and admin access",
  labels: ["status", "admin_access"],
  stability: "ALPHA",
};

/** Shows how many ResourceClaims controllers asked for, by "<status> <admin access>" (K37-149). */
export function showClaims(table: MetricTable, creates: ReadonlyMap<string, number>): void {
  for (const [labels, count] of creates) {
    const family = table.family(CLAIM_CREATES);
    family.set(family.series(...labels.split(" ")), count);
  }
}

const LEADER: FamilyDefinition = {
  name: "leader_election_master_status",
  type: "gauge",
  help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
  labels: ["name"],
  stability: "ALPHA",
};

/** Reports whether this process leads. `lease` is the name of the Lease. */
export function showLeader(table: MetricTable, lease: string, leads: boolean): void {
  const family = table.family(LEADER);
  family.set(family.series(lease), leads ? 1 : 0);
}
