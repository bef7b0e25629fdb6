import { goQuote } from "../../../base/text/go-quote.js";
import { Lexer, TokenReader } from "./lexer.js";
import { parseCharacter, parseComplex, parseNumber, unquoteString } from "./literals.js";
import type { BranchNode, CommandNode, Node, Operand, PipeNode, TemplateNode, VariableNode } from "./nodes.js";
import { formatNode } from "./nodes.js";
import { TemplateError } from "./template-error.js";
import { describeToken, type Token, type TokenKind } from "./tokens.js";

/** Templates by name: those that {{define}} and {{block}} made, and the main one under its given name. */
export type TemplateSet = Map<string, readonly Node[]>;

export interface ParseOptions {
  /** The name of the whole, which messages show. */
  readonly name: string;
  readonly hasFunction: (name: string) => boolean;
}

/** Parses a template, and the templates defined in it. Throws {@link TemplateError}. */
export function parseTemplate(text: string, options: ParseOptions): TemplateSet {
  const set: TemplateSet = new Map();
  new TreeParser(new Lexer(text), set, options).parseWhole();
  return set;
}

/** Parentheses may nest no deeper. Go allows ten thousand, which would not fit on the stack here. */
const maxNesting = 1_000;

/** Where a list of nodes ended. */
interface ListEnd {
  readonly kind: "end" | "else";
}

/** What the words of one action lead to. */
type Parsed = Node | ListEnd;

/**
 * Parses one template. A template defined inside has a parser of its own on the same lexer: it knows no variables and
 * no loops of the one around it.
 */
class TreeParser {
  readonly #lexer: Lexer;
  readonly #set: TemplateSet;
  readonly #options: ParseOptions;
  readonly #tokens: TokenReader;
  #variables = ["$"];
  /** The line of the action that is being parsed; 0 outside of actions. */
  #actionLine = 0;
  #loops = 0;
  #nesting = 0;

  constructor(lexer: Lexer, set: TemplateSet, options: ParseOptions) {
    this.#lexer = lexer;
    this.#tokens = new TokenReader(lexer);
    this.#set = set;
    this.#options = options;
  }

  parseWhole(): void {
    const nodes: Node[] = [];
    while (this.#tokens.peek().kind !== "eof") {
      if (this.#tokens.peek().kind === "leftDelim") {
        const delim = this.#tokens.next();
        const first = this.#tokens.nextNonSpace();
        if (first.kind === "define") {
          this.#inner().#definition();
          continue;
        }
        this.#tokens.back(delim, first);
      }
      const node = this.#textOrAction();
      if (isEnd(node)) throw this.#error(`unexpected {{${node.kind}}}`);
      nodes.push(node);
    }
    this.#add(this.#options.name, nodes);
  }

  #inner(): TreeParser {
    return new TreeParser(this.#lexer, this.#set, this.#options);
  }

