import { exponentialBuckets, Family, type FamilyDefinition } from "../machinery/metrics/family.js";
import type { MetricTable } from "../machinery/metrics/metric-table.js";

/** kube-controller-manager's stable metrics of what single controllers do. */
export const WORK_METRICS = {
  cronJobSkew: {
    name: "cronjob_controller_job_creation_skew_duration_seconds",
    type: "histogram",
    help: "Seconds between the time that a CronJob's schedule has, and the creation of the Job for it",
    buckets: exponentialBuckets(1, 2, 10),
    stability: "STABLE",
  },
  jobSyncDuration: {
    name: "job_controller_job_sync_duration_seconds",
    type: "histogram",
    help: "Seconds that a reconciliation of a Job took",
    labels: ["completion_mode", "result", "action"],
    buckets: exponentialBuckets(0.004, 2, 15),
    stability: "STABLE",
  },
  jobSyncs: {
    name: "job_controller_job_syncs_total",
    type: "counter",
    help: "Number of reconciliations of Jobs",
    labels: ["completion_mode", "result", "action"],
    stability: "STABLE",
  },
  jobsFinished: {
    name: "job_controller_jobs_finished_total",
    type: "counter",
    help: "Number of Jobs that have finished",
    labels: ["completion_mode", "result", "reason"],
    stability: "STABLE",
  },
  jobPodsFinished: {
    name: "job_controller_job_pods_finished_total",
    type: "counter",
    help: "Number of finished pods that the status of their Job has counted",
    labels: ["completion_mode", "result"],
    stability: "STABLE",
  },
  nodeEvictions: {
    name: "node_collector_evictions_total",
    type: "counter",
    help: "Number of nodes that got a taint which evicts their pods, since the controller started",
    labels: ["zone"],
    stability: "STABLE",
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>;

type Metric = keyof typeof WORK_METRICS;

/** Counts the work of controllers. The server that shows their metrics copies the counts when it is scraped. */
export class WorkCounts {
  readonly #families = new Map<Metric, Family>();

  add(metric: Metric, labels: readonly string[], value = 1): void {
    const family = this.#family(metric);
    family.add(family.series(...labels), value);
  }

  observe(metric: Metric, labels: readonly string[], value: number): void {
    const family = this.#family(metric);
    family.observe(family.series(...labels), value);
  }

  /** Writes the counts into a table of metrics. */
  showIn(table: MetricTable): void {
    for (const family of this.#families.values()) {
      const shown = table.family(family.definition);
      for (let one = 0; one < family.size; one++) {
        const series = shown.series(...family.labelsOf(one));
        const numbers = [...family.numbersOf(one)];
        if (family.definition.type === "histogram") shown.replace(series, numbers.slice(0, -1), numbers.at(-1) ?? 0);
        else shown.set(series, numbers[0] ?? 0);
      }
    }
  }

  #family(metric: Metric): Family {
    let family = this.#families.get(metric);
    if (family === undefined) {
      family = new Family(WORK_METRICS[metric]);
      this.#families.set(metric, family);
    }
    return family;
  }
}
