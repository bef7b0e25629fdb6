import type { Stopwatch } from "../base/time/timers.js";
import { exponentialBuckets, type Family, type FamilyDefinition } from "../machinery/metrics/family.js";
import type { MetricTable } from "../machinery/metrics/metric-table.js";
import { DEFAULT_SCHEDULER } from "./options.js";
import type { QueuedPod } from "./queue/queued-pod.js";
import type { SchedulingQueue } from "./queue/scheduling-queue.js";

/** kube-scheduler's metrics of attempts and queues. */
export const SCHEDULER_METRICS = {
  attempts: {
    name: "scheduler_schedule_attempts_total",
    type: "counter",
    help: "Number of attempts to schedule pods, by the result. 'unschedulable' means a pod could not be scheduled, while 'error' means an internal scheduler problem.",
    labels: ["profile", "result"],
    stability: "STABLE",
  },
  duration: {
    name: "scheduler_scheduling_attempt_duration_seconds",
    type: "histogram",
    help: "Scheduling attempt latency in seconds (scheduling algorithm + binding)",
    labels: ["profile", "result"],
    buckets: exponentialBuckets(0.001, 2, 15),
    stability: "STABLE",
  },
  podAttempts: {
    name: "scheduler_pod_scheduling_attempts",
    type: "histogram",
    help: "Number of attempts to successfully schedule a pod.",
    buckets: exponentialBuckets(1, 2, 5),
    stability: "STABLE",
  },
  pending: {
    name: "scheduler_pending_pods",
    type: "gauge",
    help: "Number of pending pods, by the queue type. 'active' means number of pods in activeQ; 'backoff' means number of pods in backoffQ; 'unschedulable' means number of pods in unschedulablePods that the scheduler attempted to schedule and failed; 'gated' is the number of unschedulable pods that the scheduler never attempted to schedule because they are gated.",
    labels: ["queue"],
    stability: "STABLE",
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>;

/** Where a scheduler's measures go: nowhere until `on` is set. */
export interface SchedulerMeasuring {
  on?: SchedulerMetrics | undefined;
  /** How many pods wait. The scheduler sets it when it starts. */
  sizes?: () => SchedulingQueue["sizes"];
}

/** Counts attempts to schedule pods. */
export class SchedulerMetrics {
  readonly #attempts: Family;
  readonly #duration: Family;
  readonly #podAttempts: Family;
  readonly #pending: Family;
  /** When the attempts under way began. */
  readonly #began = new WeakMap<QueuedPod, number>();
  readonly #now: Stopwatch;

  /** `now` measures in milliseconds. */
  constructor(table: MetricTable, now: Stopwatch) {
    this.#attempts = table.family(SCHEDULER_METRICS.attempts);
    this.#duration = table.family(SCHEDULER_METRICS.duration);
    this.#podAttempts = table.family(SCHEDULER_METRICS.podAttempts);
    this.#pending = table.family(SCHEDULER_METRICS.pending);
    this.#now = now;
  }

  began(queued: QueuedPod): void {
    this.#began.set(queued, this.#now());
  }

  ended(queued: QueuedPod, result: "scheduled" | "unschedulable" | "error"): void {
    const profile = queued.info.pod.spec?.schedulerName || DEFAULT_SCHEDULER;
    const now = this.#now();
    this.#attempts.add(this.#attempts.series(profile, result));
    this.#duration.observe(this.#duration.series(profile, result), (now - (this.#began.get(queued) ?? now)) / 1000);
    if (result === "scheduled") this.#podAttempts.observe(this.#podAttempts.series(), queued.attempts);
  }

  /** Shows how many pods wait, once the scheduler has started. */
  show({ sizes }: SchedulerMeasuring): void {
    if (sizes === undefined) return;
    for (const [queue, size] of Object.entries(sizes())) this.#pending.set(this.#pending.series(queue), size);
  }
}
