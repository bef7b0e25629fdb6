import type { Expr } from "../ast.js";
import { OPERATOR } from "../operators.js";
import { ACCUMULATOR, type MacroBuilder } from "./expr-factory.js";

/** A call that the parser replaces by other nodes. */
export interface Macro {
  readonly name: string;
  /** How many arguments the call has; undefined: any number. */
  readonly argCount: number | undefined;
  /** Whether it is called on something (`list.all(x, ...)`). */
  readonly member: boolean;
  /** Answers what stands for the call; undefined: it is a call after all. Throws {@link MacroError}. */
  expand(build: MacroBuilder, target: Expr, args: readonly Expr[]): Expr | undefined;
}

/** Thrown when the arguments of a macro are invalid. */
export class MacroError extends Error {
  /** The argument that is wrong; undefined: the call itself. */
  readonly node: Expr | undefined;

  constructor(message: string, node?: Expr) {
    super(message);
    this.node = node;
  }
}

/** Returns the name that an argument declares as a variable. */
export function variableName(argument: Expr | undefined, message = "argument is not an identifier"): string {
  if (argument?.kind !== "ident") throw new MacroError(message, argument);
  if (argument.name === ACCUMULATOR || argument.name === "__result__") {
    throw new MacroError("iteration variable overwrites accumulator variable", argument);
  }
  return argument.name;
}

function member(name: string, argCount: number, expand: Macro["expand"]): Macro {
  return { name, argCount, member: true, expand };
}

const has: Macro = {
  name: "has",
  argCount: 1,
  member: false,
  expand(build, _target, [argument]) {
    if (argument?.kind !== "select") throw new MacroError("invalid argument to has() macro", argument);
    return build.presenceTest(argument.operand, argument.field);
  },
};

const SIMPLE_NAME = "argument must be a simple name";

/** `range.all(x, predicate)` and its siblings of one variable, or of two. */
export interface Quantifier {
  readonly range: Expr;
  readonly variable: string;
  readonly variable2?: string | undefined;
  readonly predicate: Expr;
}

export function expandAll(build: MacroBuilder, { range, variable, variable2, predicate }: Quantifier): Expr {
  return build.comprehension({
    range,
    variable,
    variable2,
    accumulator: ACCUMULATOR,
    init: build.literal(true),
    condition: build.call(OPERATOR.notStrictlyFalse, build.accumulator()),
    step: build.call(OPERATOR.and, build.accumulator(), predicate),
    result: build.accumulator(),
  });
}

export function expandExists(build: MacroBuilder, { range, variable, variable2, predicate }: Quantifier): Expr {
  return build.comprehension({
    range,
    variable,
    variable2,
    accumulator: ACCUMULATOR,
    init: build.literal(false),
    condition: build.call(OPERATOR.notStrictlyFalse, build.call(OPERATOR.not, build.accumulator())),
    step: build.call(OPERATOR.or, build.accumulator(), predicate),
    result: build.accumulator(),
  });
}

export function expandExistsOne(build: MacroBuilder, { range, variable, variable2, predicate }: Quantifier): Expr {
  const more = build.call(OPERATOR.add, build.accumulator(), build.literal(1));
  return build.comprehension({
    range,
    variable,
    variable2,
    accumulator: ACCUMULATOR,
    init: build.literal(0),
    condition: build.literal(true),
    step: build.call(OPERATOR.conditional, predicate, more, build.accumulator()),
    result: build.call(OPERATOR.equals, build.accumulator(), build.literal(1)),
  });
}

function quantifier(name: string, expand: (build: MacroBuilder, parts: Quantifier) => Expr): Macro {
  return member(name, 2, (build, range, [declared, predicate]) =>
    expand(build, { range, variable: variableName(declared, SIMPLE_NAME), predicate: predicate as Expr }),
  );
}

/** A list that grows by `element` for every element of the range that `filter` accepts. */
function gather(build: MacroBuilder, range: Expr, variable: string, element: Expr, filter?: Expr): Expr {
  const grown = build.call(OPERATOR.add, build.accumulator(), build.list(element));
  return build.comprehension({
    range,
    variable,
    variable2: undefined,
    accumulator: ACCUMULATOR,
    init: build.list(),
    condition: build.literal(true),
    step: filter === undefined ? grown : build.call(OPERATOR.conditional, filter, grown, build.accumulator()),
    result: build.accumulator(),
  });
}

/** The macros that every environment has. */
export const STANDARD_MACROS: readonly Macro[] = [
  has,
  quantifier("all", expandAll),
  quantifier("exists", expandExists),
  quantifier("exists_one", expandExistsOne),
  quantifier("existsOne", expandExistsOne),
  member("map", 2, (build, range, [declared, element]) =>
    gather(build, range, variableName(declared), element as Expr),
  ),
  member("map", 3, (build, range, [declared, filter, element]) =>
    gather(build, range, variableName(declared), element as Expr, filter),
  ),
  member("filter", 2, (build, range, [declared, filter]) =>
    gather(build, range, variableName(declared), declared as Expr, filter),
  ),
];
