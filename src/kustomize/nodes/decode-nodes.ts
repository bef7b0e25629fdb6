import { readYaml11 } from "../../machinery/text/yaml/yaml11/parser.js";
import type { YamlNode } from "../../machinery/text/yaml/nodes.js";
import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import type { Shape } from "../go-struct.js";
import { resolve } from "./scalar.js";

/**
 * Reads YAML into a Go type as goyaml v3 does: names in exactly their letters, unknown ones passed over, any scalar where text
 * belongs. `T` is what the shape describes, every member optional. Throws all that is wrong, with its lines.
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
