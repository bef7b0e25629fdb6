import { dictionary } from "../../../base/collections/dictionary.js";
import { type Expr, type ListExpr, childrenOf, walk } from "../ast.js";
import type { Validator } from "../checker/validators.js";
import { DYN, type Kind, type Type } from "../types/type.js";
import { ArrayList } from "../values/list.js";
import { FormatError, Formatter, type FormatWriter, misused, STRING_USES, USES } from "./format.js";

const TEXTS: readonly Kind[] = [
  "list",
  "map",
  "int",
  "uint",
  "double",
  "bool",
  "string",
  "timestamp",
  "bytes",
  "duration",
  "type",
  "null",
];

/** What verbs can be used on. "NaN" and "Infinity" are texts that count as numbers. */
const TYPES: Readonly<Record<string, readonly Kind[]>> = dictionary({
  b: ["int", "uint", "bool"],
  d: ["int", "uint"],
  e: ["double", "string"],
  f: ["double", "string"],
  o: ["int", "uint"],
  s: TEXTS,
  x: ["int", "uint", "string", "bytes"],
});

/**
 * Rejects calls of `format` on a literal with a literal list that can never succeed: an unknown clause, too few or too many
 * arguments, one of a type that its clause cannot format. The words are those of cel-go before version 4 of strings. Source:
 * cel-go's ext.stringFormatValidator.
 */
export const FORMAT_ARGUMENTS: Validator = (ast, report) => {
  const typeOf = (node: Expr): Type => ast.types.get(node.id) ?? DYN;
  for (const node of walk(ast.root)) {
    if (node.kind !== "call" || node.name !== "format") continue;
    const [args] = node.args;
    const { target } = node;
    if (target?.kind !== "literal" || typeof target.value !== "string" || args?.kind !== "list") continue;
    const problem = problemOf(target.value, args, typeOf);
    if (problem !== undefined) report(problem.node ?? node, problem.message);
  }
};

interface Problem {
  /** The argument; undefined: the call itself. */
  readonly node?: Expr | undefined;
  readonly message: string;
}

/** An argument that a clause cannot write. */
class ArgumentError extends FormatError {
  constructor(
    readonly node: Expr,
    message: string,
  ) {
    super(message);
  }
}

function problemOf(template: string, { elements }: ListExpr, typeOf: (node: Expr) => Type): Problem | undefined {
  const writer: FormatWriter = {
    verb(written) {
      const verb = written === "X" ? "x" : written;
      const kinds = TYPES[verb];
      if (kinds === undefined) return undefined;
      return (index) => {
        const argument = elements[Number(index)] as Expr;
        const wrong =
          verb === "s" ? unwritable(argument, typeOf) : fits(typeOf(argument), kinds) ? undefined : argument;
        if (wrong === undefined) return "";
        throw new ArgumentError(wrong, misused(USES.literal[verb] ?? STRING_USES, typeOf(wrong)));
      };
    },
  };
  // The formatter hands each clause the number of its argument.
  const formatter = new Formatter(template, new ArrayList(elements.map((_, index) => index)), writer);
  try {
    formatter.run();
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { message: error.message, ...(error instanceof ArgumentError && { node: error.node }) };
  }
  const { used } = formatter;
  if (elements.length <= used) return undefined;
  return { message: `too many arguments supplied to string.format (expected ${used}, got ${elements.length})` };
}

const fits = ({ kind }: Type, kinds: readonly Kind[]): boolean => kind === "dyn" || kinds.includes(kind);

/** The argument, or what a literal list or map holds, that no text is made of. */
function unwritable(node: Expr, typeOf: (node: Expr) => Type): Expr | undefined {
  if (!fits(typeOf(node), TEXTS)) return node;
  if (node.kind !== "list" && node.kind !== "map") return undefined;
  for (const inner of childrenOf(node)) {
    const wrong = unwritable(inner, typeOf);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
