import type { HealthCheck } from "../endpoints/non-resource/health.js";

/**
 * The steps of a server between opening its port and serving. Each step is a health check, "poststarthook/<name>", that
 * fails until the step is done. The server refuses requests until all steps are done.
 */
export class BootSequence {
  readonly checks: HealthCheck[] = [];
  readonly #left = new Set<string>();

  constructor(names: readonly string[] = []) {
    for (const name of names) this.add(name);
  }

  get done(): boolean {
    return this.#left.size === 0;
  }

  has(name: string): boolean {
    return this.checks.some((check) => check.name === checkName(name));
  }

  /** Adds a step, which is to be run. Its name must be new. */
  add(name: string): void {
    this.#left.add(name);
    this.checks.push({
      name: checkName(name),
      check: () => (this.#left.has(name) ? Promise.reject(new Error("not finished")) : Promise.resolve()),
    });
  }

  /** Runs a step. If it throws, its health check keeps failing and the server does not begin to serve. */
  async run<T>(name: string, step: () => Promise<T>): Promise<T> {
    const result = await step();
    this.#left.delete(name);
    return result;
  }
}

/** Whether a health check of the name is a step's. */
export const isStep = (check: string): boolean => check.startsWith("poststarthook/");

const checkName = (step: string): string => `poststarthook/${step}`;
