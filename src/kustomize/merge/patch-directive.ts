import { setElement } from "../nodes/list-elements.js";
import type { Node } from "../nodes/node.js";
import { nodeText } from "../nodes/node-text.js";

const DIRECTIVE = "$patch";

export type PatchDirective = "merge" | "replace" | "delete";

/** What `$patch` says of a mapping, or an element of a list that holds nothing else. It is taken out. */
export function directiveOf(patch: Node): PatchDirective {
  switch (patch.kind) {
    case "sequence":
      return ofList(patch);
    case "mapping":
      return ofMapping(patch);
    case "scalar":
    case "none":
      throw new Error(`no implemented strategic merge patch strategy for '${patch.tag}' ('${nodeText(patch)}')`);
  }
}

function ofMapping(patch: Node): PatchDirective {
  const value = patch.get(DIRECTIVE);
  if (value === undefined) return "merge";
  const directive = known(value.value);
  patch.remove(DIRECTIVE);
  return directive;
}

function ofList(patch: Node): PatchDirective {
  const element = patch.items.find((item) => item.kind === "mapping" && item.get(DIRECTIVE) !== undefined);
  const value = element?.get(DIRECTIVE);
  if (element === undefined || value === undefined || element.pairs.length > 1) return "merge";
  const directive = known(value.value);
  setElement(patch, undefined, [DIRECTIVE], [value.value]);
  return directive;
}

function known(text: string): PatchDirective {
  if (text === "merge" || text === "replace" || text === "delete") return text;
  throw new Error(`unknown patch strategy '${text}'`);
}
