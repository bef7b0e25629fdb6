import type { Ast, Expr, FieldEntry, MapEntry } from "../ast.js";
import { type Issues, SourceText } from "../issues.js";
import { BINARY, OPERATOR } from "../operators.js";
import { balanceLogic, ExprFactory, MacroBuilder } from "./expr-factory.js";
import { type Token, tokenize } from "./lexer.js";
import { LiteralError, literalValue } from "./literal-value.js";
import { type Macro, MacroError } from "./macros.js";
import { TokenReader } from "./token-reader.js";

/** How deeply expressions may stand in each other, and how long a chain of operators or selections (`1 + 1 + 1`, `a.b.c`) may be. */
const DEEPEST = 250;
/** How many code points an expression may have. */
const LONGEST = 100_000;

/** Words that are no names of variables or functions, though they may be names of fields. */
const RESERVED = new Set(
  "as break const continue else false for function if import in let loop package namespace null return true var void while".split(
    " ",
  ),
);

/** The syntax that an environment adds: its macros. */
export interface Syntax {
  findMacro(name: string, argCount: number, member: boolean): Macro | undefined;
  /** Whether names of fields may be written in backquotes. Kubernetes has none. */
  readonly quotedFields: boolean;
}

/** Parses an expression. If it has syntax errors, they go to `issues`, and the result must not be used. */
export function parse(issues: Issues, syntax: Syntax): Ast {
  const { source } = issues;
  const factory = new ExprFactory();
  const root = parseRoot(source, issues, factory, syntax);
  return { root, source: source.text, positions: factory.positions, macroCalls: factory.macroCalls };
}

function parseRoot(source: SourceText, issues: Issues, factory: ExprFactory, syntax: Syntax): Expr {
  if (source.points.length > LONGEST) {
    issues.report(
      undefined,
      `expression code point size exceeds limit: size: ${source.points.length}, limit ${LONGEST}`,
    );
    return factory.invalid(0);
  }
  const tokens = tokenize(source, (offset, message) => issues.report(offset, message));
  return new Parser(new TokenReader(tokens, issues), issues, factory, syntax).parse();
}

/** Thrown where nothing sensible can be read behind an error. */
class Abandoned extends Error {}

class Parser {
  readonly #tokens: TokenReader;
  readonly #issues: Issues;
  readonly #factory: ExprFactory;
  readonly #syntax: Syntax;
  /** How deep nodes are, by their ids; those that are not here have no depth. */
  readonly #heights = new Map<number, number>();
  #depth = 0;

  constructor(tokens: TokenReader, issues: Issues, factory: ExprFactory, syntax: Syntax) {
    this.#tokens = tokens;
    this.#issues = issues;
    this.#factory = factory;
    this.#syntax = syntax;
  }

  parse(): Expr {
    try {
      const root = this.#expr();
      this.#expect("<EOF>");
      return root;
    } catch (error) {
      if (!(error instanceof Abandoned)) throw error;
      return this.#factory.invalid(0);
    }
  }

