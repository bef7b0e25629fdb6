import { Pace } from "../../base/time/pace.js";
import { atOnce, type Steps } from "../../base/async/steps.js";
import { type FieldSet, type FieldSetDraft, isEmpty, isMember, LEAF } from "./field-set.js";
import { DEDUCED, firstShape, type TypeDescriptor } from "./type-descriptor.js";

/**
 * Adapts a set that was written while a part of the type was granular that is atomic now: the owner of a part then owns the whole.
 * Returns the set itself when nothing changes.
 */
export function reconcile(set: FieldSet, type: TypeDescriptor): FieldSet {
  return atOnce(reconcileSteps(set, type));
}

/** {@link reconcile} in steps. */
export function* reconcileSteps(set: FieldSet, type: TypeDescriptor): Steps<FieldSet> {
  if (fitting.get(set) === type) return set;
  const fixed = yield* below(set, type, new Pace());
  fitting.set(fixed, type);
  return fixed;
}

/** Sets are looked at for every write of an object, and hardly ever change. */
const fitting = new WeakMap<FieldSet, TypeDescriptor>();

function* below(set: FieldSet, type: TypeDescriptor, pace: Pace): Steps<FieldSet> {
  let draft: FieldSetDraft | undefined;
  for (const element in set) {
    const node = set[element] as FieldSet;
    // A leaf stays one.
    if (node === LEAF || element === ".") continue;
    if (pace.isDue()) yield;
    const child = childType(element, type);
    if (child === undefined) continue;
    const fixed = yield* reconcileNode(node, child, pace);
    if (fixed === node) continue;
    draft ??= { ...set };
    draft[element] = fixed;
  }
  return draft ?? set;
}

function* reconcileNode(node: FieldSet, type: TypeDescriptor, pace: Pace): Steps<FieldSet> {
  const wasLeaf = isMember(node) && isEmpty(node);
  switch (firstShape(type)) {
    case "scalar":
      return node;
    case "list":
      return !wasLeaf && type.list?.associative !== true ? LEAF : yield* below(node, type, pace);
    case "map":
      if (type.map?.values === DEDUCED && type.map.declares !== true) return node;
      return !wasLeaf && type.map?.atomic === true && !isEmpty(node) ? LEAF : yield* below(node, type, pace);
  }
}

function childType(element: string, type: TypeDescriptor): TypeDescriptor | undefined {
  if (type.map !== undefined) {
    return (element[0] === "f" ? type.map.field(element.slice(2)) : undefined) ?? type.map.values;
  }
  return type.list?.items;
}
