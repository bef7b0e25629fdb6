import type { SchedulerPlugin } from "./plugin.js";

/** A value that preemption clones before it tries a pod on a node. Other values are shared. */
export interface Cloneable {
  clone(): unknown;
}

/** The values that plugins keep between the extension points of one pod's cycle, each under its own key. */
export class CycleState {
  readonly #values: Map<string, unknown>;
  /** The plugins whose `filter` runs for this pod; set by the framework after preFilter. */
  filters: readonly SchedulerPlugin[] = [];
  /** Those whose `addPod` and `removePod` run. */
  extensions: readonly SchedulerPlugin[] = [];
  /** Those whose `score` runs. */
  scorers: readonly SchedulerPlugin[] = [];

  constructor(values: Map<string, unknown> = new Map()) {
    this.#values = values;
  }

  write(key: string, value: unknown): void {
    this.#values.set(key, value);
  }

  /** Undefined where nothing was written. */
  read<T>(key: string): T | undefined {
    return this.#values.get(key) as T | undefined;
  }

  clone(): CycleState {
    const values = new Map<string, unknown>();
    for (const [key, value] of this.#values) values.set(key, isCloneable(value) ? value.clone() : value);
    const copy = new CycleState(values);
    copy.filters = this.filters;
    copy.extensions = this.extensions;
    copy.scorers = this.scorers;
    return copy;
  }
}

function isCloneable(value: unknown): value is Cloneable {
  return typeof value === "object" && value !== null && "clone" in value && typeof value.clone === "function";
}
