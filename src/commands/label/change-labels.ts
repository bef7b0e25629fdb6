import { own } from "../../base/collections/own.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { labelValueErrors } from "../../machinery/validation/names.js";
import { aggregate } from "../../resource/visitor.js";

export interface LabelChanges {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** Reads `KEY=VALUE` and `KEY-`. */
export function parseLabels(pairs: readonly string[]): LabelChanges {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const pair of pairs) {
    if (pair.includes("=")) {
      const [key = "", value = "", ...more] = pair.split("=");
      if (more.length > 0) throw new Error(`invalid label spec: ${pair}`);
      const faults = labelValueErrors(value);
      if (faults.length > 0) throw new Error(`invalid label value: ${goQuote(pair)}: ${faults.join(";")}`);
      set.set(key, value);
    } else if (pair.endsWith("-")) {
      remove.push(pair.slice(0, -1));
    } else {
      throw new Error(`unknown label spec: ${pair}`);
    }
  }
  if (remove.some((key) => set.has(key))) {
    throw new Error("can not both modify and remove a label in the same command");
  }
  return { set, remove };
}

export interface ChangedLabels {
  /** A copy; always with labels, if only with none. */
  readonly object: KubeObject;
  /** What to call that; "not labeled" when nothing changed. */
  readonly operation: "not labeled" | "labeled" | "unlabeled" | "modified";
}

/** Throws when a label has another value and must not be overwritten. */
export function changeLabels(object: KubeObject, { set, remove }: LabelChanges, overwrite: boolean): ChangedLabels {
  const before = object.metadata?.labels ?? {};
  if (!overwrite) requireNoOverwrite(before, set);
  const added = [...set].some(([key, value]) => own(before, key) !== value);
  const removed = remove.some((key) => Object.hasOwn(before, key));
  const labels = { ...before, ...Object.fromEntries(set) };
  for (const key of remove) delete labels[key];
  const operation = added && removed ? "modified" : added ? "labeled" : removed ? "unlabeled" : "not labeled";
  return { object: { ...object, metadata: { ...object.metadata, labels } }, operation };
}

function requireNoOverwrite(before: Readonly<Record<string, string>>, set: ReadonlyMap<string, string>): void {
  const failures: Error[] = [];
  for (const [key, value] of set) {
    const held = own(before, key);
    if (held === undefined || held === value) continue;
    failures.push(new Error(`'${key}' already has a value (${held}), and --overwrite is false`));
  }
  if (failures.length > 0) throw aggregate(failures);
}
