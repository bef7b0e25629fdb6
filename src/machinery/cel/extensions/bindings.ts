import type { Expr } from "../ast.js";
import type { Library } from "../functions/declaration.js";
import { type Macro, MacroError, variableName } from "../parser/macros.js";

/** `cel.bind(x, value, expression)`: the expression, where `x` is the value. */
const bind: Macro = {
  name: "bind",
  argCount: 3,
  member: true,
  expand(build, target, [declared, value, result]) {
    if (target.kind !== "ident" || target.name !== "cel") return undefined;
    const variable = variableName(declared, "cel.bind() variable names must be simple identifiers");
    return build.comprehension({
      range: build.list(),
      variable: "#unused",
      variable2: undefined,
      accumulator: variable,
      init: value as Expr,
      condition: build.literal(false),
      step: build.ident(variable),
      result: result as Expr,
    });
  },
};

/** `cel.block([a, b], expression)`: in the expression, `cel.index(0)` is `a`, as in `b`. It is what optimizers write. */
const block: Macro = {
  name: "block",
  argCount: 2,
  member: true,
  expand(build, target, [slots, result]) {
    if (target.kind !== "ident" || target.name !== "cel") return undefined;
    if (slots?.kind !== "list") throw new MacroError("cel.block requires the first arg to be a list literal", slots);
    return slots.elements.reduceRight(
      (rest: Expr, init, index) =>
        build.comprehension({
          range: build.list(),
          variable: "#unused",
          variable2: undefined,
          accumulator: `@index${index}`,
          init,
          condition: build.literal(false),
          step: build.ident(`@index${index}`),
          result: rest,
        }),
      result as Expr,
    );
  },
};

/** A number in the name of a variable: `cel.index(1)`, `cel.iterVar(0, 1)`. */
function numberedName(name: string, argCount: number, prefix: string): Macro {
  return {
    name,
    argCount,
    member: true,
    expand(build, target, args) {
      if (target.kind !== "ident" || target.name !== "cel") return undefined;
      const numbers = args.map((arg) => {
        if (arg.kind === "literal" && typeof arg.value === "number" && arg.value >= 0) return arg.value;
        throw new MacroError(`cel.${name} requires a single non-negative int constant arg`, arg);
      });
      return build.ident(`${prefix}${numbers.join(":")}`);
    },
  };
}

/** Names for values within an expression. */
export const BINDINGS: Library = { macros: [bind] };

/** The library for optimizers: blocks, in which parts of an expression are evaluated once. */
export const BLOCKS: Library = {
  macros: [
    block,
    numberedName("index", 1, "@index"),
    numberedName("iterVar", 2, "@it:"),
    numberedName("accuVar", 2, "@ac:"),
  ],
};
