import { Pace } from "../../../../base/time/pace.js";
import { atOnce, type Steps } from "../../../../base/async/steps.js";
import type { MappingNode, SequenceNode, YamlNode } from "../nodes.js";
import { YamlError } from "../yaml-error.js";
import { type Mark, parserError } from "./cursor.js";
import type { Tag } from "./scan-tag.js";
import { Scanner, type Token } from "./scanner.js";

const emptyScalar = (at: Mark): YamlNode => ({ kind: "scalar", tag: "", value: "", plain: true, line: at.line + 1 });

/** The number of tokens that goyaml v2 reads ahead; v3 reads further, because it looks for comments. */
export const GOYAML2_LOOKAHEAD = 0;
export const GOYAML3_LOOKAHEAD = 2;

/**
 * The first document of the text by the rules of YAML 1.1, or undefined when there is none. Slower than the parser that is
 * asked first; asked when that one refuses a text, it reads what libyaml reads and refuses the rest in libyaml's words.
 */
export function readYaml11(text: string, lookahead = GOYAML2_LOOKAHEAD): YamlNode | undefined {
  return atOnce(readYaml11Steps(text, lookahead));
}

/** {@link readYaml11} in steps. */
export function* readYaml11Steps(text: string, lookahead = GOYAML2_LOOKAHEAD): Steps<YamlNode | undefined> {
  const forbidden = text.search(/[^\t\n\r -~\u0085\u00a0-\ufffd]/);
  if (forbidden !== -1) throw new YamlError("error converting YAML to JSON: yaml: control characters are not allowed");
  return yield* new Parser(text, lookahead).document();
}

class Parser {
  readonly #scanner: Scanner;
  readonly #pace = new Pace();
  readonly #anchors = new Map<string, YamlNode>();
  #handles = new Map<string, string>();

  constructor(text: string, lookahead: number) {
    this.#scanner = new Scanner(text, lookahead);
  }

  *document(): Steps<YamlNode | undefined> {
    let token = this.#scanner.peek();
    if (token.type === "stream end") return undefined;
    const explicit = token.type === "directive" || token.type === "document start";
    this.#directives();
    token = this.#scanner.peek();
    if (explicit) {
      if (token.type !== "document start") throw parserError("did not find expected <document start>", token.start);
      this.#scanner.next();
      token = this.#scanner.peek();
    }
    const ended = ["directive", "document start", "document end", "stream end"].includes(token.type);
    const root = explicit && ended ? emptyScalar(token.start) : yield* this.#node(true, false);
    // goyaml looks one token further before it is content.
    this.#scanner.peek();
    return root;
  }

