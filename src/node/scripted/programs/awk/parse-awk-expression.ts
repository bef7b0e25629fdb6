import { dictionary } from "../../../../base/collections/dictionary.js";
import { AwkError, type Expression } from "./awk-syntax.js";
import { DEEPEST, AwkTokens } from "./parse-awk-tokens.js";

const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^=", "**="]);

const COMPARISONS = new Set(["<", "<=", "==", "!=", ">", ">="]);

/** What an operand of a concatenation may begin with, beside names, numbers and strings. */
const OPERAND_STARTS = new Set(["$", "!", "(", "++", "--"]);

/** Built-in functions that take long, or that do more than compute. */
const IMPURE = new Set(["system", "close", "fflush", "split", "sub", "gsub", "gensub"]);

/** Where an expression stands: what is an operator elsewhere may end it. */
interface Place {
  readonly noIn?: boolean;
  /** In print, ">" and "|" say where to. */
  readonly inPrint?: boolean;
}

/** Parses expressions, by the precedence of their operators. */
export abstract class AwkExpressionParser extends AwkTokens {
  protected list(end: string): Expression[] {
    if (this.is(end)) return [];
    return this.expressions({});
  }

  protected expressions(place: Place): Expression[] {
    const list = [this.expression(place)];
    while (this.accept(",")) {
      this.skipNewlines();
      list.push(this.expression(place));
    }
    return list;
  }

