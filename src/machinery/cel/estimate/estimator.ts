import type { CallExpr, CheckedAst, ComprehensionExpr, Expr, ListExpr, MapExpr, SelectExpr } from "../ast.js";
import { type Callee, findCallee, type Declarations } from "../checker/declarations.js";
import { codePoints, COST } from "../evaluator/cost.js";
import { DYN, type Type } from "../types/type.js";
import { CelValue, Double, Uint, type Value } from "../values/value.js";
import {
  type CallEstimate,
  type EstimateCall,
  type EstimatedCall,
  type EstimatedNode,
  fixed,
  MOST,
  NONE,
  ONE,
  product,
  type Range,
  sum,
  sumOf,
  union,
  UNKNOWN,
} from "./call-estimate.js";
import { STANDARD_ESTIMATES } from "./standard-calls.js";

export interface EstimateOptions {
  /** How large what stands at the end of a path is, which begins with a variable; undefined: the declared types do not say. */
  readonly sizeAt?: (path: readonly string[]) => Range | undefined;
  /** Estimates of calls that go before those of the standard library; an overload's own go before them. */
  readonly estimateCall?: EstimateCall | undefined;
  /** Whether `has(x.y)` costs 1 beside what reading `x` costs. cel-go's default is true; Kubernetes has it cost nothing. */
  readonly presenceTestHasCost?: boolean;
}

/** Estimates the cost of evaluating an expression, in the units of cel-go's runtime cost. Source: cel-go's checker/cost.go. */
export function estimateCost(ast: CheckedAst, declarations: Declarations, options: EstimateOptions = {}): Range {
  return new Estimator(ast, declarations, options).cost(ast.root);
}

/** A variable of a comprehension. */
interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entrySize: EntrySize | undefined;
}

const NO_PATH: readonly string[] = [];

class Estimator {
  readonly #ast: CheckedAst;
  readonly #declarations: Declarations;
  readonly #options: EstimateOptions;
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, Range>();
  readonly #entrySizes = new Map<number, EntrySize>();
  /** Innermost last. */
  readonly #locals = new Map<string, Local[]>();

  constructor(ast: CheckedAst, declarations: Declarations, options: EstimateOptions) {
    this.#ast = ast;
    this.#declarations = declarations;
    this.#options = options;
  }

  cost(node: Expr): Range {
    switch (node.kind) {
      case "literal":
      case "invalid":
        return NONE;
      case "ident":
        this.#paths.set(node.id, this.#local(node.name)?.path ?? [node.name]);
        return ONE;
      case "select":
        return this.#select(node);
      case "call":
        return this.#call(node);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return sumOf([fixed(COST.struct), ...node.fields.map(({ value }) => this.cost(value))]);
      case "comprehension":
        return isBinding(node) ? this.#binding(node) : this.#comprehension(node);
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #declare(name: string, local: Local): void {
    const locals = this.#locals.get(name);
    if (locals === undefined) this.#locals.set(name, [local]);
    else locals.push(local);
  }

  #forget(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #typeOf(node: Expr): Type {
    return this.#ast.types.get(node.id) ?? DYN;
  }

