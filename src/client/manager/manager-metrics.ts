import type { MetricRegistry } from "../../machinery/metrics/metric-registry.js";

/** controller-runtime's bounds of reconciliations, in seconds. */
const BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** The outcome of a reconciliation, in controller-runtime's words. */
export type ReconcileOutcome = "success" | "error" | "requeue_after";

/** Updates controller-runtime's metrics of a manager's controllers in a registry. */
export class ManagerMetrics {
  readonly #total;
  readonly #errors;
  readonly #time;
  readonly #workers;
  readonly #active;
  readonly #leader;
  readonly #running = new Map<string, number>();

  constructor(registry: MetricRegistry) {
    this.#total = registry.counter({
      name: "controller_runtime_reconcile_total",
      help: "Total number of reconciliations per controller",
      labelNames: ["controller", "result"],
    });
    this.#errors = registry.counter({
      name: "controller_runtime_reconcile_errors_total",
      help: "Total number of reconciliation errors per controller",
      labelNames: ["controller"],
    });
    this.#time = registry.histogram({
      name: "controller_runtime_reconcile_time_seconds",
      help: "Length of time per reconciliation per controller",
      labelNames: ["controller"],
      buckets: BUCKETS,
    });
    this.#workers = registry.gauge({
      name: "controller_runtime_max_concurrent_reconciles",
      help: "Maximum number of concurrent reconciles per controller",
      labelNames: ["controller"],
    });
    this.#active = registry.gauge({
      name: "controller_runtime_active_workers",
      help: "Number of currently used workers per controller",
      labelNames: ["controller"],
    });
    this.#leader = registry.gauge({
      name: "leader_election_master_status",
      help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
      labelNames: ["name"],
    });
  }

  /** A controller is there, with so many workers. */
  controller(controller: string, workers: number): void {
    this.#workers.set(workers, { controller });
    this.#active.set(0, { controller });
  }

  /** A reconciliation begins. Returns what tells of its end. */
  began(controller: string): (outcome: ReconcileOutcome, seconds: number) => void {
    this.#move(controller, 1);
    return (result, seconds) => {
      this.#move(controller, -1);
      this.#total.add(1, { controller, result });
      if (result === "error") this.#errors.add(1, { controller });
      this.#time.observe(seconds, { controller });
    };
  }

  /** Whether this process leads. `name` is that of the Lease. */
  leads(name: string, isLeader: boolean): void {
    this.#leader.set(isLeader ? 1 : 0, { name });
  }

  #move(controller: string, by: number): void {
    const now = (this.#running.get(controller) ?? 0) + by;
    this.#running.set(controller, now);
    this.#active.set(now, { controller });
  }
}
