import type { Clock } from "../base/clock.js";
import type { EventRecorder } from "../client/events/index.js";

/** How many events a second the nodes of a process may record, and how many at once. */
const PER_SECOND = 100;
const BURST = 1000;

/**
 * The events that the nodes of a fleet may record together. Each real kubelet has a limit; thousands of nodes in one process would drown the
 * API in events. Those above the limit are dropped.
 */
export class EventBudget {
  #left = BURST;
  #countedAt: number;

  constructor(private readonly clock: Clock) {
    this.#countedAt = clock.now();
  }

  /** Takes one event; false when there is none left. */
  take(): boolean {
    const now = this.clock.now();
    this.#left = Math.min(BURST, this.#left + (Math.max(0, now - this.#countedAt) * PER_SECOND) / 1000);
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
