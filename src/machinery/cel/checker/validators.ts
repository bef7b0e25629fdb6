import { type CheckedAst, type Expr, walk, type ListExpr, type MapExpr, childrenOf } from "../ast.js";
import { Pattern, PatternError } from "../standard/pattern.js";
import { Duration, parseDuration } from "../values/duration.js";
import { checkedTimestamp, parseTimestamp, Timestamp } from "../values/timestamp.js";
import type { Value } from "../values/value.js";
import { DYN, type Type } from "../types/type.js";

/** Finds faults in a well-typed expression that types do not show, and reports each at its node. */
export type Validator = (ast: CheckedAst, report: (node: Expr, message: string) => void) => void;

/** Refuses calls of a function with a literal in parentheses that can never be right. Of `matches(text, pattern)` that is the text, as in cel-go. */
function literalArgument(name: string, index: number, isRight: (value: Value) => boolean): Validator {
  return (ast, report) => {
    for (const node of walk(ast.root)) {
      if (node.kind !== "call" || node.name !== name) continue;
      const argument = node.args[index];
      if (argument?.kind === "literal" && !isRight(argument.value)) report(argument, `invalid ${name} argument`);
    }
  };
}

function isPattern(value: Value): boolean {
  try {
    return typeof value !== "string" || new Pattern(value) instanceof Pattern;
  } catch (error) {
    if (error instanceof PatternError) return false;
    throw error;
  }
}

/** A text, or seconds since 1970. */
function isTimestamp(value: Value): boolean {
  if (typeof value === "string") return parseTimestamp(value) instanceof Timestamp;
  if (typeof value !== "number" && typeof value !== "bigint") return true;
  return checkedTimestamp(BigInt(value) * 1_000_000_000n) instanceof Timestamp;
}

/** cel-go's validators of literals: they check durations, timestamps and patterns before an expression runs. */
export const LITERAL_VALIDATORS: readonly Validator[] = [
  literalArgument("duration", 0, (value) => typeof value !== "string" || parseDuration(value) instanceof Duration),
  literalArgument("timestamp", 0, isTimestamp),
  literalArgument("matches", 0, isPattern),
];

/** Functions whose literal lists hold what they like: '%d %s'.format([1, 'a']). */
const EXEMPT: ReadonlySet<string> = new Set(["format"]);

/** Rejects lists whose elements, and maps whose keys or values, have several types. Source: cel-go's ValidateHomogeneousAggregateLiterals. */
export const HOMOGENEOUS_LITERALS: Validator = (ast, report) => {
  const typeOf = (node: Expr, optional: boolean): Type => {
    const type = ast.types.get(node.id) ?? DYN;
    return optional ? type.parameter(0) : type;
  };
  const judge = (node: Expr): void => {
    if (node.kind === "call" && EXEMPT.has(node.name)) return;
    if (node.kind === "list") judgeList(node, typeOf, report);
    if (node.kind === "map") judgeMap(node, typeOf, report);
    for (const inner of childrenOf(node)) judge(inner);
  };
  judge(ast.root);
};

type TypeOf = (node: Expr, optional: boolean) => Type;
type Report = Parameters<Validator>[1];

function judgeList(node: ListExpr, typeOf: TypeOf, report: Report): void {
  let first: Type | undefined;
  for (const [index, element] of node.elements.entries()) {
    const type = typeOf(element, node.optional.has(index));
    first ??= type;
    if (isSame(first, type)) continue;
    report(element, mismatch(first, type));
    return;
  }
}

function judgeMap(node: MapExpr, typeOf: TypeOf, report: Report): void {
  const [first, ...rest] = node.entries;
  if (first === undefined) return;
  const [keys, values] = [typeOf(first.key, false), typeOf(first.value, first.optional)];
  for (const { key, value, optional } of rest) {
    const [keyType, valueType] = [typeOf(key, false), typeOf(value, optional)];
    if (!isSame(keys, keyType)) report(key, mismatch(keys, keyType));
    if (!isSame(values, valueType)) report(value, mismatch(values, valueType));
  }
}

const mismatch = (expected: Type, actual: Type): string => `expected type '${expected}' but found '${actual}'`;

/** Whether two types are the same, whatever their type parameters are called. */
function isSame(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false;
  if (a.kind !== "typeParam" && a.name !== b.name) return false;
  return a.parameters.every((parameter, index) => isSame(parameter, b.parameter(index)));
}
