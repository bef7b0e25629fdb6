import { type MappingNode, readNodes, type ScalarNode, type YamlNode } from "../../machinery/text/yaml/nodes.js";
import { GOYAML3_LOOKAHEAD, readYaml11 } from "../../machinery/text/yaml/yaml11/parser.js";
import { YamlError } from "../../machinery/text/yaml/yaml-error.js";
import { setEntry } from "../fields.js";
import { Node, resolve } from "./node.js";
import { type JsonObject, type JsonValue, isJsonObject } from "../../machinery/meta/json.js";
import { type Shape, decodeStruct, fieldNamed } from "../go-struct.js";
import { formatG } from "../../machinery/text/go/format-g.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";

/** Thrown for a text that is not YAML. */
export class MalformedYaml extends Error {}

/**
 * Parses the first document of a text; undefined when there is none. Aliases become copies, and merge keys are merged. Throws in
 * goyaml v3's words.
 */
export function parseNode(text: string): Node | undefined {
  let root: YamlNode | undefined;
  try {
    root = readNodes(text, GOYAML3_LOOKAHEAD);
  } catch (error) {
    if (error instanceof YamlError) throw new MalformedYaml(goyaml3Text(error), { cause: error });
    throw error;
  }
  return root === undefined ? undefined : nodeOf(root, new Set());
}

/** The two versions of goyaml share their words, not their lines. */
function goyaml3Text({ message, lineOfGoyaml3: line }: YamlError): string {
  const text = message.replace(/^error converting YAML to JSON: /, "");
  if (line === undefined) return text;
  return text.replace(/^yaml: (?:line \d+: )?/, line === 0 ? "yaml: " : `yaml: line ${line}: `);
}

/** `open` holds the targets of the aliases being followed. */
function nodeOf(source: YamlNode, open: ReadonlySet<YamlNode>): Node {
  const node = unplaced(source, open);
  node.place ??= source;
  return node;
}

function unplaced(source: YamlNode, open: ReadonlySet<YamlNode>): Node {
  switch (source.kind) {
    case "scalar":
      return scalarOf(source);
    case "sequence": {
      const node = new Node("sequence", "!!seq", "", source.flow === true ? "flow" : "");
      node.items = source.items.map((item) => nodeOf(item, open));
      return node;
    }
    case "mapping":
      return mappingOf(source, open);
    case "alias": {
      if (open.has(source.target)) throw new Error(`yaml: anchor '${source.name}' value contains itself`);
      return nodeOf(source.target, new Set([...open, source.target]));
    }
  }
}

function scalarOf({ tag, value, plain, style }: ScalarNode): Node {
  if (plain) return new Node("scalar", resolve(value).tag, value);
  if (tag === "") return new Node("scalar", "!!str", value, style ?? "double");
  return new Node("scalar", tag, value, style === undefined ? "tagged" : `tagged ${style}`);
}

/** What is merged in comes first, and the mapping's own members override it. */
function mappingOf(source: MappingNode, open: ReadonlySet<YamlNode>): Node {
  const style = source.flow === true ? "flow" : "";
  const own = new Node("mapping", "!!map", "", style);
  let merged: YamlNode | undefined;
  for (const [key, value] of source.pairs) {
    const keyNode = nodeOf(key, open);
    if (keyNode.tag !== "!!merge") own.pairs.push([keyNode, nodeOf(value, open)]);
    else if (merged === undefined) merged = value;
    else throw new Error("duplicate merge key");
  }
  if (merged === undefined) return own;
  const node = new Node("mapping", "!!map", "", style);
  for (const from of [...mergeSources(merged).map((target) => nodeOf(target, open)), own]) {
    for (const [key, value] of from.pairs) setEntry(node, key, value);
  }
  return node;
}

