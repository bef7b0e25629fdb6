import { posixRegexp, type PosixRegexp, RegexpError } from "../posix-regexp.js";
import { AwkLexer, type Token } from "./awk-lexer.js";
import {
  AwkError,
  type AwkFunction,
  type AwkProgram,
  type Expression,
  type NameRef,
  type Rule,
  SPECIAL,
  type Statement,
} from "./awk-syntax.js";

/** How deep expressions and statements may stand in others. */
const DEEPEST = 200;

export function parseAwk(text: string): AwkProgram {
  return new AwkParser(text).program();
}

/** A pattern of awk: escapes of strings stand for characters in it. */
export function awkRegexp(pattern: string): PosixRegexp {
  const source = pattern.replace(
    /\\(?:([nrtfva"/])|([0-7]{1,3})|[^])/g,
    (whole, letter: string | undefined, octal: string | undefined) => {
      if (letter !== undefined) return LETTERS[letter] ?? letter;
      if (octal === undefined) return whole;
      const char = String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
      return /[\\.*+?^$|(){}[\]]/.test(char) ? `\\${char}` : char;
    },
  );
  try {
    return posixRegexp(source, { extended: true, escapesInBrackets: true, lenient: true });
  } catch (error) {
    if (error instanceof RegexpError)
      throw new AwkError(`regular expression compile failed (${error.message})\n${pattern}`);
    throw error;
  }
}

const LETTERS: Readonly<Record<string, string>> = {
  __proto__: null as never,
  n: "\n",
  r: "\r",
  t: "\t",
  f: "\f",
  v: "\v",
  a: "\x07",
};

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

class AwkParser {
  readonly #lexer: AwkLexer;
  #token: Token;
  #depth = 0;
  readonly #slots = new Map<string, number>(SPECIAL.map((name, slot) => [name, slot]));
  readonly #functions: AwkFunction[] = [];
  readonly #functionSlots = new Map<string, number>();
  #current: AwkFunction | undefined;
  /** Names that are passed to functions: they are arrays where the parameter is one. */
  readonly #passed: {
    readonly from: AwkFunction | undefined;
    readonly slot: number;
    readonly to: number;
    readonly at: number;
  }[] = [];

  constructor(text: string) {
    this.#lexer = new AwkLexer(text);
    this.#token = this.#lexer.next();
  }

  program(): AwkProgram {
    const begin: Statement[] = [];
    const end: Statement[] = [];
    const rules: Rule[] = [];
    this.#skipTerminators();
    while (this.#token.kind !== "end") {
      if (this.#isKeyword("function")) this.#function();
      else if (this.#isKeyword("BEGIN") || this.#isKeyword("END")) {
        const to = this.#take().text === "BEGIN" ? begin : end;
        to.push(this.#block());
      } else rules.push(this.#rule());
      this.#skipTerminators();
    }
    for (const one of this.#functions)
      if (one.body === undefined) throw new AwkError(`line ${this.#line()}: function ${one.name} never defined`);
    this.#findArrays();
    return { begin, rules, end, functions: this.#functions, slots: this.#slots };
  }

  /** A parameter that is passed on as an array is one. */
  #findArrays(): void {
    for (let changed = true; changed; ) {
      changed = false;
      for (const { from, slot, to, at } of this.#passed) {
        if (from === undefined || from.arrays.has(slot) || this.#functions[to]?.arrays.has(at) !== true) continue;
        from.arrays.add(slot);
        changed = true;
      }
    }
  }

  #line(): number {
    return this.#lexer.lineOf(this.#token.at) + Number(this.#token.kind === "end");
  }

  #syntaxError(): AwkError {
    const { kind, text } = this.#token;
    const near = kind === "end" ? "end of file" : kind === "newline" ? "end of line" : text;
    return new AwkError(`line ${this.#line()}: syntax error at or near ${near}`);
  }

  #take(): Token {
    const token = this.#token;
    this.#token = this.#lexer.next();
    return token;
  }

  #is(text: string): boolean {
    return this.#token.kind === "operator" && this.#token.text === text;
  }

  #isKeyword(text: string): boolean {
    return this.#token.kind === "keyword" && this.#token.text === text;
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#take();
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#syntaxError();
  }

  /** Whether a line, the program or what comes before an operator ends here. */
  #ends(...operators: string[]): boolean {
    const { kind } = this.#token;
    return kind === "newline" || kind === "end" || operators.some((operator) => this.#is(operator));
  }

  #skipNewlines(): void {
    while (this.#token.kind === "newline") this.#take();
  }

  #skipTerminators(): void {
    while (this.#token.kind === "newline" || this.#is(";")) this.#take();
  }

  #nested<T>(parse: () => T): T {
    if ((this.#depth += 1) > DEEPEST) throw new AwkError(`line ${this.#line()}: nested too deeply`);
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  #function(): void {
    this.#take();
    const { kind, text: name } = this.#take();
    if (kind !== "name" && kind !== "call") throw this.#syntaxError();
    this.#expect("(");
    const parameters: string[] = [];
    while (!this.#is(")")) {
      const parameter = this.#take();
      if (parameter.kind !== "name") throw this.#syntaxError();
      parameters.push(parameter.text);
      this.#skipNewlines();
      if (!this.#accept(",")) break;
      this.#skipNewlines();
    }
    this.#expect(")");
    this.#skipNewlines();
    const index = this.#functionSlot(name);
    const known = this.#functions[index];
    if (known?.body !== undefined) throw new AwkError(`line ${this.#line()}: function ${name} is already defined`);
    const made: AwkFunction = { name, parameters, arrays: new Set(), body: undefined };
    this.#functions[index] = this.#current = made;
    made.body = this.#block();
    this.#current = undefined;
  }

  #functionSlot(name: string): number {
    const known = this.#functionSlots.get(name);
    if (known !== undefined) return known;
    const slot = this.#functions.length;
    this.#functionSlots.set(name, slot);
    this.#functions.push({ name, parameters: [], arrays: new Set(), body: undefined });
    return slot;
  }

  #rule(): Rule {
    const patterns: Expression[] = [];
    if (!this.#is("{")) {
      patterns.push(this.#expression());
      if (this.#accept(",")) {
        this.#skipNewlines();
        patterns.push(this.#expression());
      }
    }
    return { patterns, action: this.#is("{") ? this.#block() : undefined };
  }

  #block(): Statement {
    this.#expect("{");
    const body: Statement[] = [];
    this.#skipTerminators();
    while (!this.#is("}")) {
      if (this.#token.kind === "end") throw new AwkError(`line ${this.#line()}: missing } near end of file`);
      body.push(this.#nested(() => this.#statement()));
      this.#skipTerminators();
    }
    this.#take();
    return { kind: "block", body };
  }

  /** The statement that a condition or a loop is for. */
  #body(): Statement {
    this.#skipNewlines();
    if (this.#accept(";")) return { kind: "block", body: [] };
    return this.#nested(() => this.#statement());
  }

  #statement(): Statement {
    if (this.#is("{")) return this.#block();
    if (this.#token.kind === "keyword") {
      switch (this.#token.text) {
        case "if":
          return this.#if();
        case "while": {
          this.#take();
          const condition = this.#parenthesized();
          return { kind: "while", condition, body: this.#body(), testsLast: false };
        }
        case "do":
          return this.#do();
        case "for":
          return this.#for();
        default:
      }
    }
    const statement = this.#simple();
    if (!this.#is("}") && this.#token.kind !== "end") {
      if (this.#token.kind !== "newline" && !this.#is(";")) throw this.#syntaxError();
      this.#take();
    }
    return statement;
  }

  #parenthesized(): Expression {
    this.#expect("(");
    const expression = this.#expression();
    this.#expect(")");
    return expression;
  }

  #if(): Statement {
    this.#take();
    const condition = this.#parenthesized();
    const whenTrue = this.#body();
    // A semicolon or lines may stand before else.
    this.#skipTerminators();
    if (!this.#isKeyword("else")) return { kind: "if", condition, whenTrue, otherwise: undefined };
    this.#take();
    return { kind: "if", condition, whenTrue, otherwise: this.#body() };
  }

  #do(): Statement {
    this.#take();
    const body = this.#body();
    this.#skipTerminators();
    if (!this.#isKeyword("while")) throw this.#syntaxError();
    this.#take();
    return { kind: "while", condition: this.#parenthesized(), body, testsLast: true };
  }

  #for(): Statement {
    this.#take();
    this.#expect("(");
    const first = this.#is(";") ? undefined : this.#simple();
    if (first?.kind === "expression" && first.expression.kind === "in" && this.#is(")")) {
      const [subscript] = first.expression.kids;
      if (subscript?.kind !== "name" || subscript.ref === undefined || first.expression.ref === undefined)
        throw this.#syntaxError();
      this.#take();
      return { kind: "forIn", name: subscript.ref, array: first.expression.ref, body: this.#body() };
    }
    this.#expect(";");
    this.#skipNewlines();
    const condition = this.#is(";") ? undefined : this.#expression();
    this.#expect(";");
    this.#skipNewlines();
    const step = this.#is(")") ? undefined : this.#simple();
    this.#expect(")");
    return { kind: "for", first, condition, step, body: this.#body() };
  }

  #simple(): Statement {
    if (this.#token.kind !== "keyword") return { kind: "expression", expression: this.#expression() };
    switch (this.#token.text) {
      case "print":
      case "printf":
        return this.#print();
      case "next":
      case "nextfile":
      case "break":
      case "continue":
        return { kind: this.#take().text as "next" };
      case "exit":
      case "return": {
        const kind = this.#take().text as "exit";
        const isAlone = this.#ends(";", "}");
        return { kind, expression: isAlone ? undefined : this.#expression() };
      }
      case "delete": {
        this.#take();
        const array = this.#arrayName();
        let subscripts: Expression[] = [];
        if (this.#accept("[")) {
          subscripts = this.#list("]");
          this.#expect("]");
        }
        return { kind: "delete", array, subscripts };
      }
      default:
        return { kind: "expression", expression: this.#expression() };
    }
  }

  #print(): Statement {
    const formatted = this.#take().text === "printf";
    let args: readonly Expression[] = [];
    if (!this.#ends(";", "}", ">", ">>", "|")) {
      args = this.#expressions({ inPrint: true });
      const [only] = args;
      if (args.length === 1 && only?.kind === "grouping") args = only.kids;
    }
    if (formatted && args.length === 0) throw this.#syntaxError();
    for (const op of [">", ">>", "|"] as const) {
      if (!this.#accept(op)) continue;
      return { kind: "print", formatted, args, to: { op, target: this.#conditional({ inPrint: true }) } };
    }
    return { kind: "print", formatted, args, to: undefined };
  }

  #list(end: string): Expression[] {
    if (this.#is(end)) return [];
    return this.#expressions({});
  }

  #expressions(place: Place): Expression[] {
    const list = [this.#expression(place)];
    while (this.#accept(",")) {
      this.#skipNewlines();
      list.push(this.#expression(place));
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
    if (depth > DEEPEST * 2) throw new AwkError(`line ${this.#line()}: nested too deeply`);
    return { kind, kids, op: "", ...more, isPure: isPure && kids.every((kid) => kid.isPure), depth };
  }

  #expression(place: Place = {}): Expression {
    return this.#nested(() => this.#assignment(place));
  }

  #assignment(place: Place): Expression {
    const target = this.#conditional(place);
    if (this.#token.kind !== "operator" || !ASSIGNMENTS.has(this.#token.text)) return target;
    if (!isPlace(target)) throw this.#syntaxError();
    const op = this.#take().text.replace("**", "^").slice(0, -1);
    this.#skipNewlines();
    return this.#make("assign", [target, this.#expression(place)], { op });
  }

  #conditional(place: Place): Expression {
    const condition = this.#or(place);
    if (!this.#accept("?")) return condition;
    this.#skipNewlines();
    const then = this.#expression(place);
    this.#skipNewlines();
    this.#expect(":");
    this.#skipNewlines();
    return this.#make("cond", [condition, then, this.#expression(place)]);
  }

  #or(place: Place): Expression {
    let left = this.#and(place);
    while (this.#accept("||")) {
      this.#skipNewlines();
      left = this.#make("or", [left, this.#and(place)]);
    }
    return left;
  }

  #and(place: Place): Expression {
    let left = this.#in(place);
    while (this.#accept("&&")) {
      this.#skipNewlines();
      left = this.#make("and", [left, this.#in(place)]);
    }
    return left;
  }

  #in(place: Place): Expression {
    let left = this.#match(place);
    while (place.noIn !== true && this.#isKeyword("in")) {
      this.#take();
      left = this.#make("in", left.kind === "grouping" ? left.kids : [left], { ref: this.#arrayName() });
    }
    if (left.kind === "grouping" && place.inPrint !== true) throw this.#syntaxError();
    return left;
  }

  #match(place: Place): Expression {
    let left = this.#comparison(place);
    while (this.#is("~") || this.#is("!~")) {
      const op = this.#take().text;
      left = this.#make("match", [left, this.#comparison(place)], { op });
    }
    return left;
  }

  #comparison(place: Place): Expression {
    let left = this.#concatenation(place);
    for (;;) {
      if (this.#is("|") && !(place.inPrint === true && !this.#lexer.sees("getline"))) {
        this.#take();
        if (!this.#isKeyword("getline")) throw this.#syntaxError();
        this.#take();
        left = this.#make("getline", [left, ...this.#optionalPlace()], { source: "command" }, false);
        continue;
      }
      const { kind, text } = this.#token;
      if (kind !== "operator" || !COMPARISONS.has(text) || (text === ">" && place.inPrint === true)) return left;
      this.#take();
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
    const { kind, text } = this.#token;
    if (kind === "operator") return OPERAND_STARTS.has(text);
    return kind !== "newline" && kind !== "end" && kind !== "keyword";
  }

  #additive(place: Place): Expression {
    let left = this.#multiplicative(place);
    while (this.#is("+") || this.#is("-")) {
      const op = this.#take().text;
      left = this.#make("arithmetic", [left, this.#multiplicative(place)], { op });
    }
    return left;
  }

  #multiplicative(place: Place): Expression {
    let left = this.#unary(place);
    while (this.#is("*") || this.#is("/") || this.#is("%")) {
      const op = this.#take().text;
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
      if (this.#accept(operator)) return this.#make(kind, [this.#nested(() => this.#unary(place))]);
    return this.#power(place);
  }

  #power(place: Place): Expression {
    const base = this.#postfix(place);
    if (!this.#is("^") && !this.#is("**")) return base;
    this.#take();
    // A sign may stand before the exponent.
    const exponent = this.#nested(() =>
      this.#is("-") || this.#is("+") || this.#is("!") ? this.#unary(place) : this.#power(place),
    );
    return this.#make("arithmetic", [base, exponent], { op: "^" });
  }

  #postfix(place: Place): Expression {
    const operand = this.#primary(place);
    if (!isPlace(operand) || !(this.#is("++") || this.#is("--"))) return operand;
    return this.#make("increment", [operand], { op: `x${this.#take().text}` });
  }

  #primary(place: Place): Expression {
    const token = this.#token;
    switch (token.kind) {
      case "number":
        this.#take();
        return this.#make("value", [], { value: Number(token.text) });
      case "string":
        this.#take();
        return this.#make("value", [], { value: token.text });
      case "name":
        this.#take();
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
    throw this.#syntaxError();
  }

  #operatorStart(place: Place): Expression {
    const { text } = this.#token;
    if (text === "/" || text === "/=") {
      const pattern = this.#lexer.regexp(this.#token);
      const regexp = this.#compile(pattern);
      this.#token = this.#lexer.next();
      return this.#make("regexp", [], { regexp });
    }
    if (text === "$") {
      this.#take();
      if (this.#is("++") || this.#is("--") || this.#is("-") || this.#is("+") || this.#is("!"))
        return this.#make("field", [this.#nested(() => this.#unary(place))]);
      return this.#make("field", [this.#nested(() => this.#primary(place))]);
    }
    if (text === "++" || text === "--") {
      this.#take();
      const target = this.#nested(() => this.#primary(place));
      if (!isPlace(target)) throw this.#syntaxError();
      return this.#make("increment", [target], { op: `${text}x` });
    }
    if (text === "-" || text === "+" || text === "!") return this.#unary(place);
    if (text !== "(") throw this.#syntaxError();
    this.#take();
    this.#skipNewlines();
    const list = this.#expressions({});
    this.#skipNewlines();
    this.#expect(")");
    const [only] = list;
    if (list.length > 1 || only === undefined) return this.#make("grouping", list);
    // In parentheses it is no place: ($1)++ is, but a grouping keeps what is in it.
    return only;
  }

  #compile(pattern: string): PosixRegexp {
    try {
      return awkRegexp(pattern);
    } catch (error) {
      if (error instanceof AwkError) throw new AwkError(`line ${this.#line()}: ${error.message}`);
      throw error;
    }
  }

  #ref(name: string): NameRef {
    const local = this.#current?.parameters.indexOf(name) ?? -1;
    if (local >= 0) return { isLocal: true, slot: local };
    const slot = this.#slots.get(name) ?? this.#slots.size;
    this.#slots.set(name, slot);
    return { isLocal: false, slot };
  }

  #asArray(ref: NameRef): NameRef {
    if (ref.isLocal) this.#current?.arrays.add(ref.slot);
    return ref;
  }

  #arrayName(): NameRef {
    const { kind, text } = this.#take();
    if (kind !== "name") throw this.#syntaxError();
    return this.#asArray(this.#ref(text));
  }

  #named(name: string): Expression {
    const ref = this.#ref(name);
    if (!this.#accept("[")) return this.#make("name", [], { ref });
    const subscripts = this.#expressions({});
    this.#expect("]");
    return this.#make("element", subscripts, { ref: this.#asArray(ref) });
  }

  #arguments(): Expression[] {
    this.#expect("(");
    this.#skipNewlines();
    const args = this.#list(")");
    this.#skipNewlines();
    this.#expect(")");
    return args;
  }

  #call(): Expression {
    const { text: name } = this.#take();
    const callee = this.#functionSlot(name);
    const args = this.#arguments();
    for (const [at, arg] of args.entries())
      if (arg.kind === "name" && arg.ref?.isLocal === true)
        this.#passed.push({ from: this.#current, slot: arg.ref.slot, to: callee, at });
    return this.#make("call", args, { callee }, false);
  }

  #builtin(): Expression {
    const { text: op } = this.#take();
    if (op === "length" && !this.#is("(")) return this.#make("builtin", [], { op });
    const args = this.#arguments();
    // The array of split(), and of length().
    const array = op === "split" ? args[1] : op === "length" ? args[0] : undefined;
    if (op === "split") {
      if (array?.kind !== "name" || array.ref === undefined) throw this.#syntaxError();
      this.#asArray(array.ref);
    }
    const [least, most] = ARGUMENTS[op] ?? [0, 0];
    if (args.length < least || args.length > most)
      throw new AwkError(`line ${this.#line()}: wrong number of arguments in call to ${op}`);
    return this.#make("builtin", args, { op }, !IMPURE.has(op));
  }

  #optionalPlace(): Expression[] {
    if (this.#token.kind !== "name" && !this.#is("$")) return [];
    const target = this.#primary({});
    if (!isPlace(target)) throw this.#syntaxError();
    return [target];
  }

  #getline(place: Place): Expression {
    this.#take();
    const target = this.#optionalPlace();
    if (!this.#accept("<")) return this.#make("getline", target, { source: "input" }, false);
    const file = this.#primary(place);
    return this.#make("getline", [file, ...target], { source: "file" }, false);
  }
}

const isPlace = ({ kind }: Expression): boolean => kind === "name" || kind === "field" || kind === "element";

/** How many arguments built-in functions take. */
const ARGUMENTS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  __proto__: null as never,
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
};
