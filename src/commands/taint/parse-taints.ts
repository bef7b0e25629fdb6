import { labelValueErrors, qualifiedNameErrors } from "../../machinery/validation/names.js";
import { aggregate } from "../../resource/visitor.js";

export interface Taint {
  readonly key: string;
  readonly value?: string;
  /** "" only in what is to be removed: every effect. */
  readonly effect: string;
}

export interface TaintChanges {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

const EFFECTS: ReadonlySet<string> = new Set(["NoSchedule", "PreferNoSchedule", "NoExecute"]);

/** Reads `KEY=VALUE:EFFECT`, `KEY:EFFECT`, and to remove `KEY:EFFECT-` and `KEY-`. */
export function parseTaints(specs: readonly string[]): TaintChanges {
  const add: Taint[] = [];
  const remove: Taint[] = [];
  for (const spec of specs) {
    if (spec.endsWith("-")) {
      const { key, effect } = parseTaint(spec.slice(0, -1));
      remove.push({ key, effect });
      continue;
    }
    const taint = parseTaint(spec);
    if (taint.effect === "") throw new Error(`invalid taint spec: ${spec}`);
    if (add.some((other) => other.key === taint.key && other.effect === taint.effect)) {
      const shown = `{${taint.key} ${taint.value ?? ""} ${taint.effect} <nil>}`;
      throw new Error(`duplicated taints with the same key and effect: ${shown}`);
    }
    add.push(taint);
  }
  return { add, remove };
}

function parseTaint(spec: string): Taint {
  const fail = (faults: readonly string[] = []): Error =>
    new Error(`invalid taint spec: ${spec}${faults.length > 0 ? `, ${faults.join("; ")}` : ""}`);
  const [head = "", effect = "", ...more] = spec.split(":");
  if (more.length > 0) throw fail();
  let key = head;
  let value: string | undefined;
  if (spec.includes(":")) {
    if (!EFFECTS.has(effect)) throw new Error(`invalid taint effect: ${effect}, unsupported taint effect`);
    const parts = head.split("=");
    if (parts.length > 2) throw fail();
    [key = "", value] = parts;
    const faults = value === undefined ? [] : labelValueErrors(value);
    if (faults.length > 0) throw fail(faults);
  }
  const faults = qualifiedNameErrors(key);
  if (faults.length > 0) throw fail(faults);
  return { key, effect, ...(value !== undefined && value !== "" && { value }) };
}

/** "dedicated=gpu:NoSchedule", as messages name one. */
function formatTaint({ key, value = "", effect }: Taint): string {
  if (effect === "") return value === "" ? key : `${key}=${value}:`;
  return value === "" ? `${key}:${effect}` : `${key}=${value}:${effect}`;
}

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
