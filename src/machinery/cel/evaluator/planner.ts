import type { Ast, Expr, ListExpr, MapExpr, Reference, SelectExpr, StructExpr } from "../ast.js";
import { candidateNames, type Declarations, findGlobal, qualifiedName } from "../checker/declarations.js";
import type { Type } from "../types/type.js";
import { ArrayList, GrowingList } from "../values/list.js";
import { describeValue, ErrorValue, OPTIONAL_NONE, OptionalValue, type Value } from "../values/value.js";
import { EntryMap } from "../values/map.js";
import { planCall } from "./calls.js";
import { planComprehension } from "./comprehension.js";
import { COST, type CostOf } from "./cost.js";
import { asAttribute, attribute, constant, type Frame, type Planned, type Step } from "./frame.js";
import { isPresent, qualify } from "./qualify.js";

export interface PlanOptions {
  readonly declarations: Declarations;
  /** What the checker found; without them names are resolved when the expression runs. */
  readonly types?: ReadonlyMap<number, Type>;
  readonly references?: ReadonlyMap<number, Reference>;
  /** Makes what a caller gave for a variable a value. */
  readonly toValue: (native: unknown, type: Type | undefined) => Value;
  /** Whether `has(x.y)` costs 1 beside what reading `x` costs; Kubernetes has it cost nothing. */
  readonly presenceTestHasCost: boolean;
  /** Costs of calls that go before those of the standard library; asked once for each call in the expression. */
  readonly costOf: CostOf | undefined;
}

/** Turns the nodes of an expression into functions, once; each evaluation calls them. */
export class Planner {
  readonly options: PlanOptions;
  /** The places in a frame of the variables that comprehensions declare, innermost last. */
  readonly #locals: { readonly name: string; readonly slot: number }[] = [];
  #slots = 0;

  constructor(options: PlanOptions) {
    this.options = options;
  }

  planRoot(ast: Ast): Planned {
    return this.plan(ast.root);
  }

  plan(node: Expr): Planned {
    switch (node.kind) {
      case "literal":
        return constant(node.value);
      case "ident":
        return this.#ident(node.id, node.name);
      case "select":
        return this.#select(node);
      case "call":
        return planCall(this, node);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return this.#struct(node);
      case "comprehension":
        return planComprehension(this, node);
      case "invalid":
        throw new Error("an expression with errors cannot be planned");
    }
  }

  typeOf(node: Expr): Type | undefined {
    return this.options.types?.get(node.id);
  }

  /** Plans `body` with variables of a comprehension; answers their places too. */
  declare<T>(names: readonly (string | undefined)[], body: (slots: readonly number[]) => T): T {
    const slots = names.map(() => this.#slots++);
    for (const [index, name] of names.entries()) {
      if (name !== undefined) this.#locals.push({ name, slot: slots[index] as number });
    }
    const planned = body(slots);
    this.#locals.splice(this.#locals.length - names.filter((name) => name !== undefined).length);
    return planned;
  }

  /** The place of a comprehension's variable. */
  localSlot(name: string): number | undefined {
    return this.#locals.findLast((local) => local.name === name)?.slot;
  }

  #ident(id: number, name: string): Planned {
    const reference = this.options.references?.get(id);
    if (reference?.kind === "ident" && reference.value !== undefined) return constant(reference.value);
    const resolved = reference?.kind === "ident" ? reference.name : name;
    const slot = resolved.startsWith(".") ? undefined : this.localSlot(resolved);
    if (slot !== undefined) return attribute((frame) => frame.locals[slot] as Value, 1);
    return reference === undefined ? this.#unchecked(name) : this.#global(resolved.replace(/^\./, ""));
  }

