import type { Comparison } from "./compare.js";
import { EMPTY, type FieldSet, type FieldSetDraft, isEmpty, isMember, LEAF, recursiveDifference } from "./field-set.js";
import { fieldElement, type PathElement } from "./path-element.js";

/** Returns the part of a set that a manager may own. */
export type FieldFilter = (set: FieldSet) => FieldSet;

/** Makes a filter that removes these paths ("spec", "metadata.labels") and all paths below them. */
export function excluding(...paths: readonly string[]): FieldFilter {
  const excluded = treeOf(paths);
  return (set) => recursiveDifference(set, excluded);
}

/**
 * Makes a filter that keeps these paths, the paths below them and the elements that lead to them; "*" matches any element
 * ("spec.containers.*.image").
 */
export function including(...paths: readonly string[]): FieldFilter {
  const pattern = treeOf(paths);
  return (set) => keep(set, pattern);
}

/** Applies the filter to each of the three sets. */
export const filtered = ({ removed, modified, added }: Comparison, filter: FieldFilter): Comparison => ({
  removed: filter(removed),
  modified: filter(modified),
  added: filter(added),
});

const ANY = fieldElement("*");

/** A set whose leaves are the paths' ends. */
function treeOf(paths: readonly string[]): FieldSet {
  const tree: { [element: PathElement]: FieldSet } = {};
  for (const path of paths) {
    let node: FieldSetDraft = tree;
    for (const name of path.split(".")) node = node[fieldElement(name)] ??= {};
  }
  return tree;
}

function keep(set: FieldSet, pattern: FieldSet): FieldSet {
  const draft: FieldSetDraft = {};
  for (const element in set) {
    const within = pattern[element] ?? pattern[ANY];
    const node = set[element] as FieldSet;
    if (within === undefined || element === SELF) continue;
    if (isEmpty(within)) {
      draft[element] = node;
      continue;
    }
    const below = keep(node, within);
    if (!isEmpty(below)) draft[element] = isMember(node) ? { [SELF]: LEAF, ...below } : below;
    else if (isMember(node)) draft[element] = LEAF;
  }
  return isEmpty(draft) ? EMPTY : draft;
}

/** In a node: the step that leads to it is itself in the set. */
const SELF = ".";
