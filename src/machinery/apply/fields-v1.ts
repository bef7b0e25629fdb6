import type { Steps } from "../../base/async/steps.js";
import { isShared, shareFieldsV1 } from "../wire/json/fields-v1-text.js";
import { isJsonObject, type JsonValue } from "../meta/json.js";
import {
  EMPTY,
  type FieldSet,
  type FieldSetDraft,
  isEmpty,
  isMember,
  LEAF,
  member,
  sorted,
  sortedSteps,
  union,
} from "./field-set.js";
import { parseElement } from "./path-element.js";

/**
 * fieldsV1 as a client sent it, checked and made canonical: steps of unknown kinds are left out, two writings of
 * one step are one. Throws an Error for what is no field set.
 */
export function parseFieldsV1(value: JsonValue | undefined): FieldSet {
  if (value === undefined || value === null) return EMPTY;
  const { children } = parseNode(value);
  return children;
}

function parseNode(value: JsonValue): { children: FieldSet; isMember: boolean } {
  if (value === null) return { children: EMPTY, isMember: true };
  if (!isJsonObject(value)) throw new Error(`expect { or n, but found ${JSON.stringify(value)?.[0] ?? ""}`);
  const draft: FieldSetDraft = {};
  let self = false;
  for (const [key, held] of Object.entries(value)) {
    if (key === ".") {
      self = true;
      continue;
    }
    const element = parseElement(key);
    if (element === undefined) continue;
    const child = parseNode(held);
    const node = child.isMember ? member(child.children) : child.children;
    const known = draft[element];
    draft[element] = known === undefined ? node : uniteTwice(known, node);
  }
  return { children: draft, isMember: self || isEmpty(draft) };
}

/** Two writings of one step. */
function uniteTwice(a: FieldSet, b: FieldSet): FieldSet {
  const children = union(a, b);
  return isMember(a) || isMember(b) ? member(children) : children;
}

/** The set as it goes over the wire: the object whose JSON is what structured-merge-diff writes. */
export function printFieldsV1(set: FieldSet): FieldSet {
  if (isEmpty(set)) return LEAF;
  return isShared(set) ? set : shareFieldsV1(sorted(set));
}

/** {@link printFieldsV1} in steps, for a set so large that no two objects have the same. */
export function* printFieldsV1Steps(set: FieldSet): Steps<FieldSet> {
  return isEmpty(set) ? LEAF : yield* sortedSteps(set);
}
