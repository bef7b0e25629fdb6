import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";

/** Thrown for an arithmetic expression $((...)) that cannot be evaluated. */
export class ArithmeticError extends Error {}

/** The variables of an expression; `index` is that of an array's element. */
export interface ArithmeticVariables {
  get(name: string, index: string | undefined): string | undefined;
  set(name: string, index: string | undefined, value: string): void;
}

/** Operators of two operands, by how closely they bind. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ["||", 1],
  ["&&", 2],
  ["|", 3],
  ["^", 4],
  ["&", 5],
  ["==", 6],
  ["!=", 6],
  ["<=", 7],
  [">=", 7],
  ["<", 7],
  [">", 7],
  ["<<", 8],
  [">>", 8],
  ["+", 9],
  ["-", 9],
  ["*", 10],
  ["/", 10],
  ["%", 10],
  ["**", 11],
]);
const ASSIGNING = new Set(["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="]);
/** How deep parentheses, right sides and choices may stand in each other. */
const MOST_NESTED = 200;
/** How many signs may stand before an operand. */
const MOST_SIGNS = 10_000;
const TOKEN =
  /\s*(?:(\d+#[\w@]+|0[xX][0-9a-fA-F]+|\d+)|([A-Za-z_]\w*)|(<<=|>>=|\*\*|\+\+|--|&&|\|\||[-+*/%&|^<>=!]=|<<|>>|\S))/y;
const TOKENS_PER_STEP = 64;
const SHORT_NUMBER = /^[-+]?(?:[1-9]\d{0,31}|0)$/;
const MOST_DIGITS = 1024;
/** So much of an expression is in what is said of it. */
const LONGEST_SHOWN = 256;
const BITS = 64;

/**
 * Evaluates an expression of 64-bit integers with the operators of C. Names are variables, which may contain expressions; unset
 * ones are 0. Throws an {@link ArithmeticError}.
 */
export function arithmetic(expression: string, variables: ArithmeticVariables): Steps<bigint> {
  return new Evaluation(expression, variables, new Pace(TOKENS_PER_STEP), 0).whole();
}

/** Reads an expression once, from left to right, and computes as it reads. */
class Evaluation {
  #at = 0;
  /** More than 0 where what is read is left out by &&, || or ?. */
  #left = 0;

  constructor(
    private readonly text: string,
    private readonly variables: ArithmeticVariables,
    private readonly pace: Pace,
    private depth: number,
  ) {}

  *whole(): Steps<bigint> {
    if (this.#peek() === undefined) return 0n;
    const value = yield* this.#sequence();
    if (this.#peek() !== undefined) throw this.#expecting("EOF");
    return value;
  }

  *#sequence(): Steps<bigint> {
    let value = yield* this.#choice();
    while (this.#take(",")) value = yield* this.#choice();
    return value;
  }

  *#choice(): Steps<bigint> {
    const condition = yield* this.#binary(1);
    if (!this.#take("?")) return condition;
    this.#nest();
    this.#left += Number(condition === 0n);
    const first = yield* this.#sequence();
    this.#left -= Number(condition === 0n);
    if (!this.#take(":")) throw new ArithmeticError("arithmetic expression: expecting ':'");
    this.#left += Number(condition !== 0n);
    const second = yield* this.#choice();
    this.#left -= Number(condition !== 0n);
    this.depth -= 1;
    return condition === 0n ? second : first;
  }

  *#binary(least: number): Steps<bigint> {
    let value = yield* this.#operand();
    for (;;) {
      const operator = this.#peek()?.operator ?? "";
      const precedence = PRECEDENCE.get(operator) ?? 0;
      if (precedence < least) return value;
      this.#take(operator);
      const isDecided = (operator === "&&" && value === 0n) || (operator === "||" && value !== 0n);
      this.#left += Number(isDecided);
      this.#nest();
      // ** alone binds to the right.
      const right = yield* this.#binary(operator === "**" ? precedence : precedence + 1);
      this.depth -= 1;
      this.#left -= Number(isDecided);
      value = this.#left > 0 || isDecided ? BigInt(operator === "||") : this.#apply(operator, value, right);
    }
  }

  *#operand(): Steps<bigint> {
    const signs: string[] = [];
    for (;;) {
      if (this.pace.isDue()) yield;
      const token = this.#next();
      if (token?.digits !== undefined) return signed(signs, this.#number(token.digits));
      if (token?.name !== undefined) return signed(signs, yield* this.#variable(token.name, signs));
      const operator = token?.operator ?? "";
      if (operator === "(") {
        this.#nest();
        const value = yield* this.#sequence();
        this.depth -= 1;
        if (!this.#take(")")) throw new ArithmeticError("arithmetic expression: expecting ')'");
        return signed(signs, value);
      }
      if (!["-", "+", "!", "~", "--", "++"].includes(operator)) throw this.#expecting("primary");
      if (signs.length >= MOST_SIGNS) throw tooDeep();
      signs.push(operator);
    }
  }

  /** A variable, what is assigned to it, or what it was before or is after ++ and --. */
  *#variable(name: string, signs: string[]): Steps<bigint> {
    const index = this.#take("[") ? yield* this.#index(name) : undefined;
    const last = signs.at(-1);
    if (last === "++" || last === "--") {
      signs.pop();
      const value = this.#apply(last === "++" ? "+" : "-", yield* this.#value(name, index), 1n);
      this.#assign(name, index, value);
      return value;
    }
    const operator = this.#peek()?.operator ?? "";
    if (operator === "++" || operator === "--") {
      this.#take(operator);
      const value = yield* this.#value(name, index);
      this.#assign(name, index, this.#apply(operator === "++" ? "+" : "-", value, 1n));
      return value;
    }
    if (!ASSIGNING.has(operator)) return yield* this.#value(name, index);
    this.#take(operator);
    this.#nest();
    const right = yield* this.#choice();
    this.depth -= 1;
    const value = operator === "=" ? right : this.#apply(operator.slice(0, -1), yield* this.#value(name, index), right);
    this.#assign(name, index, value);
    return value;
  }

  /** The key of an associative array is the text itself; it is the value of an expression otherwise. */
  *#index(name: string): Steps<string> {
    const end = this.text.indexOf("]", this.#at);
    if (end < 0) throw this.#expecting("']'");
    const text = this.text.slice(this.#at, end);
    this.#at = end + 1;
    // A variable that has no element 0 by that name is looked up by the text.
    if (this.variables.get(name, text) !== undefined && !/^\d+$/.test(text)) return text;
    return String(yield* this.#inner(text));
  }

  *#value(name: string, index: string | undefined): Steps<bigint> {
    if (this.#left > 0) return 0n;
    const text = (this.variables.get(name, index) ?? "").trim();
    if (text === "") return 0n;
    if (SHORT_NUMBER.test(text)) return wrapped(BigInt(text.replace(/^\+/, "")));
    return yield* this.#inner(text);
  }

  #inner(text: string): Steps<bigint> {
    if (this.depth >= MOST_NESTED) throw tooDeep();
    return new Evaluation(text, this.variables, this.pace, this.depth + 1).whole();
  }

  #assign(name: string, index: string | undefined, value: bigint): void {
    if (this.#left === 0) this.variables.set(name, index, String(value));
  }

  #apply(operator: string, left: bigint, right: bigint): bigint {
    if (this.#left > 0) return 0n;
    if ((operator === "/" || operator === "%") && right === 0n) throw new ArithmeticError("division by zero");
    return wrapped(binary(operator, left, right));
  }

  #number(digits: string): bigint {
    if (digits.length > MOST_DIGITS) throw this.#expecting("EOF");
    const [, base, text = ""] = /^(\d+)#(.*)$/.exec(digits) ?? [];
    if (base !== undefined) return wrapped(ofBase(Number(base), text, () => this.#expecting("EOF")));
    if (/^0\d/.test(digits)) return wrapped(ofBase(8, digits, () => this.#expecting("EOF")));
    return wrapped(BigInt(digits));
  }

  #nest(): void {
    if ((this.depth += 1) > MOST_NESTED) throw tooDeep();
  }

  #peek(): Token | undefined {
    return tokenAt(this.text, this.#at);
  }

  #next(): Token | undefined {
    const token = tokenAt(this.text, this.#at);
    this.#at = token?.end ?? this.text.length;
    return token;
  }

  #take(operator: string): boolean {
    const token = tokenAt(this.text, this.#at);
    if (token?.operator !== operator) return false;
    this.#at = token.end;
    return true;
  }

  #expecting(what: string): ArithmeticError {
    return new ArithmeticError(`arithmetic expression: expecting ${what}: "${shown(this.text)}"`);
  }
}

interface Token {
  readonly digits: string | undefined;
  readonly name: string | undefined;
  readonly operator: string | undefined;
  readonly end: number;
}

function tokenAt(text: string, at: number): Token | undefined {
  TOKEN.lastIndex = at;
  const [token, digits, name, operator] = TOKEN.exec(text) ?? [];
  return token === undefined ? undefined : { digits, name, operator, end: at + token.length };
}

const tooDeep = (): ArithmeticError => new ArithmeticError("arithmetic expression: nested too deeply");

const wrapped = (value: bigint): bigint => BigInt.asIntN(BITS, value);

const shown = (expression: string): string =>
  expression.length > LONGEST_SHOWN ? `${expression.slice(0, LONGEST_SHOWN)}...` : expression;

/** Applies the signs before an operand, the nearest first. "--" and "++" before what is no variable are two signs. */
function signed(signs: readonly string[], operand: bigint): bigint {
  let value = operand;
  for (const sign of signs.toReversed()) {
    if (sign === "-") value = -value;
    else if (sign === "!") value = BigInt(value === 0n);
    else if (sign === "~") value = ~value;
  }
  return wrapped(value);
}

const LARGEST_BASE = 64;
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_";

function ofBase(base: number, text: string, refuse: () => ArithmeticError): bigint {
  if (base < 2 || base > LARGEST_BASE) throw refuse();
  let value = 0n;
  for (const char of text) {
    const digit = DIGITS.indexOf(base <= 36 ? char.toLowerCase() : char);
    if (digit < 0 || digit >= base) throw refuse();
    value = wrapped(value * BigInt(base) + BigInt(digit));
  }
  return value;
}

function binary(operator: string, left: bigint, right: bigint): bigint {
  switch (operator) {
    case "||":
      return BigInt(left !== 0n || right !== 0n);
    case "&&":
      return BigInt(left !== 0n && right !== 0n);
    case "|":
      return left | right;
    case "^":
      return left ^ right;
    case "&":
      return left & right;
    case "==":
      return BigInt(left === right);
    case "!=":
      return BigInt(left !== right);
    case "<=":
      return BigInt(left <= right);
    case ">=":
      return BigInt(left >= right);
    case "<":
      return BigInt(left < right);
    case ">":
      return BigInt(left > right);
    case "<<":
      return left << (right & 63n);
    case ">>":
      return left >> (right & 63n);
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "%":
      return left % right;
    case "**":
      return power(left, right);
    default:
      return left / right;
  }
}

/** By squares, so that no power takes longer than its exponent has bits. */
function power(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) throw new ArithmeticError("arithmetic expression: exponent less than 0");
  let [result, square] = [1n, base];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = wrapped(result * square);
    square = wrapped(square * square);
  }
  return result;
}