  #global(name: string): Planned {
    const type = this.options.declarations.variables.get(name)?.type;
    const toValue = (native: unknown): Value => this.options.toValue(native, type);
    const missing = new ErrorValue(`no such attribute(s): ${name}`);
    return attribute((frame) => {
      const value = frame.global(name, toValue);
      return value === undefined ? missing : value;
    }, 1);
  }

  /** A name in an expression that was not checked: a variable if it was given, else a type or a constant. */
  #unchecked(name: string): Planned {
    const names = candidateNames(this.options.declarations.container, name);
    const declared = findGlobal(this.options.declarations, name)?.value;
    const missing = declared === undefined ? new ErrorValue(`no such attribute(s): ${names.join(", ")}`) : declared;
    return attribute((frame) => {
      const value = this.#given(frame, names);
      return value === undefined ? missing : value;
    }, 1);
  }

  #given(frame: Frame, names: readonly string[]): Value | undefined {
    for (const name of names) {
      const type = this.options.declarations.variables.get(name)?.type;
      const value = frame.global(name, (native) => this.options.toValue(native, type));
      if (value !== undefined) return value;
    }
    return undefined;
  }

  #select(node: SelectExpr): Planned {
    const reference = this.options.references?.get(node.id);
    if (reference?.kind === "ident") {
      return reference.value === undefined
        ? this.#global(reference.name.replace(/^\./, ""))
        : constant(reference.value);
    }
    const { field } = node;
    const operand = asAttribute(this.plan(node.operand));
    if (node.testOnly) return this.#presenceTest(operand, field);
    const selected = this.#selected(operand.resolve, field);
    const whole = this.options.references === undefined ? this.#uncheckedPath(node) : undefined;
    if (whole === undefined) return attribute(selected, operand.baseCost);
    return attribute((frame) => {
      const value = whole(frame);
      return value === undefined ? selected(frame) : value;
    }, operand.baseCost);
  }

  #selected(operand: Step, field: string): Step {
    return (frame) => {
      const value = qualify(operand(frame), field);
      if (value !== OPTIONAL_NONE) frame.charge(1);
      return value;
    };
  }

  #presenceTest(operand: { readonly resolve: Step; readonly baseCost: number }, field: string): Planned {
    const resolve: Step = (frame) => {
      const present = isPresent(operand.resolve(frame), field);
      frame.charge(1);
      return present;
    };
    return attribute(resolve, this.options.presenceTestHasCost ? operand.baseCost : operand.baseCost - 1);
  }

  /** `a.b` in an expression that was not checked: a variable of that whole name comes before a field of `a`. */
  #uncheckedPath(node: SelectExpr): ((frame: Frame) => Value | undefined) | undefined {
    const path = qualifiedName(node);
    if (path === undefined || this.localSlot(path.split(".")[0] ?? "") !== undefined) return undefined;
    const names = candidateNames(this.options.declarations.container, path);
    const declared = findGlobal(this.options.declarations, path)?.value;
    return (frame) => {
      const value = this.#given(frame, names);
      return value === undefined ? declared : value;
    };
  }

  #list(node: ListExpr): Planned {
    const elements = node.elements.map((element) => this.plan(element));
    const { optional } = node;
    const make = (values: readonly Value[]): Value => {
      if (optional.size === 0) return new ArrayList(values);
      const kept: Value[] = [];
      for (const [index, value] of values.entries()) {
        if (!optional.has(index)) kept.push(value);
        else if (!(value instanceof OptionalValue)) return notOptional("list element", value);
        else if (value.value !== undefined) kept.push(value.value);
      }
      return new ArrayList(kept);
    };
    if (elements.every((element) => element.constant !== undefined)) {
      return constant(make(elements.map((element) => element.constant as Value)));
    }
    const steps = elements.map((element) => element.evaluate);
    return { evaluate: (frame) => collect(frame, steps, COST.list, make) };
  }

  #map(node: MapExpr): Planned {
    const planned = node.entries.flatMap(({ key, value }) => [this.plan(key), this.plan(value)]);
    const make = (values: readonly Value[]): Value => {
      const map = new EntryMap();
      for (const [index, { optional }] of node.entries.entries()) {
        const [key, value] = [values[index * 2] as Value, values[index * 2 + 1] as Value];
        const error = insertEntry(map, key, value, optional);
        if (error !== undefined) return error;
      }
      return map;
    };
    if (planned.every((part) => part.constant !== undefined)) {
      return constant(make(planned.map((part) => part.constant as Value)));
    }
    const steps = planned.map((part) => part.evaluate);
    return { evaluate: (frame) => collect(frame, steps, COST.map, make) };
  }

  #struct(node: StructExpr): Planned {
    const { types, container } = this.options.declarations;
    const name = candidateNames(container, node.typeName).find((candidate) => types.findType(candidate) !== undefined);
    if (name === undefined || types.construct === undefined) {
      return constant(new ErrorValue(`unknown type: ${node.typeName}`));
    }
    const steps = node.fields.map(({ value }) => this.plan(value).evaluate);
    const construct = types.construct.bind(types);
    const make = (values: readonly Value[]): Value => {
      const fields = new Map<string, Value>();
      for (const [index, { field, optional }] of node.fields.entries()) {
        const value = values[index] as Value;
        if (!optional) fields.set(field, value);
        else if (!(value instanceof OptionalValue)) return notOptional(`entry '${field}'`, value);
        else if (value.value !== undefined) fields.set(field, value.value);
      }
      return construct(name, fields);
    };
    return { evaluate: (frame) => collect(frame, steps, COST.struct, make) };
  }
}

/** The values of all steps, and what `make` makes of them; the first error instead. */
function collect(frame: Frame, steps: readonly Step[], cost: number, make: (values: readonly Value[]) => Value): Value {
  const values: Value[] = [];
  for (const step of steps) {
    const value = step(frame);
    if (value instanceof ErrorValue) {
      frame.charge(cost);
      return value;
    }
    values.push(value instanceof GrowingList ? value.finish() : value);
  }
  frame.charge(cost);
  return make(values);
}

function insertEntry(map: EntryMap, key: Value, value: Value, optional: boolean): ErrorValue | undefined {
  if (!optional) return map.insert(key, value);
  if (!(value instanceof OptionalValue)) return notOptional(`entry '${describeValue(key)}'`, value);
  return value.value === undefined ? undefined : map.insert(key, value.value);
}

function notOptional(what: string, value: Value): ErrorValue {
  return new ErrorValue(`cannot initialize optional ${what} from non-optional value ${describeValue(value)}`);
}
