import { isJsonObject } from "../machinery/meta/json.js";
import { goV } from "../machinery/text/go/go-values.js";
import { goTypeName } from "../machinery/text/go/go-values.js";
import { MalformedYaml, parseNode } from "./nodes/read-nodes.js";
import { isNilOrEmpty, type Node } from "./nodes/node.js";
import { Resource } from "./resource.js";
import { fromValue, toValue } from "./value.js";

/** Reads the objects of a stream of YAML documents, and splits lists. Throws kustomize's error for a stream that contains anything else. */
export function readResources(text: string): Resource[] {
  const nodes = checked(documents(text));
  return expandLists(nodes).map((node) => new Resource(node));
}

function documents(text: string): Node[] {
  const parts = splitDocuments(text.replaceAll("\r\n", "\n"));
  const found: Node[] = [];
  for (const part of parts) {
    const node = malformed(() => parseNode(part));
    if (node === undefined || node.tag === "!!null") continue;
    const kind = node.get("kind")?.value ?? "";
    const items = node.get("items");
    const isList = kind === "List" || kind === "ResourceList";
    if (parts.length === 1 && isList && (items !== undefined || node.get("functionConfig") !== undefined)) {
      found.push(...(items?.items ?? []));
    } else found.push(node);
  }
  return found;
}

function malformed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedYaml)) throw error;
    throw new Error(`MalformedYAMLError: ${error.message}`, { cause: error });
  }
}

/** At lines that begin with `---`; behind it only a comment may stand. */
function splitDocuments(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(/\n---.*\n/g)) {
    const rest = match[0].slice(4).trim();
    if (rest !== "" && !rest.startsWith("#")) throw new Error(`invalid document separator: ${match[0].trim()}`);
    parts.push(`${text.slice(from, match.index)}\n`);
    from = match.index + match[0].length;
  }
  if (text !== "") parts.push(text.slice(from));
  return parts;
}

/** What has neither kind nor name is refused; empty documents are left out. */
function checked(nodes: readonly Node[]): Node[] {
  return nodes.filter((node) => {
    if (isNilOrEmpty(node)) return false;
    requireMetadata(node);
    return true;
  });
}

/** Throws for an object without kind or name, which only a list may lack. */
export function requireMetadata(node: Node): void {
  const text = (holder: Node | undefined, name: string): string => {
    const value = holder?.get(name);
    return value === undefined || isNilOrEmpty(value) ? "" : value.value;
  };
  const [apiVersion, kind] = [text(node, "apiVersion"), text(node, "kind")];
  const metadata = node.get("metadata");
  const [name, namespace] = [text(metadata, "name"), text(metadata, "namespace")];
  const maps = [mapOf(metadata?.get("labels")), mapOf(metadata?.get("annotations"))];
  if ([apiVersion, kind, name, namespace].every((part) => part === "") && maps.every((map) => map === undefined)) {
    throw new Error("missing Resource metadata");
  }
  const shown = `{{${apiVersion} ${kind}} {{${name} ${namespace}} ${maps.map((map) => goV(map ?? {})).join(" ")}}}`;
  if (kind === "") throw new Error(`missing kind in object ${shown}`);
  if (!kind.endsWith("List") && name === "") throw new Error(`missing metadata.name in object ${shown}`);
}

function mapOf(node: Node | undefined): Record<string, string> | undefined {
  if (isNilOrEmpty(node)) return undefined;
  return Object.fromEntries((node?.pairs ?? []).map(([key, value]) => [key.value, value.value]));
}

function expandLists(nodes: readonly Node[]): Node[] {
  const waiting = [...nodes];
  const found: Node[] = [];
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    const kind = node.get("kind")?.value ?? "";
    const value = kind.endsWith("List") ? toValue(node) : undefined;
    if (!isJsonObject(value) || !Object.hasOwn(value, "items")) {
      found.push(node);
      continue;
    }
    const { items } = value;
    if (items === null || items === undefined) continue;
    if (!Array.isArray(items)) throw new Error(`expected array in ${kind}/items, but found ${goTypeName(items)}`);
    waiting.push(...checked(items.map(fromValue)));
  }
  return found;
}