  #directives(): void {
    let version = false;
    this.#handles = new Map([
      ["!", "!"],
      ["!!", "tag:yaml.org,2002:"],
    ]);
    const own = new Set<string>();
    for (let token = this.#scanner.peek(); token.type === "directive"; token = this.#scanner.peek()) {
      const { directive } = token;
      if (directive.kind === "yaml") {
        if (version) throw parserError("found duplicate %YAML directive", token.start);
        if (directive.version !== "1.1") throw parserError("found incompatible YAML document", token.start);
        version = true;
      } else {
        if (own.has(directive.handle)) throw parserError("found duplicate %TAG directive", token.start);
        own.add(directive.handle);
        this.#handles.set(directive.handle, directive.prefix);
      }
      this.#scanner.next();
    }
  }

  /** `block`: block collections may begin here. `indentless`: so may a list that is not indented under its key. */
  *#node(block: boolean, indentless: boolean): Steps<YamlNode> {
    if (this.#pace.isDue()) yield;
    const first = this.#scanner.peek();
    if (first.type === "alias") return this.#alias();
    const { anchor, tag } = this.#properties(first.start);
    const named = <T extends YamlNode>(node: T): T => {
      if (anchor !== undefined) this.#anchors.set(anchor, node);
      return node;
    };
    const token = this.#scanner.peek();
    const line = first.start.line + 1;
    if (token.type === "scalar") {
      this.#scanner.next();
      const plain = tag === "" && token.plain;
      return named({ kind: "scalar", tag: shortTag(tag), value: token.value, plain, line });
    }
    if (indentless && token.type === "-")
      return yield* this.#indentlessSequence(named({ kind: "sequence", items: [], line }));
    if (token.type === "[") return yield* this.#flowSequence(named({ kind: "sequence", items: [], flow: true, line }));
    if (token.type === "{") return yield* this.#flowMapping(named({ kind: "mapping", pairs: [], flow: true, line }));
    if (block && token.type === "block sequence")
      return yield* this.#blockSequence(named({ kind: "sequence", items: [], line }));
    if (block && token.type === "block mapping")
      return yield* this.#blockMapping(named({ kind: "mapping", pairs: [], line }));
    if (anchor !== undefined || tag !== "") {
      return named({ kind: "scalar", tag: shortTag(tag), value: "", plain: tag === "", line });
    }
    throw parserError("did not find expected node content", token.start, first.start);
  }

  #alias(): YamlNode {
    const token = this.#scanner.next();
    const name = token.type === "alias" ? token.name : "";
    const target = this.#anchors.get(name);
    if (target === undefined) {
      throw new YamlError(`error converting YAML to JSON: yaml: unknown anchor '${name}' referenced`, {
        line: token.start.line + 1,
      });
    }
    return { kind: "alias", name, target, line: token.start.line + 1 };
  }

  /** An anchor and a tag, in either order. */
  #properties(start: Mark): { readonly anchor: string | undefined; readonly tag: string } {
    let anchor: string | undefined;
    let tag: string | undefined;
    for (let token = this.#scanner.peek(); ; token = this.#scanner.peek()) {
      if (token.type === "anchor" && anchor === undefined) anchor = token.name;
      else if (token.type === "tag" && tag === undefined) tag = this.#resolveTag(token.tag, token.start, start);
      else return { anchor, tag: tag ?? "" };
      this.#scanner.next();
    }
  }

  #resolveTag({ handle, suffix }: Tag, at: Mark, start: Mark): string {
    if (handle === "") return suffix;
    const prefix = this.#handles.get(handle);
    if (prefix === undefined) throw parserError("found undefined tag handle", at, start);
    return prefix + suffix;
  }

  *#blockSequence(node: SequenceNode): Steps<YamlNode> {
    const open = this.#scanner.next();
    for (let token = this.#scanner.peek(); token.type !== "block end"; token = this.#scanner.peek()) {
      if (token.type !== "-") throw parserError("did not find expected '-' indicator", token.start, open.start);
      this.#scanner.next();
      node.items.push(this.#isNext("-", "block end") ? this.#empty() : yield* this.#node(true, false));
    }
    this.#scanner.next();
    return node;
  }

  *#indentlessSequence(node: SequenceNode): Steps<YamlNode> {
    while (this.#scanner.peek().type === "-") {
      this.#scanner.next();
      const empty = this.#isNext("-", "key", "value", "block end");
      node.items.push(empty ? this.#empty() : yield* this.#node(true, false));
    }
    return node;
  }

  *#blockMapping(node: MappingNode): Steps<YamlNode> {
    const open = this.#scanner.next();
    for (let token = this.#scanner.peek(); token.type !== "block end"; token = this.#scanner.peek()) {
      if (token.type !== "key") throw parserError("did not find expected key", token.start, open.start);
      this.#scanner.next();
      const key = this.#isNext("key", "value", "block end") ? this.#empty() : yield* this.#node(true, true);
      node.pairs.push([key, yield* this.#blockValue()]);
    }
    this.#scanner.next();
    return node;
  }

  *#blockValue(): Steps<YamlNode> {
    if (!this.#isNext("value")) return this.#empty();
    const { end } = this.#scanner.next();
    return this.#isNext("key", "value", "block end") ? emptyScalar(end) : yield* this.#node(true, true);
  }

  *#flowSequence(node: SequenceNode): Steps<YamlNode> {
    const open = this.#scanner.next();
    for (let first = true; !this.#isNext("]"); first = false) {
      if (!first) {
        this.#comma("]", open);
        if (this.#isNext("]")) break;
      }
      node.items.push(this.#isNext("key") ? yield* this.#flowPair() : yield* this.#node(false, false));
    }
    this.#scanner.next();
    return node;
  }

  /** `[a: b]` holds a mapping of one pair. */
  *#flowPair(): Steps<YamlNode> {
    const { start } = this.#scanner.next();
    const key = this.#isNext("value", ",", "]") ? this.#empty() : yield* this.#node(false, false);
    return { kind: "mapping", pairs: [[key, yield* this.#flowValue("]")]], line: start.line + 1 };
  }

  *#flowMapping(node: MappingNode): Steps<YamlNode> {
    const open = this.#scanner.next();
    for (let first = true; !this.#isNext("}"); first = false) {
      if (!first) {
        this.#comma("}", open);
        if (this.#isNext("}")) break;
      }
      if (this.#isNext("key")) {
        this.#scanner.next();
        const key = this.#isNext("value", ",", "}") ? this.#empty() : yield* this.#node(false, false);
        node.pairs.push([key, yield* this.#flowValue("}")]);
      } else node.pairs.push([yield* this.#node(false, false), this.#empty()]);
    }
    this.#scanner.next();
    return node;
  }

  *#flowValue(close: "]" | "}"): Steps<YamlNode> {
    if (!this.#isNext("value")) return this.#empty();
    this.#scanner.next();
    return this.#isNext(",", close) ? this.#empty() : yield* this.#node(false, false);
  }

  #comma(close: "]" | "}", open: Token): void {
    const token = this.#scanner.peek();
    if (token.type !== ",") throw parserError(`did not find expected ',' or '${close}'`, token.start, open.start);
    this.#scanner.next();
  }

  /** What is left out stands where the next token does. */
  #empty(): YamlNode {
    return emptyScalar(this.#scanner.peek().start);
  }

  #isNext(...types: readonly Token["type"][]): boolean {
    return types.includes(this.#scanner.peek().type);
  }
}

/** "!!int" for YAML's own tags; others as they are. */
function shortTag(tag: string): string {
  const own = "tag:yaml.org,2002:";
  return tag.startsWith(own) ? `!!${tag.slice(own.length)}` : tag;
}
