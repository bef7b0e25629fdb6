import type { Timers } from "../../base/time/timers.js";
import { type Status, unschedulable } from "./status.js";

interface Waiting {
  /** Cancels the time limit of each plugin that has not agreed yet. */
  readonly limits: Map<string, () => void>;
  readonly settle: (status: Status | undefined) => void;
}

/** The pods that wait at permit for plugins to agree. */
export class WaitingPods {
  readonly #waiting = new Map<string, Waiting>();

  constructor(private readonly timers: Timers) {}

  /** Resolves when all plugins have agreed, with a status when one rejects the pod or lets it wait longer than its milliseconds. */
  wait(uid: string, plugins: ReadonlyMap<string, number>): Promise<Status | undefined> {
    return new Promise((resolve) => {
      const limits = new Map<string, () => void>();
      const settle = (status: Status | undefined): void => {
        this.#waiting.delete(uid);
        for (const cancel of limits.values()) cancel();
        resolve(status);
      };
      this.#waiting.set(uid, { limits, settle });
      for (const [plugin, milliseconds] of plugins) {
        const message = `rejected due to timeout after waiting ${milliseconds / 1000}s at plugin ${plugin}`;
        limits.set(
          plugin,
          this.timers.start(milliseconds, () => settle(unschedulable(plugin, message))),
        );
      }
    });
  }

  /** A plugin agrees; false for a pod that does not wait for it. */
  allow(uid: string, plugin: string): boolean {
    const waiting = this.#waiting.get(uid);
    const cancel = waiting?.limits.get(plugin);
    if (waiting === undefined || cancel === undefined) return false;
    cancel();
    waiting.limits.delete(plugin);
    if (waiting.limits.size === 0) waiting.settle(undefined);
    return true;
  }

  /** False for a pod that does not wait. */
  reject(uid: string, plugin: string, message: string): boolean {
    const waiting = this.#waiting.get(uid);
    waiting?.settle(unschedulable(plugin, message));
    return waiting !== undefined;
  }

  /** Rejects all. */
  clear(): void {
    for (const { settle } of this.#waiting.values()) settle(unschedulable("", "the scheduler stops"));
  }
}
