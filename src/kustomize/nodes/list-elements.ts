import { requireKind } from "../fields.js";
import { isEmptyMap, isMissingOrNull, type Node } from "./node.js";

/**
 * Puts an element in the place of those whose members `keys` have `values`, or at the end when there are none; without an element
 * they are removed. An empty value agrees with any, and nulls and empty mappings are dropped on the way.
 */
export function setElement(
  list: Node,
  element: Node | undefined,
  keys: readonly string[],
  values: readonly string[],
): void {
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
