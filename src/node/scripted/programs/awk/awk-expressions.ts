import type { Steps } from "../../../../base/async/steps.js";
import { formatDate } from "../dates/format-date.js";
import type { PosixRegexp } from "../posix-regexp.js";
import { formatAwk, InputText, isNumeric, isTrue, toNumber, type Value } from "./awk-format.js";
import { fieldsOf, type Separator } from "./awk-records.js";
import { AwkError, type Expression, type NameRef } from "./awk-syntax.js";
import { awkRandom, replaceMatches } from "./awk-functions.js";
import { COUNTED_BYTES, RSTART, RLENGTH, AwkVariables } from "./awk-variables.js";

/** Evaluates expressions: synchronously where no part of one waits, else in steps. */
export abstract class AwkExpressions extends AwkVariables {
  readonly #random = awkRandom();

  protected abstract getline(node: Expression): Steps<Value>;

  protected abstract call(node: Expression): Steps<Value>;

  protected abstract control(node: Expression): Steps<Value>;

  protected format([format, ...args]: readonly Value[]): string {
    return formatAwk(
      this.text(format),
      args,
      (value) => this.text(value),
      (bytes) => {
        if (bytes < COUNTED_BYTES) return;
        // Throws where so long a text would not fit.
        this.io.memory.take(bytes);
        this.io.memory.give(bytes);
      },
    );
  }

  /** The value of an expression, which may wait for others. */
  protected *value(node: Expression): Steps<Value> {
    if (node.isPure) return this.#now(node);
    const kind: string = node.kind;
    switch (kind) {
      case "and":
      case "or": {
        const left = isTrue(yield* this.value(kid(node, 0)));
        if (left === (kind === "or")) return Number(left);
        return Number(isTrue(yield* this.value(kid(node, 1))));
      }
      case "cond":
        return yield* this.value(kid(node, isTrue(yield* this.value(kid(node, 0))) ? 1 : 2));
      case "call":
        return yield* this.call(node);
      case "getline":
        return yield* this.getline(node);
      case "builtin":
        switch (node.op) {
          case "sub":
          case "gsub":
          case "gensub":
            return yield* this.#substitute(node);
          case "split":
            return yield* this.#split(node);
          case "system":
          case "close":
          case "fflush":
            return yield* this.control(node);
          default:
        }
        break;
      default:
    }
    return this.#now(yield* this.settled(node));
  }

  /** The expression with the values of its parts. */
  protected *settled(node: Expression): Steps<Expression> {
    const kids: Expression[] = [];
    for (const [index, one] of node.kids.entries()) {
      const isTarget = index === 0 && (node.kind === "assign" || node.kind === "increment");
      if (one.isPure) kids.push(one);
      else kids.push(isTarget ? yield* this.settled(one) : valueNode(yield* this.value(one)));
    }
    return { ...node, kids, isPure: true };
  }

