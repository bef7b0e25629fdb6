import type { VariableDeclaration } from "../functions/declaration.js";

/** The variables that comprehensions declare, innermost last. */
export class Scopes {
  readonly #scopes: Map<string, VariableDeclaration>[] = [];

  enter(): void {
    this.#scopes.push(new Map());
  }

  exit(): void {
    this.#scopes.pop();
  }

  declare(variable: VariableDeclaration): void {
    this.#scopes.at(-1)?.set(variable.name, variable);
  }

  find(name: string): VariableDeclaration | undefined {
    for (const scope of this.#scopes.toReversed()) {
      const found = scope.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