  #pathOf(node: Expr): readonly string[] {
    const local = node.kind === "ident" ? this.#local(node.name) : undefined;
    return local?.path ?? this.#paths.get(node.id) ?? NO_PATH;
  }

  #select(node: SelectExpr): Range {
    const reference = this.#ast.references.get(node.id);
    if (reference?.kind === "ident") {
      // A name of several words: google.protobuf.Duration.
      this.#paths.set(node.id, [reference.name]);
      return ONE;
    }
    const operand = this.cost(node.operand);
    if (node.testOnly) return (this.#options.presenceTestHasCost ?? true) ? sum(ONE, operand) : operand;
    this.#paths.set(node.id, [...this.#pathOf(node.operand), node.field]);
    const selects = ["map", "struct", "typeParam"].includes(this.#typeOf(node.operand).kind);
    return selects ? sum(operand, ONE) : operand;
  }

  #call(node: CallExpr): Range {
    const [first] = node.args;
    if (node.name === "dyn" && first !== undefined) {
      const cost = sum(ONE, this.cost(first));
      this.#copySizes(node, first);
      return cost;
    }
    const callee = findCallee(this.#declarations, this.#ast.references, node);
    const costs = callee.args.map((arg) => this.cost(arg));
    const nodes = callee.args.map((arg) => this.#estimated(arg));
    let cost: Range = { min: MOST, max: 0 };
    let resultSize: Range | undefined;
    for (const { id } of callee.overloads) {
      const estimate = this.#overload(node, callee, id, nodes, costs);
      cost = union(cost, estimate.cost);
      if (estimate.resultSize !== undefined) {
        resultSize = resultSize === undefined ? estimate.resultSize : union(resultSize, estimate.resultSize);
      }
      resultSize = this.#indexed(node, id, callee.args) ?? resultSize;
      resultSize ??= this.#sizeOf(node);
    }
    if (resultSize !== undefined) this.#sizes.set(node.id, resultSize);
    return callee.overloads.length === 0 ? NONE : cost;
  }

  /** The path of an element that an index reads, and its size, if it is known. */
  #indexed(node: CallExpr, overload: string, [container]: readonly Expr[]): Range | undefined {
    const step = overload === "index_list" ? "@items" : overload === "index_map" ? "@values" : undefined;
    if (step === undefined || container === undefined) return undefined;
    this.#paths.set(node.id, [...this.#pathOf(container), step]);
    return this.#entrySizeOf(container)?.value;
  }

  #overload(
    node: CallExpr,
    callee: Callee,
    overload: string,
    args: readonly EstimatedNode[],
    costs: readonly Range[],
  ): CallEstimate {
    const [first = NONE, second = NONE, third = NONE] = costs;
    if (overload === "logical_or" || overload === "logical_and") {
      return { cost: { min: first.min, max: sum(first, second).max } };
    }
    const [, yes, no] = callee.args;
    if (overload === "conditional" && yes !== undefined && no !== undefined) {
      this.#setEntrySize(node, unionOfEntries(this.#entrySizeOf(yes), this.#entrySizeOf(no)));
      return {
        cost: sum(first, union(second, third)),
        resultSize: union(this.#sizeOf(yes) ?? UNKNOWN, this.#sizeOf(no) ?? UNKNOWN),
      };
    }
    if (overload.startsWith("add_") && callee.args.length === 2) {
      const [a, b] = callee.args as [Expr, Expr];
      this.#setEntrySize(node, unionOfEntries(this.#entrySizeOf(a), this.#entrySizeOf(b)));
    }
    const call = this.#estimatedCall(callee.name, overload, args);
    const own = callee.overloads.find(({ id }) => id === overload)?.estimate;
    const estimate = own?.(call) ??
      this.#options.estimateCall?.(call) ??
      STANDARD_ESTIMATES.get(overload)?.(call) ?? { cost: ONE };
    return { ...estimate, cost: sumOf([estimate.cost, ...costs]) };
  }

  #estimatedCall(name: string, overload: string, args: readonly EstimatedNode[]): EstimatedCall {
    return {
      name,
      overload,
      args,
      sizeOf: (node) => (node === undefined ? undefined : (node.size ?? this.#sizeAt(node.path))) ?? UNKNOWN,
      elementOf,
    };
  }

  #estimated(node: Expr): EstimatedNode {
    return { path: this.#pathOf(node), type: this.#typeOf(node), expr: node, size: this.#sizeOf(node) };
  }

  #list(node: ListExpr): Range {
    const costs = node.elements.map((element) => this.cost(element));
    const value = this.#unionOfSizes(node.elements);
    this.#setEntrySize(node, { container: "list", key: ONE, value });
    return sumOf([fixed(COST.list), ...costs]);
  }

  #map(node: MapExpr): Range {
    const costs = node.entries.map(({ key, value }) => sum(this.cost(key), this.cost(value)));
    this.#setEntrySize(node, {
      container: "map",
      key: this.#unionOfSizes(node.entries.map(({ key }) => key)),
      value: this.#unionOfSizes(node.entries.map(({ value }) => value)),
    });
    return sumOf([fixed(COST.map), ...costs]);
  }

  #unionOfSizes(nodes: readonly Expr[]): Range {
    const sizes = nodes.map((node) => this.#sizeOf(node) ?? UNKNOWN);
    return sizes.length === 0 ? NONE : sizes.reduce(union);
  }

  #comprehension(node: ComprehensionExpr): Range {
    const outer = sum(this.cost(node.range), this.cost(node.init));
    this.#bind(node.accumulator, node.init);
    const variables = this.#declareVariables(node);
    const turn = sum(this.cost(node.condition), this.cost(node.step));
    for (const name of variables) this.#forget(name);
    const result = this.cost(node.result);
    this.#forget(node.accumulator);
    const turns = this.#sizeOf(node.range) ?? UNKNOWN;
    if (node.init.kind === "literal") this.#setSize(node, this.#sizeOf(node.init));
    if (node.init.kind === "list" || node.init.kind === "map") {
      this.#setSize(node, turns);
      this.#setEntrySize(node, this.#entrySizeOf(node.step));
    }
    return sum(outer, result, product(turns, turn));
  }

  #declareVariables({ range, variable, variable2 }: ComprehensionExpr): readonly string[] {
    const entry = this.#entrySizeOf(range);
    const isList = (entry?.container ?? this.#typeOf(range).kind) === "list";
    const path = this.#pathOf(range);
    const declare = (name: string, step: string, size: Range | undefined): void =>
      this.#declare(name, { path: [...path, step], size, entrySize: undefined });
    if (variable2 === undefined) {
      declare(variable, isList ? "@items" : "@keys", isList ? entry?.value : entry?.key);
      return [variable];
    }
    declare(variable, isList ? "@indices" : "@keys", entry?.key);
    declare(variable2, isList ? "@items" : "@values", entry?.value);
    return [variable, variable2];
  }

  #binding(node: ComprehensionExpr): Range {
    const outer = sum(this.cost(node.range), this.cost(node.init));
    this.#bind(node.accumulator, node.init);
    const result = this.cost(node.result);
    this.#forget(node.accumulator);
    this.#copySizes(node, node.result);
    return sum(outer, result);
  }

  #bind(name: string, value: Expr): void {
    this.#declare(name, {
      path: this.#pathOf(value),
      size: this.#sizeOf(value),
      entrySize: this.#entrySizeOf(value),
    });
  }

  #copySizes(to: Expr, from: Expr): void {
    this.#setSize(to, this.#sizeOf(from));
    this.#setEntrySize(to, this.#entrySizeOf(from));
  }

  #setSize(node: Expr, size: Range | undefined): void {
    if (size !== undefined) this.#sizes.set(node.id, size);
  }

  #setEntrySize(node: Expr, size: EntrySize | undefined): void {
    if (size !== undefined) this.#entrySizes.set(node.id, size);
  }

  #entrySizeOf(node: Expr): EntrySize | undefined {
    const known = this.#entrySizes.get(node.id);
    if (known !== undefined || node.kind !== "ident") return known;
    return this.#local(node.name)?.entrySize;
  }

  #sizeOf(node: Expr): Range | undefined {
    const known = this.#sizes.get(node.id) ?? writtenSize(node);
    if (known !== undefined) return known;
    const declared = this.#sizeAt(this.#pathOf(node));
    if (declared !== undefined) {
      this.#sizes.set(node.id, declared);
      return declared;
    }
    if (isScalar(this.#typeOf(node))) return ONE;
    return node.kind === "ident" ? this.#local(node.name)?.size : undefined;
  }

  #sizeAt(path: readonly string[]): Range | undefined {
    return path.length === 0 ? undefined : this.#options.sizeAt?.(path);
  }
}

