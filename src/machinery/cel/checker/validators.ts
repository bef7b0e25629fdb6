import type { CheckedAst, Expr } from "../ast.js";
import { Pattern, PatternError } from "../standard/pattern.js";
import { Duration, parseDuration } from "../values/duration.js";
import { checkedTimestamp, parseTimestamp, Timestamp } from "../values/timestamp.js";
import type { Value } from "../values/value.js";
import { walk } from "../walk.js";

/** Finds what no type says about an expression that is typed right, and reports it where a node stands. */
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

/** cel-go's: durations, timestamps and patterns that are literals are looked at before an expression runs. */
export const LITERAL_VALIDATORS: readonly Validator[] = [
  literalArgument("duration", 0, (value) => typeof value !== "string" || parseDuration(value) instanceof Duration),
  literalArgument("timestamp", 0, isTimestamp),
  literalArgument("matches", 0, isPattern),
];
