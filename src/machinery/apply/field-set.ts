import { sortKeysSteps, sortSteps } from "../../base/async/sort-steps.js";
import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { noteFields } from "../meta/holds-many.js";
import { compareElements, compareRanked, type PathElement, type RankedElement, rankElement } from "./path-element.js";

/**
 * A set of paths in the form of fieldsV1's JSON: an object of path elements. An element with an empty object is a member; an
 * element with further elements is a member if it contains ".". The JSON of a client or of storage is therefore a set without
 * parsing; operations read only the parts that they need, and share parts that they do not change. Sets are never changed in
 * place.
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set of fields that is still being built, and that nothing else refers to. */
export interface FieldSetDraft {
  [element: PathElement]: FieldSet;
}

const SELF = ".";

/** The empty set. As the value of a path element, it means that the element is a member of the set, and no path below it. */
export const LEAF: FieldSet = Object.freeze({});

export const EMPTY: FieldSet = LEAF;

/** Returns whether the set has no paths. */
export function isEmpty(set: FieldSet): boolean {
  if (set === LEAF || wide.has(set)) return set === LEAF;
  for (const element in set) if (element !== SELF) return false;
  return true;
}

/** Whether the path element that leads to this node is itself a member. */
export function isMember(node: FieldSet): boolean {
  return node === LEAF || node[SELF] !== undefined || hasNoSteps(node);
}

/** To begin a list of the steps of a wide set takes as long as to end it. */
const wide = new WeakSet<FieldSet>();
/** Steps that are listed within a microsecond or two. */
const MANY_STEPS = 64;

/** Records the number of steps of a new set. */
export function noteSteps(set: FieldSet, count: number): void {
  if (count <= MANY_STEPS) return;
  wide.add(set);
  noteFields(set, count);
}

/** Wide sets whose steps are in the order of the wire, at any depth. */
const ordered = new WeakSet<FieldSet>();

/** Records that the steps of a set, and of all nodes in it, are sorted as they are sent. */
export function noteOrder(set: FieldSet): void {
  if (wide.has(set)) ordered.add(set);
}

export const isOrdered = (node: FieldSet): boolean => node === LEAF || ordered.has(node);

function hasNoSteps(node: FieldSet): boolean {
  if (wide.has(node)) return false;
  for (const _ in node) return false;
  return true;
}

/** Returns the node of a step that is a member and has `below` under it. */
export function member(below: FieldSet | undefined): FieldSet {
  if (below === undefined || below === LEAF || isEmpty(below)) return LEAF;
  return below[SELF] === undefined ? { [SELF]: LEAF, ...below } : below;
}

/** Makes the set of the given paths. */
export function fieldSet(...paths: readonly (readonly PathElement[])[]): FieldSet {
  let set = EMPTY;
  for (const path of paths) {
    const single = path.toReversed().reduce<FieldSet>((below, element) => ({ [element]: below }), LEAF);
    set = union(set, single);
  }
  return set;
}

/** Returns the paths below an element, as a set of its own. */
export function below(set: FieldSet, element: PathElement): FieldSet {
  return set[element] ?? EMPTY;
}

/** Returns whether the path is in the set. The empty path, which means the whole object, is in no set. */
export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = path.length === 0 ? undefined : set;
  for (const element of path) node = node?.[element];
  return node !== undefined && isMember(node);
}

/** Returns the union. Returns `a` or `b` itself if it contains the other. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a) || covers(b, a)) return b;
  if (covers(a, b)) return a;
  return uniteBelow({}, a, b);
}

/** Whether all that is below `b` is below `a` too. */
function covers(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  for (const element in b) {
    if (element === SELF) continue;
    const [left, right] = [a[element], b[element] as FieldSet];
    if (left === undefined || (isMember(right) && !isMember(left)) || !covers(left, right)) return false;
  }
  return true;
}

/** Returns whether `a` contains every path of `b`. In steps. */
export function* coversSteps(a: FieldSet, b: FieldSet, pace = new Pace()): Steps<boolean> {
  if (a === b) return true;
  for (const element in b) {
    if (element === SELF) continue;
    if (pace.isDue()) yield;
    const [left, right] = [a[element], b[element] as FieldSet];
    if (left === right) continue;
    if (left === undefined || (isMember(right) && !isMember(left))) return false;
    if (right !== LEAF && !(yield* coversSteps(left, right, pace))) return false;
  }
  return true;
}

function uniteBelow(draft: FieldSetDraft, a: FieldSet, b: FieldSet): FieldSet {
  for (const element in a) {
    if (element === SELF) continue;
    const [left, right] = [a[element] as FieldSet, b[element]];
    draft[element] = right === undefined ? left : uniteNodes(left, right);
  }
  for (const element in b) {
    if (element !== SELF && draft[element] === undefined) draft[element] = b[element] as FieldSet;
  }
  return draft;
}

function uniteNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (!isMember(a) && !isMember(b)) return uniteBelow({}, a, b);
  if (isEmpty(a) && isEmpty(b)) return LEAF;
  return uniteBelow({ [SELF]: LEAF }, a, b);
}

