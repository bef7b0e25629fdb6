import { own } from "../../base/collections/own.js";
import type { PairChanges } from "../../cli/pairs.js";
import { CHANGE_CAUSE } from "../../kinds/change-cause.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** Throws when a key is to be set and removed. */
export function requireOneChangeEach({ set, remove }: PairChanges): void {
  const both = remove.filter((key) => set.has(key));
  if (both.length === 0) return;
  throw new Error(`can not both modify and remove the following annotation(s) in the same command: ${both.join(", ")}`);
}

/** A copy, always with annotations. Throws when one has another value and must not be overwritten. */
export function changeAnnotations(object: KubeObject, { set, remove }: PairChanges, overwrite: boolean): KubeObject {
  const before = object.metadata?.annotations ?? {};
  if (!overwrite) requireNoOverwrite(before, set);
  const annotations = { ...before, ...Object.fromEntries(set) };
  for (const key of remove) delete annotations[key];
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Why something changed may always be said anew. */
function requireNoOverwrite(before: Readonly<Record<string, string>>, set: ReadonlyMap<string, string>): void {
  const found = [...set].flatMap(([key, value]) => {
    const held = own(before, key);
    if (key === CHANGE_CAUSE || held === undefined || held === value) return [];
    return [`'${key}' already has a value (${held})`];
  });
  if (found.length === 0) return;
  throw new Error(`--overwrite is false but found the following declared annotation(s): ${found.join("; ")}`);
}
