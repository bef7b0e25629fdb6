import type { JsonValue } from "../../machinery/meta/json.js";
import { resolvePlain } from "../../machinery/text/yaml/scalars.js";
import { withoutTrailing } from "../../base/text/without-trailing.js";

/** The tag and value that goyaml v3, kustomize's parser, gives a scalar: booleans as in YAML 1.2, and timestamps. */
export interface Resolved {
  readonly tag: string;
  readonly value: JsonValue;
}

const shortTagOf = (tag: string): string => tag.replace(/^tag:yaml\.org,2002:/, "!!");

const YAML_1_1_ONLY = /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF)$/;

/** Reads a plain scalar. */
export function resolve(text: string): Resolved {
  if (text === "<<") return { tag: "!!merge", value: text };
  if (YAML_1_1_ONLY.test(text)) return { tag: "!!str", value: text };
  const { tag, value } = resolvePlain(text);
  if (tag === "timestamp") return { tag: "!!timestamp", value: timeOf(text) };
  if (tag === "int" && typeof value === "number" && !Number.isSafeInteger(value)) {
    return { tag: "!!int", value: BigInt(text.replaceAll("_", "").replace(/^\+/, "")) };
  }
  return { tag: `!!${tag}`, value };
}

/** Resolves a scalar with an explicit tag. */
export function resolveTagged(tag: string, text: string): Resolved {
  if (tag === "!!str" || tag === "!!binary" || !tag.startsWith("!!")) return { tag, value: text };
  const found = resolve(text);
  if (found.tag === tag) return found;
  if (tag === "!!float" && found.tag === "!!int") return { tag, value: found.value };
  throw new Error(`yaml: cannot decode ${found.tag} \`${text}\` as a ${tag}`);
}

/** Whether goyaml v2 reads a plain scalar as something other than text. */
export function isYaml11NonString(text: string): boolean {
  if (text === "") return false;
  const { tag } = resolvePlain(text);
  return tag !== "str" && tag !== "timestamp";
}

/** Whether a text must be quoted: goyaml v3 quotes what older readers take for a number or a boolean. */
export const needsQuotes = (text: string): boolean =>
  resolve(text).tag !== "!!str" ||
  YAML_1_1_ONLY.test(text) ||
  /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);

/** A time as Go's JSON writes it. */
function timeOf(text: string): string {
  const match =
    /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d+))?(Z|[-+]\d{2}:\d{2})?)?$/.exec(text);
  if (match === null) return text;
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = match;
  const two = (digits: string): string => digits.padStart(2, "0");
  const digits = withoutTrailing(fraction.slice(0, 9), "0");
  const offset = /^[-+]00:00$/.test(zone) ? "Z" : zone;
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${digits === "" ? "" : `.${digits}`}${offset}`;
}

export type NodeKind = "none" | "scalar" | "sequence" | "mapping";

export type ScalarStyle = "single" | "double" | "literal" | "folded";

/** How a node was or will be written; "" is plain, or a block. "tagged": a scalar whose tag is written too. "flow": in brackets. */
export type NodeStyle = "" | ScalarStyle | "tagged" | `tagged ${ScalarStyle}` | "flow";

/**
 * A mutable YAML node. With the tag "" the type follows from the text when the node is written; "!!null" stands for a missing
 * node. Nodes may be shared between places, and a change then shows in all of them: kustomize's transformers rely on that, and it
 * shows in the output.
 */
export class Node {
  kind: NodeKind;
  tag: string;
  value: string;
  style: NodeStyle;
  items: Node[];
  pairs: [Node, Node][];
  /** A null that is to be written, not to be taken as absence. */
  kept = false;
  /** Stands for the place in a text it was read from, for {@link sameNode}; a node that is made has none. */
  place: object | undefined;

  constructor(kind: NodeKind, tag = "", value = "", style: NodeStyle = "") {
    this.kind = kind;
    this.tag = tag;
    this.value = value;
    this.style = style;
    this.items = [];
    this.pairs = [];
  }

  /** Takes over everything of another node; the children are then shared. */
  become(other: Node): void {
    this.kind = other.kind;
    this.tag = other.tag;
    this.value = other.value;
    this.style = other.style;
    this.items = other.items;
    this.pairs = other.pairs;
    this.place = other.place;
  }

  copy(): Node {
    const copy = new Node(this.kind, this.tag, this.value, this.style);
    copy.items = this.items.map((item) => item.copy());
    copy.pairs = this.pairs.map(([key, value]) => [key.copy(), value.copy()]);
    copy.kept = this.kept;
    copy.place = this.place;
    return copy;
  }

  /** The value of a member of a mapping. */
  get(name: string): Node | undefined {
    return this.pairs.find(([key]) => key.value === name)?.[1];
  }

  /** Removes the first member of that name. */
  remove(name: string): void {
    const at = this.pairs.findIndex(([key]) => key.value === name);
    if (at >= 0) this.pairs.splice(at, 1);
  }
}

/** A scalar whose type follows from its text. */
export const scalarNode = (value: string): Node => new Node("scalar", "", value);

export const stringNode = (value: string): Node =>
  new Node("scalar", "!!str", value, value.includes("\n") ? "literal" : "");

export const mappingNode = (...pairs: readonly (readonly [string, Node])[]): Node => {
  const node = new Node("mapping");
  node.pairs = pairs.map(([key, value]) => [scalarNode(key), value]);
  return node;
};

export const isMissingOrNull = (node: Node | undefined): boolean => node === undefined || node.tag === "!!null";

const isZero = (node: Node): boolean =>
  node.kind === "none" && node.tag === "" && node.value === "" && node.style === "";

export const isEmptyMap = (node: Node | undefined): boolean =>
  node === undefined || isMissingOrNull(node) || (node.kind === "mapping" && node.pairs.length === 0);

export function isNilOrEmpty(node: Node | undefined): boolean {
  if (node === undefined || node.tag === "!!null") return true;
  if (node.kind === "mapping") return node.pairs.length === 0;
  if (node.kind === "sequence") return node.items.length === 0;
  return isZero(node);
}

/** Whether a node is a scalar with a text, or one made without a type. */
export const isString = (node: Node): boolean =>
  node.kind === "scalar" && (node.tag === "" || shortTagOf(node.tag) === "!!str");

/** The text of a scalar; "" for a missing node. */
export const valueOf = (node: Node | undefined): string =>
  node === undefined || isMissingOrNull(node) ? "" : node.value;

/** Whether two nodes are identical, style and position included: a value that was replaced by an equal one differs. */
export function sameNode(a: Node | undefined, b: Node | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.kind === b.kind &&
    a.tag === b.tag &&
    a.value === b.value &&
    a.style === b.style &&
    a.place === b.place &&
    a.items.length === b.items.length &&
    a.items.every((item, index) => sameNode(item, b.items[index])) &&
    a.pairs.length === b.pairs.length &&
    a.pairs.every(([key, value], index) => {
      const other = b.pairs[index];
      return other !== undefined && sameNode(key, other[0]) && sameNode(value, other[1]);
    })
  );
}
