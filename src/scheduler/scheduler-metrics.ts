import type { Stopwatch } from "../base/time/timers.js";
import { exponentialBuckets, type Family, type FamilyDefinition } from "../machinery/metrics/family.js";
import type { MetricTable } from "../machinery/metrics/metric-table.js";
import type { Status, StatusCode } from "./framework/status.js";
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
  extensionPoint: {
    name: "scheduler_framework_extension_point_duration_seconds",
    type: "histogram",
    help: "Latency for running all plugins of a specific extension point.",
    labels: ["extension_point", "status", "profile"],
    buckets: exponentialBuckets(0.0001, 2, 12),
    stability: "STABLE",
  },
  preemptions: {
    name: "scheduler_preemption_attempts_total",
    type: "counter",
    help: "Total preemption attempts in the cluster till now",
    stability: "STABLE",
  },
  victims: {
    name: "scheduler_preemption_victims",
    type: "histogram",
    help: "Number of selected preemption victims",
    buckets: exponentialBuckets(1, 2, 7),
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

/** Those that 1.37 adds, and one that is beta since (K37-165). */
const NEWER_METRICS = {
  algorithm: {
    name: "scheduler_scheduling_algorithm_duration_seconds",
    type: "histogram",
    help: "Scheduling algorithm latency in seconds",
    buckets: exponentialBuckets(0.001, 2, 15),
    stability: "BETA",
  },
  entities: {
    name: "scheduler_queued_entities",
    type: "gauge",
    help: "Number of queued scheduling entities, by the queue and the type of the entity.",
    labels: ["queue", "type"],
    stability: "ALPHA",
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>;

const STATUS_NAMES: Readonly<Record<StatusCode, string>> = {
  unschedulable: "Unschedulable",
  unresolvable: "UnschedulableAndUnresolvable",
  pending: "Pending",
  skip: "Skip",
  wait: "Wait",
  error: "Error",
};

/** Runs the plugins of an extension point, and measures them if metrics are on. */
export function runPoint<T>(
  { on }: SchedulerMeasuring,
  point: string,
  { schedulerName }: { readonly schedulerName: string },
  run: () => T,
  statusOf: (answer: T) => StatusCode | undefined,
): T {
  return on === undefined ? run() : on.point(point, schedulerName, run, statusOf);
}

/** The metrics of a scheduler; nothing is measured until `on` is set. */
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
  readonly #extensionPoint: Family;
  readonly #preemptions: Family;
  readonly #victims: Family;
  /** When the attempts under way began. */
  readonly #began = new WeakMap<QueuedPod, number>();
  readonly #now: Stopwatch;
  /** Undefined before 1.37. */
  readonly #newer: { readonly algorithm: Family; readonly entities: Family } | undefined;

  /** `now` measures in milliseconds. */
  constructor(table: MetricTable, now: Stopwatch, release: { atLeast(version: string): boolean }) {
    this.#attempts = table.family(SCHEDULER_METRICS.attempts);
    this.#duration = table.family(SCHEDULER_METRICS.duration);
    this.#podAttempts = table.family(SCHEDULER_METRICS.podAttempts);
    this.#pending = table.family(SCHEDULER_METRICS.pending);
    this.#extensionPoint = table.family(SCHEDULER_METRICS.extensionPoint);
    this.#preemptions = table.family(SCHEDULER_METRICS.preemptions);
    this.#victims = table.family(SCHEDULER_METRICS.victims);
    this.#now = now;
    // K37-165
    if (release.atLeast("1.37")) {
      const { algorithm, entities } = NEWER_METRICS;
      this.#newer = { algorithm: table.family(algorithm), entities: table.family(entities) };
    }
  }

  /** Runs what finds a node for a pod; `isFound` says whether it did. */
  algorithm<T>(find: () => T, isFound: (answer: T) => boolean): T {
    const began = this.#now();
    const answer = find();
    const family = this.#newer?.algorithm;
    if (family !== undefined && isFound(answer)) family.observe(family.series(), (this.#now() - began) / 1000);
    return answer;
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

  /** Runs the plugins of an extension point of a profile. `statusOf` finds the status in what they answer; undefined is success. */
  point<T>(point: string, profile: string, run: () => T, statusOf: (answer: T) => StatusCode | undefined): T {
    const began = this.#now();
    const ended = (status: StatusCode | undefined): void => this.#pointEnded(point, profile, status, began);
    try {
      const answer = run();
      ended(statusOf(answer));
      return answer;
    } catch (error) {
      ended("error");
      throw error;
    }
  }

  /** The same where the plugins answer later. */
  async later(point: string, profile: string, run: () => Promise<Status | undefined>): Promise<Status | undefined> {
    const began = this.#now();
    const status = await run();
    this.#pointEnded(point, profile, status?.code, began);
    return status;
  }

  /** Preemption has looked for victims; undefined where no node has some. */
  preempted(victims: number | undefined): void {
    this.#preemptions.add(this.#preemptions.series());
    if (victims !== undefined) this.#victims.observe(this.#victims.series(), victims);
  }

  #pointEnded(point: string, profile: string, status: StatusCode | undefined, began: number): void {
    const name = status === undefined ? "Success" : STATUS_NAMES[status];
    const series = this.#extensionPoint.series(point, name, profile);
    this.#extensionPoint.observe(series, (this.#now() - began) / 1000);
  }

  /** Shows how many pods wait, once the scheduler has started. */
  show({ sizes }: SchedulerMeasuring): void {
    if (sizes === undefined) return;
    const entities = this.#newer?.entities;
    for (const [queue, size] of Object.entries(sizes())) {
      this.#pending.set(this.#pending.series(queue), size);
      entities?.set(entities.series(queue, "pod"), size);
    }
  }
}
