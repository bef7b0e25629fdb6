import { elementOf, field, setField, setScalar } from "../fields.js";
import { setElement } from "../nodes/list-elements.js";
import type { MergedList } from "./merge-schema.js";
import { isEmptyMap, isMissingOrNull, isNilOrEmpty, Node, scalarNode } from "../nodes/node.js";

/**
 * Merges two lists element by element; what comes of an element is said by `mergeElement`. Elements of the patch come first; kyaml's treatment of lists with two keys, of which
 * elements may lack one, is kept with its oddities.
 */
export function mergeList(
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
