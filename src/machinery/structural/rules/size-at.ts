import type { Range } from "../../cel/estimate/range.js";
import { STRING } from "../../cel/types/type.js";
import type { DeclaredType } from "./declared-type.js";

/**
 * How large what a path leads to can be by its declared type; undefined where the path leads nowhere. What the path begins with is
 * taken for `self`, whatever it is, as in Kubernetes. Source: apiextensions' cel.sizeEstimator.
 */
export function sizeAt(self: DeclaredType, path: readonly string[]): Range | undefined {
  let at: DeclaredType | undefined = self;
  for (const step of path.slice(1)) {
    at = at && stepInto(at, step);
    if (at === undefined) return undefined;
  }
  return { min: 0, max: at.maxElements };
}

/** Kubernetes declares no length of keys, and so takes them for empty. */
const KEY: DeclaredType = { kind: "scalar", type: STRING, maxElements: 0, minSerializedSize: 2 };

function stepInto(declared: DeclaredType, step: string): DeclaredType | undefined {
  if (step === "@items" || step === "@values") {
    if (declared.kind === "list") return declared.element;
    return declared.kind === "map" ? declared.value : undefined;
  }
  if (step === "@keys") return declared.kind === "map" ? KEY : undefined;
  return declared.kind === "object" ? declared.fields.get(step)?.type : undefined;
}
