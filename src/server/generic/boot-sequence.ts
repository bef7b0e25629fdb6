import type { HealthCheck } from "../endpoints/non-resource/health.js";

/**
 * The steps of a server between opening its port and serving. Each step is a health check, "poststarthook/<name>", that
 * fails until the step is done. The server refuses requests until all steps are done.
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

  /** Runs a step. If it throws, its health check keeps failing and the server does not begin to serve. */
  async run<T>(name: string, step: () => Promise<T>): Promise<T> {
    const result = await step();
    this.#left.delete(name);
    return result;
  }
}