  /** The value of an expression that waits for nothing. */
  #now(node: Expression): Value {
    const kind: string = node.kind;
    switch (kind) {
      case "value":
        return node.value;
      case "regexp":
        return Number(node.regexp?.exec(this.record()) !== undefined);
      case "name": {
        const value = this.load(node.ref as NameRef);
        if (value instanceof Map) throw new AwkError("illegal reference to array");
        return value;
      }
      case "field":
        return this.field(toNumber(this.#now(kid(node, 0))));
      case "element": {
        const array = this.array(node.ref as NameRef);
        const key = this.#subscriptOf(node.kids);
        if (!array.has(key)) this.setElement(array, key, undefined);
        return array.get(key);
      }
      case "assign":
        return this.#assign(node);
      case "increment":
        return this.#increment(node);
      case "cond":
        return this.#now(kid(node, isTrue(this.#now(kid(node, 0))) ? 1 : 2));
      case "and":
        return Number(isTrue(this.#now(kid(node, 0))) && isTrue(this.#now(kid(node, 1))));
      case "or":
        return Number(isTrue(this.#now(kid(node, 0))) || isTrue(this.#now(kid(node, 1))));
      case "in":
        return Number(this.array(node.ref as NameRef).has(this.#subscriptOf(node.kids)));
      case "match": {
        const text = this.text(this.#now(kid(node, 0)));
        const found = this.#pattern(kid(node, 1)).exec(text) !== undefined;
        return Number(found === (node.op === "~"));
      }
      case "compare":
        return Number(this.#compare(node));
      case "arithmetic":
        return arithmetic(node.op, toNumber(this.#now(kid(node, 0))), toNumber(this.#now(kid(node, 1))));
      case "concat": {
        let text = "";
        for (const part of node.kids) text += this.text(this.#now(part));
        if (text.length > LONGEST_FREE_TEXT) {
          this.io.memory.take(text.length);
          this.io.memory.give(text.length);
        }
        return text;
      }
      case "negate":
        return -toNumber(this.#now(kid(node, 0)));
      case "plus":
        return toNumber(this.#now(kid(node, 0)));
      case "not":
        return Number(!isTrue(this.#now(kid(node, 0))));
      case "builtin":
        return this.#builtin(node);
      default:
        throw new AwkError("illegal expression");
    }
  }

  #subscriptOf(kids: readonly Expression[]): string {
    const [only] = kids;
    if (kids.length === 1 && only !== undefined) return this.text(this.#now(only));
    return this.subscript(kids.map((one) => this.#now(one)));
  }

  #compare(node: Expression): boolean {
    const [a, b] = [this.#now(kid(node, 0)), this.#now(kid(node, 1))];
    const order = isNumeric(a) && isNumeric(b) ? toNumber(a) - toNumber(b) : compareTexts(this.text(a), this.text(b));
    switch (node.op) {
      case "<":
        return order < 0;
      case "<=":
        return order <= 0;
      case "==":
        return order === 0;
      case "!=":
        return order !== 0;
      case ">":
        return order > 0;
      default:
        return order >= 0;
    }
  }

  #assign(node: Expression): Value {
    const target = kid(node, 0);
    let value = this.#now(kid(node, 1));
    if (node.op !== "") value = arithmetic(node.op, toNumber(this.#now(target)), toNumber(value));
    this.set(target, value);
    return value;
  }

  protected set(target: Expression, value: Value): void {
    if (target.kind === "name") this.store(target.ref as NameRef, value);
    else if (target.kind === "field") this.setField(toNumber(this.#now(kid(target, 0))), value);
    else this.setElement(this.array(target.ref as NameRef), this.#subscriptOf(target.kids), value);
  }

  #increment(node: Expression): Value {
    const target = kid(node, 0);
    const before = toNumber(this.#now(target));
    const after = node.op.includes("+") ? before + 1 : before - 1;
    this.set(target, after);
    return node.op.startsWith("x") ? before : after;
  }

  /** A pattern, or a text that is one. */
  #pattern(node: Expression): PosixRegexp {
    return node.kind === "regexp" && node.regexp !== undefined
      ? node.regexp
      : this.compiled(this.text(this.#now(node)));
  }

  *#split(node: Expression): Steps<Value> {
    const text = this.text(yield* this.value(kid(node, 0)));
    const by = node.kids[2];
    let separator: Separator = this.separator();
    if (by?.kind === "regexp" && by.regexp !== undefined) separator = by.regexp;
    else if (by !== undefined) {
      const given = this.text(yield* this.value(by));
      separator = given.length > 1 ? this.compiled(given) : given;
    }
    const fields = yield* fieldsOf(text, separator);
    const array = this.array(kid(node, 1).ref as NameRef);
    for (const key of array.keys()) this.delete(array, key);
    for (const [index, field] of fields.entries()) {
      this.setElement(array, String(index + 1), new InputText(field));
      if (this.pace.isDue()) yield;
    }
    return fields.length;
  }

  *#substitute(node: Expression): Steps<Value> {
    const [first = node, replacement = node, third, fourth] = node.kids;
    const pattern = first.isPure ? this.#pattern(first) : this.compiled(this.text(yield* this.value(first)));
    const by = this.text(yield* this.value(replacement));
    if (node.op === "gensub") {
      const how = third === undefined ? "1" : this.text(yield* this.value(third));
      const text = fourth === undefined ? this.record() : this.text(yield* this.value(fourth));
      const number = /^[gG]/.test(how) ? undefined : Math.max(1, toNumber(how));
      return (yield* replaceMatches(text, pattern, by, { number, groups: true })).text;
    }
    const target = third === undefined ? RECORD : third.isPure ? third : yield* this.settled(third);
    const text = this.text(this.#now(target));
    const number = node.op === "sub" ? 1 : undefined;
    const replaced = yield* replaceMatches(text, pattern, by, { number, groups: false });
    if (replaced.count > 0) {
      // What is no variable only counts.
      if (target.kind === "name" || target.kind === "field" || target.kind === "element")
        this.set(target, replaced.text);
    }
    return replaced.count;
  }

  #builtin({ op, kids }: Expression): Value {
    const arg = (index: number): Value => {
      const node = kids[index];
      return node === undefined ? undefined : this.#now(node);
    };
    const number = (index: number): number => toNumber(arg(index));
    const text = (index: number): string => this.text(arg(index));
    switch (op) {
      case "length": {
        const [of] = kids;
        if (of === undefined) return this.record().length;
        const value = of.kind === "name" && of.ref !== undefined ? this.load(of.ref) : this.#now(of);
        return value instanceof Map ? value.size : this.text(value).length;
      }
      case "substr":
        return substring(text(0), number(1), kids.length > 2 ? number(2) : Number.POSITIVE_INFINITY);
      case "index":
        return text(0).indexOf(text(1)) + 1;
      case "match": {
        const [start = -1, end = -1] = this.#pattern(kid({ kids }, 1)).exec(text(0)) ?? [];
        this.globals[RSTART] = start + 1;
        this.globals[RLENGTH] = start < 0 ? -1 : end - start;
        return start + 1;
      }
      case "sprintf":
        return this.format(kids.map((one) => this.#now(one)));
      case "tolower":
        return text(0).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
      case "toupper":
        return text(0).replace(/[a-z]+/g, (letters) => letters.toUpperCase());
      case "sin":
        return Math.sin(number(0));
      case "cos":
        return Math.cos(number(0));
      case "atan2":
        return Math.atan2(number(0), number(1));
      case "exp":
        return Math.exp(number(0));
      case "log":
        return Math.log(number(0));
      case "sqrt":
        return Math.sqrt(number(0));
      case "int":
        return Math.trunc(number(0)) + 0;
      case "rand":
        return this.#random.next();
      case "srand":
        return this.#random.seed(kids.length === 0 ? Math.floor(this.io.clock.now() / 1000) : number(0));
      case "systime":
        return Math.floor(this.io.clock.now() / 1000);
      case "strftime": {
        const time = kids.length > 1 ? number(1) * 1000 : this.io.clock.now();
        return formatDate(kids.length > 0 ? text(0) : "%a %b %e %H:%M:%S %Z %Y", time);
      }
      default:
        throw new AwkError(`${op} is not supported`);
    }
  }
}

/** Texts that are longer must fit into the program's memory while they are made. */
const LONGEST_FREE_TEXT = 64 * 1024;

const valueNode = (value: Value): Expression => ({ kind: "value", kids: [], op: "", value, isPure: true, depth: 1 });

const RECORD: Expression = { kind: "field", kids: [valueNode(0)], op: "", isPure: true, depth: 2 };

export const kid = ({ kids }: Pick<Expression, "kids">, index: number): Expression => kids[index] as Expression;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function arithmetic(op: string, a: number, b: number): number {
  switch (op) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      if (b === 0) throw new AwkError("division by zero");
      return a / b;
    case "%":
      if (b === 0) throw new AwkError("division by zero in %");
      return a % b;
    default:
      return a ** b;
  }
}

/** From a place that counts from 1; what lies outside of the text is left out. */
function substring(text: string, from: number, length: number): string {
  const start = Math.round(from);
  const end = length === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : start + Math.round(length);
  const first = Math.max(1, start);
  return Number.isNaN(end) || end <= first ? "" : text.slice(first - 1, end - 1);
}