function elementOf(list: EstimatedNode): EstimatedNode | undefined {
  const [type] = list.type.parameters;
  const path = list.path.length === 0 ? NO_PATH : [...list.path, "@items"];
  return type === undefined ? undefined : { path, type, expr: undefined, size: undefined };
}

/** A comprehension that only gives a value a name, as optMap's expansion does. */
function isBinding({ range, condition }: ComprehensionExpr): boolean {
  const never = condition.kind === "literal" && condition.value === false;
  return never && range.kind === "list" && range.elements.length === 0;
}

/** The size of what is written in the expression. */
function writtenSize(node: Expr): Range | undefined {
  if (node.kind === "list") return fixed(node.elements.length);
  if (node.kind === "map") return fixed(node.entries.length);
  return node.kind === "literal" ? sizeOfLiteral(node.value) : undefined;
}

function sizeOfLiteral(value: Value): Range | undefined {
  if (typeof value === "string") return fixed(codePoints(value));
  if (value instanceof Uint8Array) return fixed(value.length);
  return value instanceof CelValue && !(value instanceof Double) && !(value instanceof Uint) ? undefined : ONE;
}

/** Whether all values of a type are of one size. */
function isScalar(type: Type): boolean {
  if (type.isOptional) return isScalar(type.parameter(0));
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}

/** What is known of the sizes in a list or a map that the expression makes. */
interface EntrySize {
  readonly container: "list" | "map";
  /** Of an index, which is 1, or of a key. */
  readonly key: Range;
  readonly value: Range;
}

/** What is known of either of two containers. */
function unionOfEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}
