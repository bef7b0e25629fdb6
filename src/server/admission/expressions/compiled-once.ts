import type { Steps } from "../../../base/async/steps.js";
import { inSlices } from "../../../base/async/time-slice.js";

/**
 * Compiles the expressions of each configuration once, on the first request that needs them. Between two expressions it lets other
 * requests run.
 */
export class CompiledOnce<K extends object, T> {
  readonly #compiled = new WeakMap<K, Promise<T>>();

  constructor(private readonly steps: (configured: K) => Steps<T>) {}

  of(configured: K): Promise<T> {
    let compiled = this.#compiled.get(configured);
    if (compiled === undefined) {
      compiled = inSlices(this.steps(configured));
      this.#compiled.set(configured, compiled);
    }
    return compiled;
  }
}
