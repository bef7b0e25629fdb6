import type { Clock } from "../../base/time/clock.js";
import type { EventRecorder } from "./event-broadcaster.js";

/** How many events a second one component may record, and how many at once. */
const PER_SECOND = 100;
const BURST = 1000;

export interface EventLimits {
  /** How many events a second may be recorded, and how many at once. */
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * Limits the events that a component may record: the scheduler, or the nodes of a fleet together. Kubernetes' components each have
 * a limit of requests; those in one process would flood its API with events. Events above the limit are dropped.
 */
export class EventBudget {
  #left: number;
  #countedAt: number;

  constructor(
    private readonly clock: Clock,
    private readonly limits: EventLimits = { perSecond: PER_SECOND, burst: BURST },
  ) {
    this.#left = limits.burst;
    this.#countedAt = clock.now();
  }

  /** Takes one event; false when there is none left. */
  take(): boolean {
    const { perSecond, burst } = this.limits;
    const now = this.clock.now();
    this.#left = Math.min(burst, this.#left + (Math.max(0, now - this.#countedAt) * perSecond) / 1000);
    this.#countedAt = now;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }

  /** A recorder that keeps to the budget. */
  limit(recorder: EventRecorder): EventRecorder {
    return {
      event: (object, type, reason, message, details) => {
        if (this.take()) recorder.event(object, type, reason, message, details);
      },
    };
  }
}