  #make(
    kind: Expression["kind"],
    kids: readonly Expression[],
    more: Partial<Expression> = {},
    isPure = true,
  ): Expression {
    const depth = 1 + Math.max(0, ...kids.map((kid) => kid.depth));
    if (depth > DEEPEST * 2) throw new AwkError(`line ${this.line()}: nested too deeply`);
    return { kind, kids, op: "", ...more, isPure: isPure && kids.every((kid) => kid.isPure), depth };
  }

  protected expression(place: Place = {}): Expression {
    return this.nested(() => this.#assignment(place));
  }

  #assignment(place: Place): Expression {
    const target = this.conditional(place);
    if (this.token.kind !== "operator" || !ASSIGNMENTS.has(this.token.text)) return target;
    if (!isPlace(target)) throw this.syntaxError();
    const op = this.take().text.replace("**", "^").slice(0, -1);
    this.skipNewlines();
    return this.#make("assign", [target, this.expression(place)], { op });
  }

  protected conditional(place: Place): Expression {
    const condition = this.#or(place);
    if (!this.accept("?")) return condition;
    this.skipNewlines();
    const then = this.expression(place);
    this.skipNewlines();
    this.expect(":");
    this.skipNewlines();
    return this.#make("cond", [condition, then, this.expression(place)]);
  }

  #or(place: Place): Expression {
    let left = this.#and(place);
    while (this.accept("||")) {
      this.skipNewlines();
      left = this.#make("or", [left, this.#and(place)]);
    }
    return left;
  }

  #and(place: Place): Expression {
    let left = this.#in(place);
    while (this.accept("&&")) {
      this.skipNewlines();
      left = this.#make("and", [left, this.#in(place)]);
    }
    return left;
  }

  #in(place: Place): Expression {
    let left = this.#match(place);
    while (place.noIn !== true && this.isKeyword("in")) {
      this.take();
      left = this.#make("in", left.kind === "grouping" ? left.kids : [left], { ref: this.arrayName() });
    }
    if (left.kind === "grouping" && place.inPrint !== true) throw this.syntaxError();
    return left;
  }

  #match(place: Place): Expression {
    let left = this.#comparison(place);
    while (this.is("~") || this.is("!~")) {
      const op = this.take().text;
      left = this.#make("match", [left, this.#comparison(place)], { op });
    }
    return left;
  }

  #comparison(place: Place): Expression {
    let left = this.#concatenation(place);
    for (;;) {
      if (this.is("|") && !(place.inPrint === true && !this.lexer.sees("getline"))) {
        this.take();
        if (!this.isKeyword("getline")) throw this.syntaxError();
        this.take();
        left = this.#make("getline", [left, ...this.#optionalPlace()], { source: "command" }, false);
        continue;
      }
      const { kind, text } = this.token;
      if (kind !== "operator" || !COMPARISONS.has(text) || (text === ">" && place.inPrint === true)) return left;
      this.take();
      left = this.#make("compare", [left, this.#concatenation(place)], { op: text });
    }
  }

  #concatenation(place: Place): Expression {
    const first = this.#additive(place);
    const parts = [first];
    while (this.#startsOperand()) parts.push(this.#additive(place));
    return parts.length === 1 ? first : this.#make("concat", parts);
  }

  #startsOperand(): boolean {
    const { kind, text } = this.token;
    if (kind === "operator") return OPERAND_STARTS.has(text);
    return kind !== "newline" && kind !== "end" && kind !== "keyword";
  }

  #additive(place: Place): Expression {
    let left = this.#multiplicative(place);
    while (this.is("+") || this.is("-")) {
      const op = this.take().text;
      left = this.#make("arithmetic", [left, this.#multiplicative(place)], { op });
    }
    return left;
  }

  #multiplicative(place: Place): Expression {
    let left = this.#unary(place);
    while (this.is("*") || this.is("/") || this.is("%")) {
      const op = this.take().text;
      left = this.#make("arithmetic", [left, this.#unary(place)], { op });
    }
    return left;
  }

  #unary(place: Place): Expression {
    for (const [operator, kind] of [
      ["!", "not"],
      ["-", "negate"],
      ["+", "plus"],
    ] as const)
      if (this.accept(operator)) return this.#make(kind, [this.nested(() => this.#unary(place))]);
    return this.#power(place);
  }

  #power(place: Place): Expression {
    const base = this.#postfix(place);
    if (!this.is("^") && !this.is("**")) return base;
    this.take();
    // A sign may stand before the exponent.
    const exponent = this.nested(() =>
      this.is("-") || this.is("+") || this.is("!") ? this.#unary(place) : this.#power(place),
    );
    return this.#make("arithmetic", [base, exponent], { op: "^" });
  }

  #postfix(place: Place): Expression {
    const operand = this.#primary(place);
    if (!isPlace(operand) || !(this.is("++") || this.is("--"))) return operand;
    return this.#make("increment", [operand], { op: `x${this.take().text}` });
  }

  #primary(place: Place): Expression {
    const token = this.token;
    switch (token.kind) {
      case "number":
        this.take();
        return this.#make("value", [], { value: Number(token.text) });
      case "string":
        this.take();
        return this.#make("value", [], { value: token.text });
      case "name":
        this.take();
        return this.#named(token.text);
      case "call":
        return this.#call();
      case "builtin":
        return this.#builtin();
      case "keyword":
        if (token.text !== "getline") break;
        return this.#getline(place);
      case "operator":
        return this.#operatorStart(place);
      case "newline":
      case "end":
        break;
    }
    throw this.syntaxError();
  }

  #operatorStart(place: Place): Expression {
    const { text } = this.token;
    if (text === "/" || text === "/=") {
      const pattern = this.lexer.regexp(this.token);
      const regexp = this.compile(pattern);
      this.token = this.lexer.next();
      return this.#make("regexp", [], { regexp });
    }
    if (text === "$") {
      this.take();
      if (this.is("++") || this.is("--") || this.is("-") || this.is("+") || this.is("!"))
        return this.#make("field", [this.nested(() => this.#unary(place))]);
      return this.#make("field", [this.nested(() => this.#primary(place))]);
    }
    if (text === "++" || text === "--") {
      this.take();
      const target = this.nested(() => this.#primary(place));
      if (!isPlace(target)) throw this.syntaxError();
      return this.#make("increment", [target], { op: `${text}x` });
    }
    if (text === "-" || text === "+" || text === "!") return this.#unary(place);
    if (text !== "(") throw this.syntaxError();
    this.take();
    this.skipNewlines();
    const list = this.expressions({});
    this.skipNewlines();
    this.expect(")");
    const [only] = list;
    if (list.length > 1 || only === undefined) return this.#make("grouping", list);
    // In parentheses it is no place: ($1)++ is, but a grouping keeps what is in it.
    return only;
  }

  #named(name: string): Expression {
    const ref = this.ref(name);
    if (!this.accept("[")) return this.#make("name", [], { ref });
    const subscripts = this.expressions({});
    this.expect("]");
    return this.#make("element", subscripts, { ref: this.asArray(ref) });
  }

  #arguments(): Expression[] {
    this.expect("(");
    this.skipNewlines();
    const args = this.list(")");
    this.skipNewlines();
    this.expect(")");
    return args;
  }

  #call(): Expression {
    const { text: name } = this.take();
    const callee = this.functionSlot(name);
    const args = this.#arguments();
    for (const [at, arg] of args.entries())
      if (arg.kind === "name" && arg.ref?.isLocal === true)
        this.passed.push({ from: this.current, slot: arg.ref.slot, to: callee, at });
    return this.#make("call", args, { callee }, false);
  }

  #builtin(): Expression {
    const { text: op } = this.take();
    if (op === "length" && !this.is("(")) return this.#make("builtin", [], { op });
    const args = this.#arguments();
    // The array of split(), and of length().
    const array = op === "split" ? args[1] : op === "length" ? args[0] : undefined;
    if (op === "split") {
      if (array?.kind !== "name" || array.ref === undefined) throw this.syntaxError();
      this.asArray(array.ref);
    }
    const [least, most] = ARGUMENTS[op] ?? [0, 0];
    if (args.length < least || args.length > most)
      throw new AwkError(`line ${this.line()}: wrong number of arguments in call to ${op}`);
    return this.#make("builtin", args, { op }, !IMPURE.has(op));
  }

  #optionalPlace(): Expression[] {
    if (this.token.kind !== "name" && !this.is("$")) return [];
    const target = this.#primary({});
    if (!isPlace(target)) throw this.syntaxError();
    return [target];
  }

  #getline(place: Place): Expression {
    this.take();
    const target = this.#optionalPlace();
    if (!this.accept("<")) return this.#make("getline", target, { source: "input" }, false);
    const file = this.#primary(place);
    return this.#make("getline", [file, ...target], { source: "file" }, false);
  }
}

const isPlace = ({ kind }: Expression): boolean => kind === "name" || kind === "field" || kind === "element";

/** How many arguments built-in functions take. */
const ARGUMENTS: Readonly<Record<string, readonly [least: number, most: number]>> = dictionary({
  length: [0, 1],
  substr: [2, 3],
  index: [2, 2],
  split: [2, 3],
  sub: [2, 3],
  gsub: [2, 3],
  gensub: [3, 4],
  match: [2, 2],
  sprintf: [1, Number.POSITIVE_INFINITY],
  sin: [1, 1],
  cos: [1, 1],
  atan2: [2, 2],
  exp: [1, 1],
  log: [1, 1],
  sqrt: [1, 1],
  int: [1, 1],
  rand: [0, 0],
  srand: [0, 1],
  tolower: [1, 1],
  toupper: [1, 1],
  system: [1, 1],
  close: [1, 1],
  fflush: [0, 1],
  systime: [0, 0],
  strftime: [0, 3],
});
