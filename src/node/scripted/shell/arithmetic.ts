import { Pace } from "../../../base/pace.js";
import type { Steps } from "../../../base/steps.js";

/** What $((...)) cannot compute. */
export class ArithmeticError extends Error {}

/** Operators of two operands, by how closely they bind. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ["||", 1],
  ["&&", 2],
  ["==", 3],
  ["!=", 3],
  ["<=", 4],
  [">=", 4],
  ["<", 4],
  [">", 4],
  ["+", 5],
  ["-", 5],
  ["*", 6],
  ["/", 6],
  ["%", 6],
]);
/** Of +, - and ! before an operand. */
const UNARY = 7;
/** How many operators and parentheses may wait for what follows them. */
const MOST_PENDING = 10_000;
const TOKEN = /\s*(?:(\d+)|([A-Za-z_]\w*)|(\|\||&&|[=!<>]=|[-+*/%<>()!]|\S))/y;
const TOKENS_PER_STEP = 64;

interface Pending {
  /** "(" waits for its end and is applied by nothing. */
  readonly operator: string;
  readonly precedence: number;
}

/**
 * An expression of integers with +, -, *, /, %, comparisons, &&, ||, ! and parentheses. Names are variables; unset ones are 0. Works
 * without recursion: what waits for its right operand is on a stack.
 */
export function* arithmetic(expression: string, variable: (name: string) => string): Steps<number> {
  const values: number[] = [];
  const pending: Pending[] = [];
  const pace = new Pace(TOKENS_PER_STEP);
  const wait = (operator: string, precedence: number): void => {
    if (pending.length >= MOST_PENDING) throw new ArithmeticError("arithmetic expression: nested too deeply");
    pending.push({ operator, precedence });
  };
  /** Applies what binds at least so closely. */
  const reduce = (precedence: number): void => {
    for (let top = pending.at(-1); top !== undefined && top.precedence >= precedence; top = pending.at(-1)) {
      pending.pop();
      const right = values.pop() ?? 0;
      values.push(
        top.precedence === UNARY ? unary(top.operator, right) : binary(top.operator, values.pop() ?? 0, right),
      );
    }
  };
  let expectsOperand = true;
  for (let at = 0; ; ) {
    if (pace.isDue()) yield;
    TOKEN.lastIndex = at;
    const [token, digits, name, operator = ""] = TOKEN.exec(expression) ?? [];
    if (token === undefined) break;
    at += token.length;
    if (expectsOperand) {
      if (digits !== undefined) values.push(Number(digits));
      else if (name !== undefined) values.push(Math.trunc(Number(variable(name))) || 0);
      else if (operator === "(") wait(operator, 0);
      else if (operator === "-" || operator === "+" || operator === "!") wait(operator, UNARY);
      else throw new ArithmeticError(`arithmetic expression: expecting primary: "${shown(expression)}"`);
      expectsOperand = digits === undefined && name === undefined;
    } else if (operator === ")") {
      reduce(1);
      if (pending.pop() === undefined)
        throw new ArithmeticError(`arithmetic expression: expecting EOF: "${shown(expression)}"`);
    } else {
      const precedence = PRECEDENCE.get(operator);
      if (precedence === undefined) {
        const expected = pending.some((one) => one.operator === "(") ? "')'" : `EOF: "${shown(expression)}"`;
        throw new ArithmeticError(`arithmetic expression: expecting ${expected}`);
      }
      reduce(precedence);
      wait(operator, precedence);
      expectsOperand = true;
    }
  }
  if (values.length === 0 && pending.length === 0) return 0;
  if (expectsOperand) throw new ArithmeticError(`arithmetic expression: expecting primary: "${shown(expression)}"`);
  reduce(1);
  if (pending.length > 0) throw new ArithmeticError("arithmetic expression: expecting ')'");
  const value = values[0] ?? 0;
  if (Number.isNaN(value)) throw new ArithmeticError("division by zero");
  return value;
}

/** So much of an expression is in what is said of it. */
const LONGEST_SHOWN = 256;

const shown = (expression: string): string =>
  expression.length > LONGEST_SHOWN ? `${expression.slice(0, LONGEST_SHOWN)}...` : expression;

/** A number as the shell writes it, never with an exponent. */
export function integerText(number: number): string {
  if (Number.isSafeInteger(number)) return String(number);
  if (!Number.isFinite(number)) return number > 0 ? "9223372036854775807" : "-9223372036854775808";
  return String(BigInt(number));
}

const unary = (operator: string, value: number): number =>
  operator === "+" || Number.isNaN(value) ? value : operator === "!" ? Number(value === 0) : -value || 0;

/** NaN is what a division by zero comes to; && and || may not need it. */
function binary(operator: string, left: number, right: number): number {
  if (operator === "||" && (left !== 0 || !Number.isNaN(right)) && !Number.isNaN(left))
    return Number(left !== 0 || right !== 0);
  if (operator === "&&" && (left === 0 || !Number.isNaN(right)) && !Number.isNaN(left))
    return Number(left !== 0 && right !== 0);
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  switch (operator) {
    case "==":
      return Number(left === right);
    case "!=":
      return Number(left !== right);
    case "<=":
      return Number(left <= right);
    case ">=":
      return Number(left >= right);
    case "<":
      return Number(left < right);
    case ">":
      return Number(left > right);
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "%":
      return right === 0 ? Number.NaN : left % right;
    default:
      return right === 0 ? Number.NaN : Math.trunc(left / right);
  }
}
