import type { MetricRegistry } from "../../../machinery/metrics/metric-registry.js";

/** Updates controller-runtime's metrics of webhooks in a registry. The label `webhook` is the path. */
export class WebhookMetrics {
  readonly #total;
  readonly #latency;
  readonly #inFlight;
  readonly #running = new Map<string, number>();

  constructor(registry: MetricRegistry) {
    this.#total = registry.counter({
      name: "controller_runtime_webhook_requests_total",
      help: "Total number of admission requests by HTTP status code.",
      labelNames: ["webhook", "code"],
    });
    this.#latency = registry.histogram({
      name: "controller_runtime_webhook_latency_seconds",
      help: "Histogram of the latency of processing admission requests",
      labelNames: ["webhook"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    });
    this.#inFlight = registry.gauge({
      name: "controller_runtime_webhook_requests_in_flight",
      help: "Current number of admission requests being served.",
      labelNames: ["webhook"],
    });
  }

  /** Counts a webhook from 0. */
  webhook(webhook: string): void {
    this.#move(webhook, 0);
    for (const code of ["200", "500"]) this.#total.add(0, { webhook, code });
  }

  /** A call begins. Returns what tells of its end. */
  began(webhook: string): (code: number, seconds: number) => void {
    this.#move(webhook, 1);
    return (code, seconds) => {
      this.#move(webhook, -1);
      this.#total.add(1, { webhook, code: String(code) });
      this.#latency.observe(seconds, { webhook });
    };
  }

  #move(webhook: string, by: number): void {
    const now = (this.#running.get(webhook) ?? 0) + by;
    this.#running.set(webhook, now);
    this.#inFlight.set(now, { webhook });
  }
}