function mergeSources(value: YamlNode): readonly YamlNode[] {
  switch (value.kind) {
    case "mapping":
      return [value];
    case "alias":
      if (value.target.kind === "mapping") return [value.target];
      throw new Error("invalid map merge: received alias for a non-map value");
    case "sequence":
      return value.items.toReversed().flatMap((item) => {
        if (item.kind === "sequence") throw new Error("invalid map merge: received a nested sequence");
        return mergeSources(item);
      });
    case "scalar":
      throw new Error("map merge requires map or sequence of maps as the value");
  }
}

/**
 * Decodes YAML into a Go type as goyaml v3 does: names are case-sensitive, unknown ones are skipped, and a scalar of any type is
 * accepted as text. `T` is the shape's type, with every member optional. Throws all errors, with their lines.
 */
export function decodeNodes<T>(source: string, shape: Shape): T {
  const wrong: string[] = [];
  const root = readYaml11(source);
  const value = root === undefined ? undefined : decode(root, shape, wrong);
  if (wrong.length > 0) throw new Error(`yaml: unmarshal errors:\n  ${wrong.join("\n  ")}`);
  return (value ?? {}) as T;
}

/** Undefined for a null and for what is wrong. */
function decode(node: YamlNode, shape: Shape, wrong: string[]): JsonValue | undefined {
  const tag = tagOf(node);
  if (tag === "!!null") return undefined;
  if (node.kind === "scalar" && shape.kind === "string") return node.value;
  if (node.kind === "scalar" && shape.kind === "bool" && tag === "!!bool") return node.value.toLowerCase() === "true";
  if (node.kind === "sequence" && shape.kind === "list") {
    return node.items.map((item) => decode(item, shape.of, wrong)).filter((item) => item !== undefined);
  }
  if (node.kind === "mapping" && shape.kind === "struct") {
    const object: JsonObject = {};
    for (const [key, held] of node.pairs) {
      const name = key.kind === "scalar" ? key.value : "";
      const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
      const value = field === undefined ? undefined : decode(held, "within" in field ? field.shape : field, wrong);
      if (value !== undefined) object[name] = value;
    }
    return object;
  }
  wrong.push(`line ${node.line ?? 0}: cannot unmarshal ${tag}${shown(node)} into ${shape.go}`);
  return undefined;
}

function tagOf(node: YamlNode): string {
  if (node.kind === "sequence") return "!!seq";
  if (node.kind !== "scalar") return "!!map";
  if (node.plain) return resolve(node.value).tag;
  return node.tag === "" ? "!!str" : node.tag;
}

const LONGEST = 10;

/** A scalar, cut when it is long. */
function shown(node: YamlNode): string {
  if (node.kind !== "scalar") return "";
  return ` \`${node.value.length > LONGEST ? `${node.value.slice(0, LONGEST - 3)}...` : node.value}\``;
}

/**
 * Decodes YAML into a Go type as sigs.k8s.io/yaml does: unknown fields are skipped, and a number or a boolean becomes text where
 * text is expected. `T` is the shape's type, with every member optional. Throws in that library's words.
 */
export function decodeYaml<T>(source: string, shape: Shape): T {
  const value = withTexts(parseYaml(source), shape);
  try {
    return decodeStruct(value, shape, false) as T;
  } catch (error) {
    throw new Error(`error unmarshaling JSON: while decoding JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** The library does not look into embedded structs. */
function withTexts(value: JsonValue, shape: Shape): JsonValue {
  if (shape.kind === "string") return scalarText(value) ?? value;
  if (shape.kind === "list" && Array.isArray(value)) return value.map((item) => withTexts(item, shape.of));
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value);
  if (shape.kind === "map") return Object.fromEntries(members.map(([name, held]) => [name, withTexts(held, shape.of)]));
  if (shape.kind !== "struct") return value;
  return Object.fromEntries(
    members.map(([name, held]) => {
      const known = fieldNamed(shape.fields, name);
      const field = known === undefined ? undefined : shape.fields[known];
      return [name, field === undefined || "within" in field ? held : withTexts(held, field)];
    }),
  );
}

function scalarText(value: JsonValue): string | undefined {
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : formatG(value);
  return undefined;
}
