import type { CallExpr, ComprehensionExpr, Expr, FieldEntry, MapEntry } from "../ast.js";
import type { Value } from "../values/value.js";

/** Makes nodes with unique ids, and records their positions in the source. */
export class ExprFactory {
  readonly positions = new Map<number, number>();
  readonly macroCalls = new Map<number, CallExpr>();
  #next = 1;

  id(offset: number): number {
    const id = this.#next++;
    this.positions.set(id, offset);
    return id;
  }

  literal(id: number, value: Value): Expr {
    return { kind: "literal", id, value };
  }

  ident(id: number, name: string): Expr {
    return { kind: "ident", id, name };
  }

  select(id: number, operand: Expr, field: string, testOnly = false): Expr {
    return { kind: "select", id, operand, field, testOnly };
  }

  call(id: number, name: string, args: readonly Expr[], target?: Expr): CallExpr {
    return { kind: "call", id, name, target, args };
  }

  list(id: number, elements: readonly Expr[], optional: ReadonlySet<number> = new Set()): Expr {
    return { kind: "list", id, elements, optional };
  }

  map(id: number, entries: readonly MapEntry[]): Expr {
    return { kind: "map", id, entries };
  }

  struct(id: number, typeName: string, fields: readonly FieldEntry[]): Expr {
    return { kind: "struct", id, typeName, fields };
  }

  invalid(id: number): Expr {
    return { kind: "invalid", id };
  }
}

/** Builds the expansion of a macro: every node has the position of the call. */
export class MacroBuilder {
  readonly #factory: ExprFactory;
  readonly #offset: number;

  constructor(factory: ExprFactory, offset: number) {
    this.#factory = factory;
    this.#offset = offset;
  }

  literal(value: Value): Expr {
    return this.#factory.literal(this.#id(), value);
  }

  ident(name: string): Expr {
    return this.#factory.ident(this.#id(), name);
  }

  /** The variable in which a comprehension gathers its result. No expression can name it. */
  accumulator(): Expr {
    return this.ident(ACCUMULATOR);
  }

  select(operand: Expr, field: string): Expr {
    return this.#factory.select(this.#id(), operand, field);
  }

  presenceTest(operand: Expr, field: string): Expr {
    return this.#factory.select(this.#id(), operand, field, true);
  }

  call(name: string, ...args: readonly Expr[]): Expr {
    return this.#factory.call(this.#id(), name, args);
  }

  memberCall(name: string, target: Expr, ...args: readonly Expr[]): Expr {
    return this.#factory.call(this.#id(), name, args, target);
  }

  list(...elements: readonly Expr[]): Expr {
    return this.#factory.list(this.#id(), elements);
  }

  map(...entries: readonly { readonly key: Expr; readonly value: Expr }[]): Expr {
    return this.#factory.map(
      this.#id(),
      entries.map(({ key, value }) => ({ id: this.#id(), key, value, optional: false })),
    );
  }

  comprehension(parts: Omit<ComprehensionExpr, "kind" | "id">): Expr {
    return { kind: "comprehension", id: this.#id(), ...parts };
  }

  #id(): number {
    return this.#factory.id(this.#offset);
  }
}

export const ACCUMULATOR = "@result";

/**
 * Makes a balanced tree of a chain of `&&` or `||`: a rule of a thousand terms is ten levels deep. The terms keep their order.
 * `ids` are those of the operators between them.
 */
export function balanceLogic(
  terms: readonly Expr[],
  ids: readonly number[],
  join: (id: number, left: Expr, right: Expr) => Expr,
): Expr {
  const tree = (low: number, high: number): Expr => {
    const middle = (low + high + 1) >> 1;
    const left = middle === low ? (terms[middle] as Expr) : tree(low, middle - 1);
    const right = middle === high ? (terms[middle + 1] as Expr) : tree(middle + 1, high);
    return join(ids[middle] as number, left, right);
  };
  return ids.length === 0 ? (terms[0] as Expr) : tree(0, ids.length - 1);
}
