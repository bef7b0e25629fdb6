import { field, requireKind, setField } from "../fields.js";
import { mergeList } from "./merge-lists.js";
import type { MergedList, MergeType, MergeTypes } from "./merge-schema.js";
import { isMissingOrNull, Node, type NodeKind } from "../nodes/node.js";
import { directiveOf } from "./patch-directive.js";

/** What is known of the place in the object that is being merged. */
export interface MergePlace {
  readonly type?: MergeType | undefined;
  readonly list?: MergedList | undefined;
  readonly types: MergeTypes;
}

/**
 * Merges a strategic merge patch into a node, in kyaml's way: `dest` is changed where it stands, and what comes of it is
 * returned, which may be a part of the patch; undefined when it is deleted. The patch is used up.
 */
export function merge(dest: Node | undefined, patch: Node | undefined, place: MergePlace): Node | undefined {
  const type = place.type ?? knownType(dest, place.types) ?? knownType(patch, place.types);
  const kind = [dest, patch].find((node) => !isMissingOrNull(node))?.kind ?? "none";
  if (kind !== "none") for (const node of [dest, patch]) requireKind(node, kind);
  return MERGERS[kind](dest, patch, { ...place, type });
}

const MERGERS: Readonly<
  Record<NodeKind, (dest: Node | undefined, patch: Node | undefined, place: MergePlace) => Node | undefined>
> = {
  none: mergeMap,
  mapping: mergeMap,
  sequence: mergeSequence,
  scalar: (dest, patch) => patch ?? dest,
};

/** An object within another is of the kind that it says it is. */
function knownType(node: Node | undefined, types: MergeTypes): MergeType | undefined {
  if (node?.kind !== "mapping") return undefined;
  const [apiVersion, kind] = [node.get("apiVersion")?.value ?? "", node.get("kind")?.value ?? ""];
  return apiVersion === "" || kind === "" ? undefined : types(apiVersion, kind);
}

/** What is empty is written as what comes into it. */
function takeStyle(dest: Node | undefined, patch: Node | undefined): void {
  const isEmpty = dest !== undefined && dest.kind !== "scalar" && dest.pairs.length + dest.items.length === 0;
  if (isEmpty && patch !== undefined) dest.style = patch.style;
}

function mergeMap(before: Node | undefined, patch: Node | undefined, place: MergePlace): Node | undefined {
  takeStyle(before, patch);
  const dest = destinationOfMap(before, patch);
  if (dest === undefined) return undefined;
  const sources = dest === patch ? [patch] : [dest, patch];
  const names = new Set(
    sources.flatMap((node) => (node?.kind === "mapping" ? node.pairs : []).map(([key]) => key.value)),
  );
  for (const name of [...names].toSorted()) {
    const value = merge(memberOf(dest, name), memberOf(patch, name), {
      types: place.types,
      type: place.type?.member(name),
      list: place.type?.list(name),
    });
    setField(dest, name, value);
  }
  return dest;
}

const memberOf = (node: Node | undefined, name: string): Node | undefined =>
  node?.kind === "mapping" ? field(node, name) : undefined;

function destinationOfMap(dest: Node | undefined, patch: Node | undefined): Node | undefined {
  if (dest === undefined || isMissingOrNull(dest)) {
    if (patch?.kind === "mapping" && unlessUnknown(patch) === "delete") return undefined;
    if (patch === undefined && dest !== undefined && dest.value !== "") return keptNull(dest.value);
    return patch;
  }
  if (patch?.tag === "!!null") return undefined;
  const directive = patch === undefined ? "merge" : directiveOf(patch);
  if (directive === "delete") return undefined;
  return directive === "replace" ? patch : dest;
}

function unlessUnknown(patch: Node): string {
  try {
    return directiveOf(patch);
  } catch {
    return "merge";
  }
}

function keptNull(text: string): Node {
  const node = new Node("scalar", "!!null", text);
  node.kept = true;
  return node;
}

function mergeSequence(before: Node | undefined, patch: Node | undefined, place: MergePlace): Node | undefined {
  const { list } = place;
  takeStyle(before, patch);
  if (list === undefined) return patch ?? before;
  const dest = destinationOfList(before, patch);
  if (dest === undefined) return undefined;
  const inElement: MergePlace = { types: place.types, type: list.elements };
  return mergeList(dest, patch, list, (one, other) => merge(one, other, inElement));
}

function destinationOfList(dest: Node | undefined, patch: Node | undefined): Node | undefined {
  if (dest === undefined || isMissingOrNull(dest)) return patch;
  if (patch?.tag === "!!null") return undefined;
  const directive = patch === undefined ? "merge" : directiveOf(patch);
  if (directive === "delete") return undefined;
  return directive === "replace" ? patch : dest;
}
