import { type FieldSet, type FieldSetDraft, isMember, member } from "./field-set.js";
import type { TypeDescriptor } from "./type-descriptor.js";

const NO_TYPE: TypeDescriptor = {};

/** The set with every declared field that leads to a path of it: `a` where it has `a.b`, but not the keys of maps. */
export function withNamedFields(set: FieldSet, type: TypeDescriptor = NO_TYPE): FieldSet {
  const draft: FieldSetDraft = {};
  for (const element in set) {
    if (element === ".") continue;
    const node = set[element] as FieldSet;
    const name = element[0] === "f" ? element.slice(2) : undefined;
    const declared = name === undefined ? undefined : type.map?.field(name);
    const child = childType(element, type, declared);
    const below = withNamedFields(node, child);
    draft[element] = declared !== undefined || isMember(node) ? member(below) : below;
  }
  return draft;
}

function childType(element: string, type: TypeDescriptor, declared: TypeDescriptor | undefined): TypeDescriptor {
  if (element[0] === "f") return declared ?? type.map?.values ?? NO_TYPE;
  return (element[0] === "k" ? type.list?.items : undefined) ?? NO_TYPE;
}
