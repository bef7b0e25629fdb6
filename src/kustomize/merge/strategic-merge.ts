import { field, requireKind, setField, elementOf, setScalar } from "../fields.js";
import type { MergedList, MergeType, MergeTypes } from "./merge-schema.js";
import { isMissingOrNull, Node, type NodeKind, isEmptyMap, isNilOrEmpty, scalarNode } from "../nodes/node.js";
import { nodeText } from "../nodes/node-text.js";

/** The type information about the place in the object that is being merged. */
export interface MergePlace {
  readonly type?: MergeType | undefined;
  readonly list?: MergedList | undefined;
  readonly types: MergeTypes;
}

/**
 * Merges a strategic merge patch into a node as kyaml does: `dest` is changed in place, and the result is returned, which may be a
 * part of the patch; undefined when it is deleted. The patch must not be used afterwards.
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

/**
 * Merges two lists element by element; what comes of an element is said by `mergeElement`. Elements of the patch come first; kyaml's treatment of lists with two keys, of which
 * elements may lack one, is kept with its oddities.
 */
function mergeList(
  dest: Node,
  patch: Node | undefined,
  { keys }: Pick<MergedList, "keys">,
  mergeElement: (before: Node | undefined, after: Node | undefined) => Node | undefined,
): Node | undefined {
  const sources = [dest, patch];
  const inOrder = [patch, dest];
  const byValue = keys.length === 0;
  let identities = byValue ? valuesIn(inOrder) : membersIn(inOrder, keys);
  const allKeys = byValue ? [""] : keys;
  if (allKeys.length > 1) identities = completed(identities);
  const added = new Node("sequence");
  let used: Identity = { keys: [], values: [] };
  for (const identity of identities) {
    used = usable(identities, identity, allKeys);
    const one = usable([used.values], used.values, used.keys);
    const [before, after] = sources.map((source) => (source === undefined ? undefined : find(source, one)));
    const value = mergeElement(before, after);
    if (isMissingOrNull(value) || isEmptyMap(value)) setElement(dest, undefined, used.keys, used.values);
    else if (value !== undefined) {
      restoreKeys(value, used);
      setElement(added, value, used.keys, used.values);
    }
  }
  const merged = identities.length > 0 ? append(added, dest, used.keys) : dest;
  return isMissingOrNull(merged) ? undefined : merged;
}

interface Identity {
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

function find(list: Node, { keys, values }: Identity): Node | undefined {
  if (list.kind !== "sequence") return undefined;
  if ((keys[0] ?? "") === "") return list.items.find((item) => item.value === (values[0] ?? ""));
  return keys.length === values.length ? elementOf(list, keys, values) : undefined;
}

/** A member that the merge took away is what the element is known by, so it is put back. */
function restoreKeys(element: Node, { keys, values }: Identity): void {
  for (const [index, key] of keys.entries()) {
    const value = values[index] ?? "";
    if (value === "" || (element.kind === "mapping" && element.get(key) !== undefined)) continue;
    if (key === "") setScalar(element, scalarNode(value));
    else setField(element, key, scalarNode(value));
  }
}

function membersIn(lists: readonly (Node | undefined)[], keys: readonly string[]): readonly (readonly string[])[] {
  const found = lists.flatMap((list) =>
    (list?.kind === "sequence" ? list.items : []).map((item) => members(item, keys)),
  );
  const seen = new Set<string>();
  return found.filter((values) => {
    const id = JSON.stringify(values);
    return !seen.has(id) && seen.add(id) !== undefined;
  });
}

const members = (item: Node, keys: readonly string[]): readonly string[] =>
  keys.map((key) => {
    const member = item.kind === "mapping" ? item.get(key) : undefined;
    return member === undefined || isNilOrEmpty(member) ? "" : member.value;
  });

function valuesIn(lists: readonly (Node | undefined)[]): readonly (readonly string[])[] {
  const values = lists.flatMap((list) => (list?.items ?? []).map(({ value }) => value));
  return [...new Set(values)].map((value) => [value]);
}

/** Two that agree in one key, and of which one lacks the other, are one. */
function completed(identities: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const result = [...identities];
  for (const i of result.keys()) {
    const mine = result[i] ?? [];
    for (const j of result.keys()) {
      const both = agreed(mine, result[j] ?? []);
      if (both === undefined) continue;
      result[i] = both;
      result[j] = both;
    }
  }
  return result;
}

function agreed(a: readonly string[], b: readonly string[]): readonly string[] | undefined {
  const compatible = a.every((value, index) => value === b[index] || value === "" || b[index] === "");
  if (!compatible || !a.some((value, index) => value === b[index])) return undefined;
  return a.map((value, index) => (value === "" ? (b[index] ?? "") : value));
}

/** Only keys that some element has; all when none has any. */
function usable(
  identities: readonly (readonly string[])[],
  values: readonly string[],
  keys: readonly string[],
): Identity {
  const valid = new Set(
    identities.flatMap((identity) => identity.flatMap((value, index) => (value === "" ? [] : [keys[index] ?? ""]))),
  );
  if (valid.size === 0) return { keys, values };
  return {
    keys: keys.filter((key) => valid.has(key)),
    values: values.filter((value, index) => value !== "" || valid.has(keys[index] ?? "")),
  };
}

/** The elements of `from` behind those of `list`; one of the same identity takes the other's place. */
function append(list: Node, from: Node, keys: readonly string[]): Node {
  for (const item of from.items) {
    if (keys[0] === "") {
      setElement(list, item, [""], [item.value]);
      continue;
    }
    const values: string[] = [];
    for (const key of keys) {
      const value = field(item, key);
      if (value === undefined) list.items.push(item);
      else values.push(value.value);
    }
    if (keys.length > 1) setElement(list, undefined, keys, values);
    setElement(list, item, keys, values);
  }
  return list;
}

const DIRECTIVE = "$patch";

export type PatchDirective = "merge" | "replace" | "delete";

/** What `$patch` says of a mapping, or an element of a list that holds nothing else. It is taken out. */
function directiveOf(patch: Node): PatchDirective {
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

/**
 * Puts an element in the place of those whose members `keys` have `values`, or at the end when there are none; without an element
 * they are removed. An empty value agrees with any, and nulls and empty mappings are dropped on the way.
 */
function setElement(list: Node, element: Node | undefined, keys: readonly string[], values: readonly string[]): void {
  requireKind(list, "sequence");
  const byMember = (keys[0] ?? "") !== "" && (values[0] ?? "") !== "";
  const kept: Node[] = [];
  let found = false;
  for (const item of list.items) {
    if (isMissingOrNull(item) || isEmptyMap(item)) continue;
    if (item.kind !== "mapping" && byMember) {
      kept.push(item);
    } else if (!agrees(item, keys, values)) {
      if (values.length > 0) kept.push(item);
    } else {
      found = true;
      if (element !== undefined) kept.push(element);
    }
  }
  list.items = kept;
  if (element !== undefined && !isMissingOrNull(element) && !found) list.items.push(element);
}

function agrees(item: Node, keys: readonly string[], values: readonly string[]): boolean {
  let matched = false;
  for (const [index, key] of keys.entries()) {
    const value = values[index];
    if (value !== undefined) matched = hasValue(item, key, value);
    if (!matched) return false;
  }
  return matched;
}

function hasValue(item: Node, key: string, value: string): boolean {
  if (key === "") {
    requireKind(item, "scalar");
    return item.value === value;
  }
  requireKind(item, "mapping");
  const member = item.get(key);
  return member !== undefined && (value === "" || member.value === value);
}