/** Returns the intersection. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const draft: FieldSetDraft = {};
  for (const element in b) {
    const left = element === SELF ? undefined : a[element];
    if (left === undefined) continue;
    const right = b[element] as FieldSet;
    const children = intersection(left, right);
    if (isMember(left) && isMember(right)) draft[element] = member(children);
    else if (!isEmpty(children)) draft[element] = children;
  }
  return draft;
}

/** Returns the paths of `a` that are not in `b`. Removing a path keeps the paths below it. Returns `a` itself when nothing is removed. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** As {@link difference}, but removing a path also removes all paths below it. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, deep: boolean): FieldSet {
  let changed: Map<PathElement, FieldSet | undefined> | undefined;
  for (const element in b) {
    const left = element === SELF ? undefined : a[element];
    if (left === undefined) continue;
    const rest = subtractNode(left, b[element] as FieldSet, deep);
    if (rest !== left) (changed ??= new Map()).set(element, rest);
  }
  return changed === undefined ? a : replaceNodes(a, changed);
}

/** undefined takes a step out. */
function replaceNodes(set: FieldSet, changed: ReadonlyMap<PathElement, FieldSet | undefined>): FieldSet {
  const draft: FieldSetDraft = {};
  let count = 0;
  for (const element in set) {
    const node = changed.has(element) ? changed.get(element) : set[element];
    if (node === undefined) continue;
    draft[element] = node;
    count += 1;
  }
  noteSteps(draft, count);
  if (ordered.has(set) && [...changed.values()].every((node) => node === undefined || isOrdered(node))) {
    noteOrder(draft);
  }
  return draft;
}

/** undefined when nothing is left. */
function subtractNode(a: FieldSet, b: FieldSet, deep: boolean): FieldSet | undefined {
  const taken = isMember(b);
  if (taken && deep) return undefined;
  const stays = isMember(a) && !taken;
  const children = subtract(a, b, deep);
  if (stays) return children === a ? a : member(children);
  if (isEmpty(children)) return undefined;
  if (children[SELF] === undefined) return children;
  const { [SELF]: _, ...rest } = children;
  return rest;
}

/** Yields every path of a {@link sorted} set in its order: at each level its own members first, then the paths below. */
export function* paths(set: FieldSet, prefix: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  const elements = Object.keys(set).filter((element) => element !== SELF);
  for (const element of elements) if (isMember(set[element] as FieldSet)) yield [...prefix, element];
  for (const element of elements) yield* paths(set[element] as FieldSet, [...prefix, element]);
}

export function equal(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let count = 0;
  for (const element in a) {
    const other = b[element];
    if (other === undefined || !equal(a[element] as FieldSet, other)) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/** Returns the set with its steps in the order of the wire, "." first; the set itself if it has that order. */
export function sorted(set: FieldSet): FieldSet {
  return isSorted(set) ? set : sort(set);
}

/** {@link sorted} in steps. */
export function* sortedSteps(set: FieldSet, pace = new Pace()): Steps<FieldSet> {
  if (set === LEAF || ordered.has(set)) return set;
  const result = yield* sortSetSteps(set, pace);
  noteOrder(result);
  return result;
}

function* sortSetSteps(set: FieldSet, pace: Pace): Steps<FieldSet> {
  const elements = Object.keys(set);
  const [first] = elements;
  const steps = first === SELF ? elements.slice(1) : elements;
  if (steps.every(isField)) {
    const inOrder = yield* sortKeysSteps(steps);
    return yield* withSortedSteps(set, first === SELF ? [SELF, ...inOrder] : inOrder, inOrder === steps, pace);
  }
  const ranked: RankedElement[] = [];
  const children = new Map<PathElement, FieldSet>();
  let inOrder = true;
  let hasSelf = false;
  for (const element of elements) {
    if (pace.isDue()) yield;
    if (element === SELF) {
      inOrder &&= ranked.length === 0;
      hasSelf = true;
      continue;
    }
    const next = rankElement(element);
    const previous = ranked.at(-1);
    inOrder &&= previous === undefined || compareRanked(previous, next) <= 0;
    ranked.push(next);
    const node = set[element] as FieldSet;
    if (node === LEAF) continue;
    const child = yield* sortedSteps(node, pace);
    if (child !== node) children.set(element, child);
  }
  if (inOrder && children.size === 0) return set;
  const draft: FieldSetDraft = hasSelf ? { [SELF]: LEAF } : {};
  for (const { element } of inOrder ? ranked : yield* sortSteps(ranked, compareRanked)) {
    if (pace.isDue()) yield;
    draft[element] = children.get(element) ?? (set[element] as FieldSet);
  }
  return draft;
}

const isField = (element: PathElement): boolean => element.charCodeAt(0) === FIELD_KIND;
const FIELD_KIND = 0x66;

/** The set with its steps in this order, and theirs sorted. */
function* withSortedSteps(
  set: FieldSet,
  elements: readonly PathElement[],
  inOrder: boolean,
  pace: Pace,
): Steps<FieldSet> {
  let draft: FieldSetDraft | undefined = inOrder ? undefined : {};
  for (const [index, element] of elements.entries()) {
    if (pace.isDue()) yield;
    const node = set[element] as FieldSet;
    const child = node === LEAF ? node : yield* sortedSteps(node, pace);
    if (draft === undefined && child !== node) {
      draft = {};
      for (const before of elements.slice(0, index)) draft[before] = set[before] as FieldSet;
    }
    if (draft !== undefined) draft[element] = child;
  }
  if (draft !== undefined) noteSteps(draft, elements.length);
  return draft ?? set;
}

function isSorted(set: FieldSet): boolean {
  let previous = SELF;
  for (const element in set) {
    if (previous !== SELF && (element === SELF || compareElements(previous, element) > 0)) return false;
    if (!isSorted(set[element] as FieldSet)) return false;
    previous = element;
  }
  return true;
}

function sort(set: FieldSet): FieldSet {
  const draft: FieldSetDraft = set[SELF] === undefined ? {} : { [SELF]: LEAF };
  for (const element of sortedElements(set)) draft[element] = sorted(set[element] as FieldSet);
  return draft;
}

function sortedElements(set: FieldSet): PathElement[] {
  return Object.keys(set)
    .filter((element) => element !== SELF)
    .sort(compareElements);
}
