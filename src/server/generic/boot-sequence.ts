import type { HealthCheck } from "../endpoints/non-resource/health.js";

/**
 * What a server does between opening its port and serving. Each step is a health check, "poststarthook/<name>", that fails
 * until the step is done; requests are refused until all are.
 */
export class BootSequence {
  readonly checks: readonly HealthCheck[];
  readonly #left: Set<string>;

  constructor(names: readonly string[]) {
    this.#left = new Set(names);
    this.checks = names.map((name) => ({
      name: `poststarthook/${name}`,
      check: () => (this.#left.has(name) ? Promise.reject(new Error("not finished")) : Promise.resolve()),
    }));
  }

  get done(): boolean {
    return this.#left.size === 0;
  }

  /** Takes a step. When it fails the sequence stays where it is. */
  async run<T>(name: string, step: () => Promise<T>): Promise<T> {
    const result = await step();
    this.#left.delete(name);
    return result;
  }
}
