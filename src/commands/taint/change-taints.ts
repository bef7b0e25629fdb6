import { aggregate } from "../../resource/visitor.js";
import { formatTaint, type Taint, type TaintChanges } from "./parse-taints.js";

export interface ChangedTaints {
  readonly taints: readonly Taint[];
  readonly operation: "modified" | "tainted" | "untainted";
}

const isSame = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** The keys of those that are there already; a value of their own does not make them others. */
export const alreadyThere = (held: readonly Taint[], { add }: TaintChanges): readonly string[] =>
  add.flatMap((taint) => held.filter((one) => isSame(one, taint)).map(() => taint.key));

/** New ones come first. Throws when one to be removed is not there. */
export function changeTaints(held: readonly Taint[], { add, remove }: TaintChanges, overwrite: boolean): ChangedTaints {
  let taints = [...add, ...held.filter((one) => !add.some((taint) => isSame(taint, one)))];
  const added = taints.length !== held.length;
  const missing: Error[] = [];
  // As kubectl counts: only the last one tells whether something went.
  let removed = false;
  for (const gone of remove) {
    const left = taints.filter((one) => one.key !== gone.key || (gone.effect !== "" && one.effect !== gone.effect));
    removed = left.length !== taints.length;
    if (!removed) missing.push(new Error(`taint "${formatTaint(gone)}" not found`));
    taints = left;
  }
  if (missing.length > 0) throw aggregate(missing);
  const operation = (added && removed) || overwrite ? "modified" : added ? "tainted" : "untainted";
  return { taints, operation };
}
