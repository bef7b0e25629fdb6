import type { Program } from "../program.js";
import { ProgramFailure } from "./gnu-program.js";
import { latin, unlatin } from "./latin-text.js";
import { posixRegexp, RegexpError } from "./posix-regexp.js";

const FAILURE = 2;
const LARGER = 3;
/** How deep parentheses may stand in parentheses, and how large a number may be: in decimal digits. */
const DEEPEST = 500;
const LONGEST_NUMBER = 1000;

/** expr, with integers of any size. */
export const expr: Program = async (io) => {
  const args = io.args[0] === "--" ? io.args.slice(1) : io.args;
  if (args.length === 0) {
    await io.stderr.write("expr: missing operand\nTry 'expr --help' for more information.\n");
    return FAILURE;
  }
  try {
    const value = new Expr(args.map(latin)).value();
    await io.stdout.write(`${unlatin(value)}\n`);
    return Number(isNull(value));
  } catch (error) {
    if (!(error instanceof ProgramFailure)) throw error;
    await io.stderr.write(`expr: ${error.message}\n`);
    return error.code;
  }
};

const isNull = (value: string): boolean => value === "" || /^-?0+$/.test(value);

class Expr {
  #at = 0;
  #depth = 0;

  constructor(private readonly args: readonly string[]) {}

  value(): string {
    const value = this.#level(0, true);
    const extra = this.args[this.#at];
    if (extra !== undefined) throw new ProgramFailure(`syntax error: unexpected argument '${extra}'`, FAILURE);
    return value;
  }

  /** What operators of a level combine. Where `counts` is false, the value is not wanted: nothing may fail. */
  #level(level: number, counts: boolean): string {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#primary(counts);
    let left = this.#level(level + 1, counts);
    for (;;) {
      const operator = this.args[this.#at] ?? "";
      if (!operators.includes(operator)) return left;
      this.#at += 1;
      const decides = operator === "|" ? !isNull(left) : operator === "&" && isNull(left);
      const right = this.#level(level + 1, counts && !decides);
      if (counts) left = combined(operator, left, right);
    }
  }

  #primary(counts: boolean): string {
    const word = this.#next();
    switch (word) {
      case "(": {
        if ((this.#depth += 1) > DEEPEST) throw new ProgramFailure("nested too deeply", FAILURE);
        const value = this.#level(0, counts);
        if (this.args[this.#at] !== ")") {
          const found = this.args[this.#at];
          throw new ProgramFailure(
            found === undefined
              ? `syntax error: expecting ')' after '${this.args[this.#at - 1] ?? ""}'`
              : `syntax error: expecting ')' instead of '${found}'`,
            FAILURE,
          );
        }
        this.#at += 1;
        this.#depth -= 1;
        return value;
      }
      case ")":
        throw new ProgramFailure("syntax error: unexpected ')'", FAILURE);
      case "+":
        return this.#next();
      case "length":
        return String(this.#primary(counts).length);
      case "match": {
        const text = this.#primary(counts);
        return matched(text, this.#primary(counts));
      }
      case "index": {
        const text = this.#primary(counts);
        const chars = this.#primary(counts);
        const at = Array.from(text).findIndex((char) => chars.includes(char));
        return String(at + 1);
      }
      case "substr": {
        const text = this.#primary(counts);
        const [from, length] = [Number(this.#primary(counts)), Number(this.#primary(counts))];
        return from >= 1 && length >= 1 ? text.slice(from - 1, from - 1 + length) : "";
      }
      default:
        return word;
    }
  }

  #next(): string {
    const word = this.args[this.#at];
    if (word === undefined)
      throw new ProgramFailure(`syntax error: missing argument after '${this.args[this.#at - 1] ?? ""}'`, FAILURE);
    this.#at += 1;
    return word;
  }
}

/** From those that bind least to those that bind most. */
const LEVELS: readonly (readonly string[])[] = [
  ["|"],
  ["&"],
  ["<", "<=", "=", "==", "!=", ">=", ">"],
  ["+", "-"],
  ["*", "/", "%"],
  [":"],
];

function combined(operator: string, left: string, right: string): string {
  switch (operator) {
    case "|":
      return isNull(left) ? (isNull(right) ? "0" : right) : left;
    case "&":
      return isNull(left) || isNull(right) ? "0" : left;
    case ":":
      return matched(left, right);
    case "<":
    case "<=":
    case "=":
    case "==":
    case "!=":
    case ">=":
    case ">":
      return compared(operator, left, right) ? "1" : "0";
    default:
      return computed(operator, integer(left), integer(right)).toString();
  }
}

function computed(operator: string, left: bigint, right: bigint): bigint {
  if (operator === "+") return left + right;
  if (operator === "-") return left - right;
  if (operator === "*") return left * right;
  if (right === 0n) throw new ProgramFailure("division by zero", FAILURE);
  return operator === "/" ? left / right : left % right;
}

function integer(text: string): bigint {
  if (!/^-?\d+$/.test(text)) throw new ProgramFailure("non-integer argument", FAILURE);
  if (text.length > LONGEST_NUMBER) throw new ProgramFailure("Numerical result out of range", LARGER);
  return BigInt(text);
}

function compared(operator: string, left: string, right: string): boolean {
  const areNumbers = /^-?\d+$/.test(left) && /^-?\d+$/.test(right);
  const [a, b] = areNumbers ? [integer(left), integer(right)] : [left, right];
  switch (operator) {
    case "<":
      return a < b;
    case "<=":
      return a <= b;
    case "!=":
      return a !== b;
    case ">=":
      return a >= b;
    case ">":
      return a > b;
    default:
      return a === b;
  }
}

/** The pattern is looked for at the text's beginning alone. */
function matched(text: string, pattern: string): string {
  try {
    // An error is that of the pattern itself.
    posixRegexp(pattern, { extended: false });
    const anchored = posixRegexp(`^\\(${pattern.replace(/^\^/, "")}\\)`, { extended: false });
    const match = anchored.exec(text);
    if (anchored.groups > 1) return match === undefined ? "" : text.slice(Math.max(0, match[4] ?? 0), match[5] ?? 0);
    return String(match?.[1] ?? 0);
  } catch (error) {
    if (error instanceof RegexpError) throw new ProgramFailure(error.message, FAILURE);
    throw error;
  }
}
