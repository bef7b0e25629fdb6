import {
  COLLECTION_STYLE,
  type Event,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from "js-yaml";
import { YamlError } from "./yaml-error.js";
import { GOYAML2_LOOKAHEAD, readYaml11 } from "./yaml11/parser.js";

/** A YAML document as it was written. `tag` is "" when none was given; anchors are resolved into alias nodes' `target`. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode;

interface Placed {
  /** Where it begins, counted from one; only readYaml11 tells. */
  readonly line?: number;
}

export interface ScalarNode extends Placed {
  readonly kind: "scalar";
  readonly tag: string;
  readonly value: string;
  /** Neither quoted nor a block: its type is to be guessed. */
  readonly plain: boolean;
  /** How it is written, when it is not plain; absent where the parser for YAML 1.1 was needed. */
  readonly style?: "single" | "double" | "literal" | "folded";
}

export interface SequenceNode extends Placed {
  readonly kind: "sequence";
  /** Written between brackets. */
  readonly flow?: boolean;
  readonly items: YamlNode[];
}

export interface MappingNode extends Placed {
  readonly kind: "mapping";
  /** Written between braces. */
  readonly flow?: boolean;
  readonly pairs: [YamlNode, YamlNode][];
}

export interface AliasNode extends Placed {
  readonly kind: "alias";
  readonly name: string;
  readonly target: YamlNode;
}

/** Collections nested deeper than this are refused, so that nothing that walks a value can run out of stack. */
const maxDepth = 1000;

/** Parses the first document of a text; undefined when there is none. Throws {@link YamlError}; for `lookahead` see readYaml11. */
export function readNodes(text: string, lookahead = GOYAML2_LOOKAHEAD): YamlNode | undefined {
  // The parser that is asked first knows two of the five line breaks of YAML 1.1.
  if (/[\u0085\u2028\u2029]/.test(text)) return readYaml11(text, lookahead);
  try {
    return assemble(text, parseEvents(text, { maxDepth }));
  } catch (error) {
    // YAML 1.1 allows more in places, and what it does not allow is to be refused in libyaml's words.
    if (error instanceof YAMLException) return readYaml11(text, lookahead);
    throw error;
  }
}

/** Thrown for what YAML 1.2 allows and YAML 1.1 may not: the parser for YAML 1.1 decides. */
const doubtful = (what: string): YAMLException => new YAMLException(`${what} may not be YAML 1.1`);

const STYLES: ReadonlyMap<number, NonNullable<ScalarNode["style"]>> = new Map([
  [SCALAR_STYLE.SINGLE_QUOTED, "single"],
  [SCALAR_STYLE.DOUBLE_QUOTED, "double"],
  [SCALAR_STYLE.LITERAL_BLOCK, "literal"],
  [SCALAR_STYLE.FOLDED_BLOCK, "folded"],
] as const);

/** Where the name of an event's anchor or alias stands in the text; it begins before 0 when there is none. */
interface Anchored {
  readonly anchorStart: number;
  readonly anchorEnd: number;
}

interface OpenMapping {
  readonly node: MappingNode;
  key: YamlNode | undefined;
}

function assemble(text: string, events: readonly Event[]): YamlNode | undefined {
  const assembly = new Assembly(text);
  let documents = 0;
  for (const event of events) {
    if (event.type !== EVENT_ID.DOCUMENT) assembly.take(event);
    else if (++documents > 1) break;
  }
  return assembly.root;
}

/** A document of which a parser tells event by event. Iterative: its depth costs no stack here. */
class Assembly {
  readonly #text: string;
  readonly #anchors = new Map<string, YamlNode>();
  readonly #open: (SequenceNode | OpenMapping)[] = [];
  #root: YamlNode | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get root(): YamlNode | undefined {
    return this.#root;
  }

  take(event: Exclude<Event, { type: typeof EVENT_ID.DOCUMENT }>): void {
    switch (event.type) {
      case EVENT_ID.SCALAR: {
        const node = this.#scalar(event);
        this.#name(node, event);
        this.#place(node);
        break;
      }
      case EVENT_ID.SEQUENCE: {
        const node: SequenceNode = { kind: "sequence", items: [], flow: event.style === COLLECTION_STYLE.FLOW };
        this.#name(node, event);
        this.#place(node);
        this.#open.push(node);
        break;
      }
      case EVENT_ID.MAPPING: {
        const node: MappingNode = { kind: "mapping", pairs: [], flow: event.style === COLLECTION_STYLE.FLOW };
        this.#name(node, event);
        this.#place(node);
        this.#open.push({ node, key: undefined });
        break;
      }
      case EVENT_ID.ALIAS:
        this.#place(this.#alias(event));
        break;
      case EVENT_ID.POP:
        this.#open.pop();
        break;
    }
  }

  #scalar(event: Extract<Event, { type: typeof EVENT_ID.SCALAR }>): ScalarNode {
    const rawTag = event.tagStart >= 0 ? this.#text.slice(event.tagStart, event.tagEnd) : "";
    const style = STYLES.get(event.style);
    const value = getScalarValue(this.#text, event);
    if (style === undefined && /^[:?]/.test(value) && this.#inFlow) throw doubtful("what begins like an indicator");
    return {
      kind: "scalar",
      tag: shortTag(rawTag),
      value,
      plain: rawTag === "" && style === undefined,
      ...(style !== undefined && { style }),
    };
  }

  #alias({ anchorStart, anchorEnd }: Anchored): AliasNode {
    const name = this.#text.slice(anchorStart, anchorEnd);
    if (!/^[\w-]+$/.test(name)) throw doubtful("the alias");
    const target = this.#anchors.get(name);
    if (target === undefined) {
      throw new YamlError(`error converting YAML to JSON: yaml: unknown anchor '${name}' referenced`);
    }
    return { kind: "alias", name, target };
  }

  #name(node: YamlNode, { anchorStart, anchorEnd }: Anchored): void {
    if (anchorStart < 0) return;
    const anchor = this.#text.slice(anchorStart, anchorEnd);
    if (!/^[\w-]+$/.test(anchor)) throw doubtful("the anchor");
    this.#anchors.set(anchor, node);
  }

  /** Adds a node to the collection that is open, or makes it the root. */
  #place(node: YamlNode): void {
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root ??= node;
    else if ("items" in parent) parent.items.push(node);
    else if (parent.key === undefined) {
      if (node.kind === "scalar" && node.plain && node.value === "") throw doubtful("a key without text");
      parent.key = node;
    } else {
      parent.node.pairs.push([parent.key, node]);
      parent.key = undefined;
    }
  }

  get #inFlow(): boolean {
    const parent = this.#open.at(-1);
    return parent !== undefined && ("items" in parent ? parent : parent.node).flow === true;
  }
}

/** "!!int" for the verbatim and the short spelling; "" for none and for the non-specific "!". */
function shortTag(raw: string): string {
  if (raw === "!") return "";
  const verbatim = /^!<tag:yaml\.org,2002:(.*)>$/.exec(raw);
  return verbatim === null ? raw : `!!${verbatim[1]}`;
}
