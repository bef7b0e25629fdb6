import type { Taint, Toleration } from "../../api/types/core/v1.js";

export function tolerates({ key = "", operator, value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (!operator || operator === "Equal") && value === (taint.value ?? "");
}

/** The first taint that keeps pods away and that none of the tolerations tolerates. */
export function untoleratedTaint(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
): Taint | undefined {
  for (const taint of taints) {
    if (taint.effect !== "NoSchedule" && taint.effect !== "NoExecute") continue;
    if (!isTolerated(taint, tolerations)) return taint;
  }
  return undefined;
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[] | undefined): boolean {
  return tolerations?.some((toleration) => tolerates(toleration, taint)) === true;
}