  #abandon(message: string): never {
    this.#issues.report(undefined, message);
    throw new Abandoned();
  }

  /** Notes how deep a node is whose kind counts; what is in `inside` it holds. */
  #deepen<T extends Expr>(node: T, inside: readonly Expr[]): T {
    const height = 1 + this.#heightOf(inside);
    if (height > DEEPEST) this.#abandon("max recursion depth exceeded");
    this.#heights.set(node.id, height);
    return node;
  }

  /** A node that is as deep as what it holds. */
  #holding<T extends Expr>(node: T, inside: readonly Expr[]): T {
    this.#heights.set(node.id, this.#heightOf(inside));
    return node;
  }

  #heightOf(nodes: readonly Expr[]): number {
    let height = 0;
    for (const { id } of nodes) height = Math.max(height, this.#heights.get(id) ?? 0);
    return height;
  }

  #expect(...kinds: readonly string[]): Token {
    const token = this.#tokens.expect(kinds);
    if (token === undefined) throw new Abandoned();
    return token;
  }

  #expr(): Expr {
    this.#depth += 1;
    if (this.#depth > DEEPEST) this.#abandon(`expression recursion limit exceeded: ${DEEPEST}`);
    const parsed = this.#conditional();
    this.#depth -= 1;
    return parsed;
  }

  #conditional(): Expr {
    const condition = this.#or();
    const question = this.#tokens.take("?");
    if (question === undefined) return condition;
    const id = this.#factory.id(question.offset);
    const yes = this.#or();
    this.#expect(":");
    return this.#operator(id, question.offset, OPERATOR.conditional, [condition, yes, this.#expr()]);
  }

  #or(): Expr {
    return this.#logic("||", OPERATOR.or, () => this.#and());
  }

  #and(): Expr {
    return this.#logic("&&", OPERATOR.and, () => this.#relation());
  }

  #logic(symbol: string, operator: string, term: () => Expr): Expr {
    const terms = [term()];
    const ids: number[] = [];
    for (let token = this.#tokens.take(symbol); token !== undefined; token = this.#tokens.take(symbol)) {
      terms.push(term());
      ids.push(this.#factory.id(token.offset));
    }
    const tree = balanceLogic(terms, ids, (id, left, right) => this.#factory.call(id, operator, [left, right]));
    return ids.length === 0 ? tree : this.#holding(tree, terms);
  }

  #relation(): Expr {
    return this.#chain(["<", "<=", ">=", ">", "==", "!=", "in"], () => this.#sum());
  }

  #sum(): Expr {
    return this.#chain(["+", "-"], () => this.#chain(["*", "/", "%"], () => this.#unary()));
  }

  /** Left-associative operators that bind equally. */
  #chain(symbols: readonly string[], operand: () => Expr): Expr {
    let left = operand();
    for (let token = this.#tokens.take(...symbols); token !== undefined; token = this.#tokens.take(...symbols)) {
      const id = this.#factory.id(token.offset);
      left = this.#operator(id, token.offset, BINARY.get(token.text) as string, [left, operand()]);
    }
    return left;
  }

  #unary(): Expr {
    const first = this.#tokens.peek();
    if (first.kind === "!") return this.#prefixed("!", OPERATOR.not);
    if (first.kind === "-" && !this.#tokens.peek(1).kind.startsWith("NUM_"))
      return this.#prefixed("-", OPERATOR.negate);
    if (first.kind === "-" && this.#tokens.peek(1).kind === "NUM_UINT") return this.#prefixed("-", OPERATOR.negate);
    return this.#member();
  }

  /** An even number of signs is none. */
  #prefixed(symbol: string, operator: string): Expr {
    const { offset } = this.#tokens.peek();
    let count = 0;
    while (this.#tokens.peek().kind === symbol && !this.#isNegativeNumber(symbol)) {
      this.#tokens.next();
      count += 1;
    }
    const id = count % 2 === 0 ? undefined : this.#factory.id(offset);
    const operand = this.#member();
    return id === undefined ? operand : this.#holding(this.#callOrMacro(id, offset, operator, [operand]), [operand]);
  }

  #isNegativeNumber(symbol: string): boolean {
    const next = this.#tokens.peek(1).kind;
    return symbol === "-" && (next === "NUM_INT" || next === "NUM_FLOAT");
  }

  #member(): Expr {
    let operand = this.#primary();
    for (let token = this.#tokens.take(".", "["); token !== undefined; token = this.#tokens.take(".", "[")) {
      operand = token.kind === "." ? this.#selected(operand, token) : this.#indexed(operand, token);
    }
    return operand;
  }

  #selected(operand: Expr, dot: Token): Expr {
    const optional = this.#tokens.take("?") !== undefined;
    const name = this.#tokens.take("IDENTIFIER", "ESC_IDENTIFIER");
    if (name === undefined) {
      this.#tokens.noAlternative(optional ? ".?" : ".");
      throw new Abandoned();
    }
    const field = this.#fieldName(name);
    if (optional) {
      const literal = this.#factory.literal(this.#factory.id(name.offset), field);
      const id = this.#factory.id(dot.offset);
      return this.#deepen(this.#factory.call(id, OPERATOR.optionalSelect, [operand, literal]), [operand]);
    }
    const open = name.kind === "IDENTIFIER" ? this.#tokens.take("(") : undefined;
    if (open === undefined) {
      return this.#deepen(this.#factory.select(this.#factory.id(dot.offset), operand, field), [operand]);
    }
    const id = this.#factory.id(open.offset);
    const args = this.#arguments();
    return this.#deepen(this.#callOrMacro(id, open.offset, field, args, operand), [operand, ...args]);
  }

  #fieldName({ kind, text, offset }: Token): string {
    if (kind === "IDENTIFIER") return text;
    if (!this.#syntax.quotedFields) this.#issues.report(offset, "unsupported syntax: '`'");
    return text.slice(1, -1);
  }

  #indexed(operand: Expr, bracket: Token): Expr {
    const optional = this.#tokens.take("?") !== undefined;
    const id = this.#factory.id(bracket.offset);
    const index = this.#inBrackets("]", () => this.#expr());
    const operator = optional ? OPERATOR.optionalIndex : OPERATOR.index;
    return this.#operator(id, bracket.offset, operator, [operand, index]);
  }

  #inBrackets<T>(closer: string, body: () => T): T {
    this.#tokens.open(closer);
    const parsed = body();
    this.#tokens.close();
    this.#expect(closer);
    return parsed;
  }

  #arguments(): Expr[] {
    return this.#inBrackets(")", () => {
      const args: Expr[] = [];
      if (this.#tokens.peek().kind === ")") return args;
      do args.push(this.#expr());
      while (this.#tokens.take(",") !== undefined);
      return args;
    });
  }

  #primary(): Expr {
    const token = this.#tokens.primary();
    if (token === undefined) return this.#factory.invalid(this.#factory.id(this.#tokens.peek().offset));
    switch (token.kind) {
      case "(":
        return this.#inBrackets(")", () => this.#expr());
      case "[":
        return this.#list(token);
      case "{":
        return this.#map(token);
      case ".":
      case "IDENTIFIER":
        return this.#named(token);
      default:
        return this.#literal(token);
    }
  }

  #named(first: Token): Expr {
    const name = first.kind === "." ? this.#tokens.take("IDENTIFIER") : first;
    if (name === undefined) {
      this.#tokens.noAlternative(".");
      throw new Abandoned();
    }
    const prefix = first.kind === "." ? "." : "";
    const names = this.#tokens.messageName();
    if (names !== undefined) return this.#struct(`${prefix}${[name.text, ...names].join(".")}`);
    const open = this.#tokens.take("(");
    if (RESERVED.has(name.text)) {
      if (open !== undefined) this.#arguments();
      this.#issues.report(first.offset, `reserved identifier: ${name.text}`);
      return this.#factory.invalid(this.#factory.id(first.offset));
    }
    if (open === undefined) return this.#factory.ident(this.#factory.id(name.offset), `${prefix}${name.text}`);
    const id = this.#factory.id(open.offset);
    const args = this.#arguments();
    return this.#holding(this.#callOrMacro(id, open.offset, `${prefix}${name.text}`, args), args);
  }

  /** Entries of a literal up to its closing bracket, behind which a comma may stand. */
  #entries<T>(closer: string, entry: () => T): T[] {
    this.#tokens.open(closer);
    const entries: T[] = [];
    while (this.#tokens.peek().kind !== closer && this.#tokens.peek().kind !== ",") {
      entries.push(entry());
      if (this.#tokens.peek().kind !== "," || this.#tokens.peek(1).kind === closer) break;
      this.#tokens.next();
    }
    const comma = this.#tokens.take(",");
    this.#tokens.close();
    if (comma === undefined) this.#expect(closer, ",");
    else this.#expect(closer);
    return entries;
  }

  #list(bracket: Token): Expr {
    const id = this.#factory.id(bracket.offset);
    const optional = new Set<number>();
    let count = 0;
    const elements = this.#entries("]", () => {
      if (this.#tokens.take("?") !== undefined) optional.add(count);
      count += 1;
      return this.#expr();
    });
    return this.#holding(this.#factory.list(id, elements, optional), elements);
  }

  #map(brace: Token): Expr {
    const id = this.#factory.id(brace.offset);
    const entries = this.#entries("}", (): MapEntry => {
      const optional = this.#tokens.take("?") !== undefined;
      const key = this.#expr();
      const colon = this.#expect(":");
      return { id: this.#factory.id(colon.offset), key, value: this.#expr(), optional };
    });
    return this.#holding(
      this.#factory.map(id, entries),
      entries.flatMap(({ key, value }) => [key, value]),
    );
  }

  #struct(typeName: string): Expr {
    const id = this.#factory.id(this.#expect("{").offset);
    let fieldIsFirst = true;
    const fields = this.#entries("}", (): FieldEntry => {
      const optional = this.#tokens.take("?") !== undefined;
      const name = this.#tokens.fieldName(!optional && fieldIsFirst);
      if (name === undefined) throw new Abandoned();
      fieldIsFirst = false;
      const field = this.#fieldName(name);
      const colon = this.#expect(":");
      return { id: this.#factory.id(colon.offset), field, value: this.#expr(), optional };
    });
    return this.#holding(
      this.#factory.struct(id, typeName, fields),
      fields.map(({ value }) => value),
    );
  }

  #literal(token: Token): Expr {
    const number = token.kind === "-" ? this.#tokens.next() : token;
    const text = token.kind === "-" ? `-${number.text}` : number.text;
    const id = this.#factory.id(token.offset);
    try {
      return this.#factory.literal(id, literalValue(number.kind, text));
    } catch (error) {
      if (!(error instanceof LiteralError)) throw error;
      this.#issues.report(token.offset, error.message);
      return this.#factory.invalid(id);
    }
  }

  #operator(id: number, offset: number, name: string, args: readonly Expr[]): Expr {
    return this.#deepen(this.#callOrMacro(id, offset, name, args), args);
  }

  #callOrMacro(id: number, offset: number, name: string, args: readonly Expr[], target?: Expr): Expr {
    const macro = this.#syntax.findMacro(name, args.length, target !== undefined);
    const call = this.#factory.call(id, name, args, target);
    if (macro === undefined) return call;
    try {
      const build = new MacroBuilder(this.#factory, offset);
      const expanded = macro.expand(build, target as Expr, args);
      if (expanded === undefined) return call;
      this.#factory.macroCalls.set(expanded.id, call);
      return expanded;
    } catch (error) {
      if (!(error instanceof MacroError)) throw error;
      const place = error.node === undefined ? offset : this.#factory.positions.get(error.node.id);
      this.#issues.report(place, error.message);
      return this.#factory.invalid(id);
    }
  }
}
