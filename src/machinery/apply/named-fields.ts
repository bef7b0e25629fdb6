import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { type FieldSet, type FieldSetDraft, isMember, LEAF, member } from "./field-set.js";
import type { TypeDescriptor } from "./type-descriptor.js";

const NO_TYPE: TypeDescriptor = {};

/** The set with every declared field that leads to a path of it: `a` where it has `a.b`, but not the keys of maps. In steps. */
export function* namedFieldsSteps(set: FieldSet, type: TypeDescriptor = NO_TYPE, pace = new Pace()): Steps<FieldSet> {
  const draft: FieldSetDraft = {};
  for (const element in set) {
    if (element === ".") continue;
    if (pace.isDue()) yield;
    const node = set[element] as FieldSet;
    const name = element[0] === "f" ? element.slice(2) : undefined;
    const declared = name === undefined ? undefined : type.map?.field(name);
    if (node === LEAF) {
      draft[element] = LEAF;
      continue;
    }
    const below = yield* namedFieldsSteps(node, childType(element, type, declared), pace);
    draft[element] = declared !== undefined || isMember(node) ? member(below) : below;
  }
  return draft;
}

function childType(element: string, type: TypeDescriptor, declared: TypeDescriptor | undefined): TypeDescriptor {
  if (element[0] === "f") return declared ?? type.map?.values ?? NO_TYPE;
  return (element[0] === "k" ? type.list?.items : undefined) ?? NO_TYPE;
}
