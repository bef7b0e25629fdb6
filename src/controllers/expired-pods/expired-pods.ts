import type { Clock } from "../../base/clock.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Api } from "../api.js";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Finishes the deletion of pods whose grace period is over: there is no agent on a node that would. */
export class ExpiredPods {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(
    private readonly api: Api,
    private readonly clock: Clock,
    signal: AbortSignal,
    private readonly report: (error: unknown) => void,
  ) {
    signal.addEventListener("abort", () => this.#timers.forEach((timer) => clearTimeout(timer)), { once: true });
  }

  changed(pod: KubeObject): Promise<void> {
    const { uid = "", deletionTimestamp } = pod.metadata ?? {};
    if (deletionTimestamp === undefined) return Promise.resolve();
    clearTimeout(this.#timers.get(uid));
    const wait = Math.max(0, Date.parse(deletionTimestamp) - this.clock.now());
    const due = () => void (wait > LONGEST_TIMER_MS ? this.changed(pod) : this.#finish(pod));
    const timer = setTimeout(due, Math.min(wait, LONGEST_TIMER_MS));
    timer.unref();
    this.#timers.set(uid, timer);
    return Promise.resolve();
  }

  gone(pod: KubeObject): void {
    const uid = pod.metadata?.uid ?? "";
    clearTimeout(this.#timers.get(uid));
    this.#timers.delete(uid);
  }

  async #finish(pod: KubeObject): Promise<void> {
    const { name = "", namespace = "", uid = "" } = pod.metadata ?? {};
    this.#timers.delete(uid);
    try {
      await this.api.delete(`/api/v1/namespaces/${namespace}/pods/${name}`, {
        gracePeriodSeconds: 0,
        preconditions: { uid },
      });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) this.report(error);
    }
  }
}
