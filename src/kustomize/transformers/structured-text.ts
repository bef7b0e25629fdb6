import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { lookup } from "../fields.js";
import type { Node, NodeKind } from "../nodes/node.js";
import { nodeText } from "../nodes/node-text.js";
import { matchPath } from "../path-matcher.js";
import { parseNode } from "../nodes/read-nodes.js";
import { toValue } from "../value.js";

/**
 * Where a path goes on into a text that is itself YAML or JSON, the value is set in there and the text written anew. False when
 * the path leads into no such text or nowhere in it; then nothing has changed.
 */
export function setInStructuredText(
  object: Node | undefined,
  path: readonly string[],
  value: Node,
  create: NodeKind | undefined,
): boolean {
  const found = structuredText(object, path);
  if (found === undefined) return false;
  const { holder, document, rest } = found;
  const fields = attempt(() => matchPath(document, rest, create));
  if (fields === undefined || fields.length === 0) return false;
  const text = holder.value;
  if (text.trim() === "") return false;
  for (const field of fields) {
    if (field.kind === "scalar") field.value = value.value;
    else field.become(value);
  }
  holder.value = /^\s*[{[]/.test(text) ? asJson(document, text) : nodeText(document).trim();
  return true;
}

interface StructuredText {
  readonly holder: Node;
  readonly document: Node;
  readonly rest: readonly string[];
}

function structuredText(object: Node | undefined, path: readonly string[]): StructuredText | undefined {
  for (let length = 1; length < path.length; length++) {
    const holder = attempt(() => lookup(object, path.slice(0, length)));
    if (holder?.kind !== "scalar") continue;
    const document = attempt(() => parseNode(holder.value));
    if (document !== undefined) return { holder, document, rest: path.slice(length) };
  }
  return undefined;
}

/** On several lines when it was. */
function asJson(document: Node, text: string): string {
  const value = toValue(document);
  const indent = text.includes("\n") && text.includes("  ") ? 2 : 0;
  return encodeJson(value, { sortKeys: true, indent });
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
