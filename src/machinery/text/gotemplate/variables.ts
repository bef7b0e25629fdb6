import type { GoValue } from "./values.js";

interface Variable {
  readonly name: string;
  value: GoValue;
}

/** The variables of a template while it runs: the newest of a name hides the others. `$` is always defined. */
export class Variables {
  readonly #held: Variable[];

  constructor(dot: GoValue) {
    this.#held = [{ name: "$", value: dot }];
  }

  get count(): number {
    return this.#held.length;
  }

  /** Forgets all but the first so many. */
  truncate(count: number): void {
    this.#held.length = count;
  }

  declare(name: string, value: GoValue): void {
    this.#held.push({ name, value });
  }

  find(name: string): Variable | undefined {
    return this.#held.findLast((variable) => variable.name === name);
  }

  /** Gives the newest variables these values, in the order they were declared. */
  setNewest(values: readonly GoValue[]): void {
    for (const [index, value] of values.entries()) {
      const variable = this.#held[this.#held.length - values.length + index];
      if (variable !== undefined) variable.value = value;
    }
  }
}
