import { goQuote } from "../base/text/go-quote.js";
import { formatG } from "../machinery/text/go/format-g.js";
import { goSharpV, goV } from "../machinery/text/go/go-values.js";
import type { JsonObject, JsonValue } from "../machinery/meta/json.js";
import { setOwn } from "../machinery/patch/json-values.js";
import { Node, needsQuotes, resolve, resolveTagged } from "./nodes/node.js";
import { NodeWriter } from "./nodes/node-text.js";

/** What goyaml says of a text that it has written itself and cannot read. */
class UnreadableNode extends Error {}

/**
 * The value of a node after it is written and read again, which is how kustomize converts it to JSON: a scalar without a type gets
 * the one that its text suggests. Throws goyaml v3's error ({@link UnreadableNode}) or that of Go's JSON encoder.
 */
export function toValue(node: Node | undefined): JsonValue {
  if (node === undefined) return null;
  const reader = new Reader(node);
  const value = reader.read(node, false);
  reader.check();
  return value;
}

class Reader {
  readonly #root: Node;
  readonly #refused: string[] = [];
  #writer: NodeWriter | undefined;
  #hasOtherKeys = false;

  constructor(root: Node) {
    this.#root = root;
  }

  check(): void {
    if (this.#refused.length > 0) throw new UnreadableNode(`yaml: unmarshal errors:\n  ${this.#refused.join("\n  ")}`);
    if (this.#hasOtherKeys) throw new Error("json: unsupported type: map[interface {}]interface {}");
  }

  /** `flow`: between brackets, where what is empty is quoted. */
  read(node: Node, flow: boolean): JsonValue {
    const inner = flow || node.style === "flow";
    switch (node.kind) {
      case "none":
        return null;
      case "scalar":
        return this.#scalar(node, flow);
      case "sequence":
        return node.items.map((item) => this.read(item, inner));
      case "mapping": {
        const object: JsonObject = {};
        this.#noteRepeated(node);
        for (const [key, value] of node.pairs) {
          if (key.kind !== "scalar") this.#refuseKey(key, node === this.#root);
          else if (node !== this.#root && typeof scalarValue(key, inner) !== "string") this.#hasOtherKeys = true;
          setOwn(object, key.value, this.read(value, inner));
        }
        return object;
      }
    }
  }

  #scalar(node: Node, flow: boolean): JsonValue {
    if (!flow && node.style === "literal" && /^\n*\t/.test(node.value)) {
      throw new UnreadableNode(
        `yaml: line ${this.#lineOf(node)}: found a tab character where an indentation space is expected`,
      );
    }
    return jsonOf(scalarValue(node, flow));
  }

  /** A key that is a list or a map. */
  #refuseKey(key: Node, inRoot: boolean): void {
    if (!inRoot) throw new UnreadableNode(`yaml: invalid map key: ${sharpV(key, false, false)}`);
    const tag = key.kind === "sequence" ? "!!seq" : "!!map";
    this.#refused.push(`line ${this.#lineOf(key)}: cannot unmarshal ${tag} into string`);
  }

  #noteRepeated({ pairs }: Node): void {
    if (new Set(pairs.map(([key]) => key.value)).size === pairs.length) return;
    for (const [index, [first]] of pairs.entries()) {
      for (const [second] of pairs.slice(index + 1)) {
        if (first.value !== second.value) continue;
        const [line, before] = [this.#lineOf(second), this.#lineOf(first)];
        this.#refused.push(`line ${line}: mapping key ${goQuote(first.value)} already defined at line ${before}`);
      }
    }
  }

  #lineOf(node: Node): number {
    this.#writer ??= new NodeWriter(this.#root);
    return this.#writer.lineOf(node);
  }
}

function scalarValue({ tag, value, style }: Node, flow: boolean): JsonValue {
  if (style.startsWith("tagged")) return resolved(tag, value);
  if (tag === "!!str" || value.includes("\n")) return value;
  if (tag !== "" && resolve(value).tag !== tag) return resolved(tag, value);
  return style !== "" || (flow && value === "") ? value : resolve(value).value;
}

function resolved(tag: string, value: string): JsonValue {
  try {
    return resolveTagged(tag, value).value;
  } catch (error) {
    throw new UnreadableNode((error as Error).message, { cause: error });
  }
}

function jsonOf(value: JsonValue): JsonValue {
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  const shown = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  throw new Error(`json: unsupported value: ${shown}`);
}

/** The node in the form of Go's %#v; a nil map when it cannot be converted. */
export function nodeSharpV(node: Node | undefined): string {
  try {
    return node === undefined ? "map[string]interface {}{}" : sharpV(node, false, true);
  } catch {
    return "map[string]interface {}(nil)";
  }
}

function sharpV(node: Node, flow: boolean, isRoot: boolean): string {
  const inner = flow || node.style === "flow";
  if (node.kind === "sequence")
    return `[]interface {}{${node.items.map((item) => sharpV(item, inner, false)).join(", ")}}`;
  if (node.kind !== "mapping") return node.kind === "none" ? "interface {}(nil)" : goSharpV(scalarValue(node, flow));
  if (new Set(node.pairs.map(([key]) => key.value)).size < node.pairs.length) throw new UnreadableNode("repeated");
  if (node.pairs.some(([key]) => key.kind !== "scalar")) throw new UnreadableNode("a key that is no scalar");
  const members = node.pairs.map(([key, value]) => {
    const name = isRoot ? key.value : scalarValue(key, inner);
    return { name, text: `${goSharpV(name)}:${sharpV(value, inner, false)}` };
  });
  const type = members.every(({ name }) => typeof name === "string") ? "string" : "interface {}";
  const rank = (name: JsonValue): string => `${["number", "string", "boolean"].indexOf(typeof name)}${goV(name)}`;
  members.sort((a, b) => (rank(a.name) < rank(b.name) ? -1 : 1));
  return `map[${type}]interface {}{${members.map(({ text }) => text).join(", ")}}`;
}

/** Makes the node that goyaml v3 has after it wrote and read the value. Numbers are doubles, as in Go's JSON decoder. */
export function fromValue(value: JsonValue): Node {
  const node = unplaced(value);
  node.place = {};
  return node;
}

function unplaced(value: JsonValue): Node {
  if (value === null) return new Node("scalar", "!!null", "null");
  if (typeof value === "string") return textNode(value);
  if (typeof value === "boolean") return new Node("scalar", "!!bool", String(value));
  if (typeof value === "number" || typeof value === "bigint") {
    const text = formatG(Number(value));
    return new Node("scalar", resolve(text).tag, text);
  }
  if (Array.isArray(value)) {
    const node = new Node("sequence", "!!seq", "", value.length === 0 ? "flow" : "");
    node.items = value.map(fromValue);
    return node;
  }
  const entries = Object.entries(value);
  const node = new Node("mapping", "!!map", "", entries.length === 0 ? "flow" : "");
  node.pairs = entries.map(([key, held]) => [textNode(key), fromValue(held)]);
  return node;
}

function textNode(value: string): Node {
  if (value.includes("\n")) return new Node("scalar", "!!str", value, "literal");
  return new Node("scalar", "!!str", value, needsQuotes(value) ? "double" : "");
}