  #definition(): void {
    const context = "define clause";
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    this.#expect("rightDelim", context);
    this.#body(name, context);
  }

  #body(name: string, context: string): void {
    const { nodes, end } = this.#list();
    if (end.kind !== "end") throw this.#error(`unexpected {{${end.kind}}} in ${context}`);
    this.#add(name, nodes);
  }

  /** A definition that holds nothing does not replace one that does. */
  #add(name: string, nodes: readonly Node[]): void {
    const known = this.#set.get(name);
    if (known === undefined || isEmpty(known)) this.#set.set(name, nodes);
    else if (!isEmpty(nodes)) throw this.#error(`template: multiple definition of template ${goQuote(name)}`);
  }

  #list(): { readonly nodes: readonly Node[]; readonly end: ListEnd } {
    const nodes: Node[] = [];
    while (this.#tokens.peekNonSpace().kind !== "eof") {
      const node = this.#textOrAction();
      if (isEnd(node)) return { nodes, end: node };
      nodes.push(node);
    }
    throw this.#error("unexpected EOF");
  }

  #textOrAction(): Parsed {
    const token = this.#tokens.nextNonSpace();
    if (token.kind === "text") return { kind: "text", at: token.at, text: token.text };
    if (token.kind !== "leftDelim") throw this.#unexpected(token, "input");
    this.#actionLine = token.line;
    const node = this.#action();
    this.#actionLine = 0;
    return node;
  }

  #action(): Parsed {
    const token = this.#tokens.nextNonSpace();
    const { kind } = token;
    if (kind === "block") return this.#block();
    if (kind === "break" || kind === "continue") return this.#jump(token, kind);
    if (kind === "else") return this.#else();
    if (kind === "if" || kind === "range" || kind === "with") return this.#branch(kind);
    if (kind === "template") return this.#template();
    if (kind === "end") {
      this.#expect("rightDelim", "end");
      return { kind: "end" };
    }
    this.#tokens.back(token);
    return { kind: "action", at: token.at, pipe: this.#pipeline("command", "rightDelim") };
  }

  #jump({ at }: Token, kind: "break" | "continue"): Node {
    const token = this.#tokens.nextNonSpace();
    if (token.kind !== "rightDelim") throw this.#unexpected(token, `{{${kind}}}`);
    if (this.#loops === 0) throw this.#error(`{{${kind}}} outside {{range}}`);
    return { kind, at };
  }

  /** Leaves the `if` or `with` of an {{else if}} to be read. */
  #else(): ListEnd {
    const { kind } = this.#tokens.peekNonSpace();
    if (kind !== "if" && kind !== "with") this.#expect("rightDelim", "else");
    return { kind: "else" };
  }

  #branch(kind: BranchNode["kind"]): BranchNode {
    const outside = this.#variables.length;
    const pipe = this.#pipeline(kind, "rightDelim");
    if (kind === "range") this.#loops += 1;
    const { nodes: body, end } = this.#list();
    if (kind === "range") this.#loops -= 1;
    const otherwise = end.kind === "else" ? this.#otherwise(kind) : undefined;
    this.#variables.length = outside;
    return { kind, at: pipe.at, pipe, body, otherwise };
  }

  #otherwise(kind: BranchNode["kind"]): readonly Node[] {
    if (kind !== "range" && this.#tokens.peek().kind === kind) {
      this.#tokens.next();
      return [this.#branch(kind)];
    }
    const { nodes, end } = this.#list();
    if (end.kind !== "end") throw this.#error(`expected end; found {{${end.kind}}}`);
    return nodes;
  }

  #block(): TemplateNode {
    const context = "block clause";
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipeline(context, "rightDelim");
    const inner = this.#inner();
    const { nodes, end } = inner.#list();
    if (end.kind !== "end") throw this.#error(`unexpected {{${end.kind}}} in ${context}`);
    inner.#add(name, nodes);
    return { kind: "template", at: token.at, name, pipe };
  }

  #template(): TemplateNode {
    const context = "template clause";
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    const next = this.#tokens.nextNonSpace();
    if (next.kind === "rightDelim") return { kind: "template", at: token.at, name, pipe: undefined };
    this.#tokens.back(next);
    return { kind: "template", at: token.at, name, pipe: this.#pipeline(context, "rightDelim") };
  }

  #templateName(token: Token, context: string): string {
    if (token.kind !== "string" && token.kind !== "rawString") throw this.#unexpected(token, context);
    return this.#literal(() => unquoteString(token.text));
  }

  #pipeline(context: string, end: TokenKind): PipeNode {
    const { at } = this.#tokens.peekNonSpace();
    const { variables, assigns } = this.#declarations(context);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = this.#tokens.nextNonSpace();
      if (token.kind === end) break;
      if (!startsOperand(token)) throw this.#unexpected(token, context);
      this.#tokens.back(token);
      commands.push(this.#command());
    }
    if (commands.length === 0) throw this.#error(`missing value for ${context}`);
    const stage = commands.findIndex(({ words: [first] }, index) => index > 0 && isConstant(first));
    if (stage !== -1) throw this.#error(`non executable command in pipeline stage ${stage + 1}`);
    return { kind: "pipe", at, variables, assigns, commands };
  }

  /** `$x :=`, `$x =`, and for a range `$i, $x :=`. A variable that nothing of this follows is an operand. */
  #declarations(context: string): { readonly variables: readonly VariableNode[]; readonly assigns: boolean } {
    const variables: VariableNode[] = [];
    while (this.#tokens.peekNonSpace().kind === "variable") {
      const token = this.#tokens.nextNonSpace();
      const after = this.#tokens.next();
      const next = after.kind === "space" ? this.#tokens.nextNonSpace() : after;
      const declares = next.kind === "declare" || next.kind === "assign";
      if (!declares && !(next.kind === "char" && next.text === ",")) {
        this.#tokens.back(token, after, ...(after === next ? [] : [next]));
        break;
      }
      variables.push(variable(token));
      this.#variables.push(token.text);
      if (declares) return { variables, assigns: next.kind === "assign" };
      if (context !== "range" || variables.length > 1) throw this.#error(`too many declarations in ${context}`);
      if (!["variable", "rightDelim", "rightParen"].includes(this.#tokens.peekNonSpace().kind)) {
        throw this.#error("range can only initialize variables");
      }
    }
    return { variables, assigns: false };
  }

  #command(): CommandNode {
    const { at } = this.#tokens.peekNonSpace();
    const words: Operand[] = [];
    for (;;) {
      this.#tokens.peekNonSpace();
      const operand = this.#operand();
      if (operand !== undefined) words.push(operand);
      const token = this.#tokens.next();
      if (token.kind === "space") continue;
      if (token.kind === "rightDelim" || token.kind === "rightParen") this.#tokens.back(token);
      else if (token.kind !== "pipe") throw this.#unexpected(token, "operand");
      break;
    }
    const [first, ...rest] = words;
    if (first === undefined) throw this.#error("empty command");
    return { kind: "command", at, words: [first, ...rest] };
  }

  #operand(): Operand | undefined {
    const term = this.#term();
    if (term === undefined || this.#tokens.peek().kind !== "field") return term;
    const { at } = this.#tokens.peek();
    const fields: string[] = [];
    while (this.#tokens.peek().kind === "field") fields.push(this.#tokens.next().text.slice(1));
    if (term.kind === "field" || term.kind === "variable") return { ...term, at, fields: [...term.fields, ...fields] };
    if (isConstant(term)) throw this.#error(`unexpected . after term ${goQuote(formatNode(term))}`);
    return { kind: "chain", at, of: term, fields };
  }

  #term(): Operand | undefined {
    const token = this.#tokens.nextNonSpace();
    const { kind, at, text } = token;
    if (kind === "leftParen") return this.#parenthesised();
    if (kind === "identifier") {
      if (!this.#options.hasFunction(text)) throw this.#error(`function ${goQuote(text)} not defined`);
      return { kind, at, name: text };
    }
    if (kind === "variable") {
      if (!this.#variables.includes(text)) throw this.#error(`undefined variable ${goQuote(text)}`);
      return variable(token);
    }
    if (kind === "dot" || kind === "nil") return { kind, at };
    if (kind === "field") return { kind, at, fields: [text.slice(1)] };
    if (kind === "bool") return { kind, at, value: text === "true" };
    if (kind === "string" || kind === "rawString") {
      return { kind: "string", at, quoted: text, text: this.#literal(() => unquoteString(text)) };
    }
    if (kind === "number" || kind === "complex" || kind === "charConstant") {
      return { kind: "number", at, text, number: this.#literal(() => numberReaders[kind](text)) };
    }
    this.#tokens.back(token);
    return undefined;
  }

  #parenthesised(): PipeNode {
    if (this.#nesting >= maxNesting) throw this.#error("max expression depth exceeded");
    this.#nesting += 1;
    const pipe = this.#pipeline("parenthesized pipeline", "rightParen");
    this.#nesting -= 1;
    return pipe;
  }

  /** Adds to what a literal complains about where that is. */
  #literal<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof TemplateError ? this.#error(error.message) : error;
    }
  }

  #expect(kind: TokenKind, context: string): void {
    const token = this.#tokens.nextNonSpace();
    if (token.kind !== kind) throw this.#unexpected(token, context);
  }

  #unexpected(token: Token, context: string): TemplateError {
    if (token.kind !== "error") return this.#error(`unexpected ${describeToken(token)} in ${context}`);
    if (this.#actionLine === 0 || this.#actionLine === token.line) return this.#error(token.text);
    const started = `started at ${this.#options.name}:${this.#actionLine}`;
    return this.#error(`${token.text}${token.text.endsWith(" action") ? "" : " in action"} ${started}`);
  }

  #error(message: string): TemplateError {
    return new TemplateError(`template: ${this.#options.name}:${this.#tokens.line}: ${message}`);
  }
}

const numberReaders = { number: parseNumber, complex: parseComplex, charConstant: parseCharacter };

function variable({ at, text }: Token): VariableNode {
  return { kind: "variable", at, name: text, fields: [] };
}

function isEnd(parsed: Parsed): parsed is ListEnd {
  return parsed.kind === "end" || parsed.kind === "else";
}

function isEmpty(nodes: readonly Node[]): boolean {
  return nodes.every((node) => node.kind === "text" && node.text.trim() === "");
}

const operandStarts: ReadonlySet<TokenKind> = new Set([
  "bool",
  "charConstant",
  "complex",
  "dot",
  "field",
  "identifier",
  "leftParen",
  "nil",
  "number",
  "rawString",
  "string",
  "variable",
]);

function startsOperand({ kind }: Token): boolean {
  return operandStarts.has(kind);
}

/** What stands for itself and can neither be called nor hold fields. */
function isConstant({ kind }: Operand): boolean {
  return kind === "bool" || kind === "dot" || kind === "nil" || kind === "number" || kind === "string";
}
