import { type MappingNode, readNodes, type ScalarNode, type YamlNode } from "../../machinery/text/yaml/nodes.js";
import { GOYAML3_LOOKAHEAD } from "../../machinery/text/yaml/yaml11/parser.js";
import { YamlError } from "../../machinery/text/yaml/yaml-error.js";
import { setEntry } from "../fields.js";
import { Node } from "./node.js";
import { resolve } from "./scalar.js";

/** A text that is no YAML. */
export class MalformedYaml extends Error {}

/** The first document of a text; undefined when there is none. Aliases are copies, merge keys are merged. Throws in goyaml v3's words. */
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
