import type { Taint, Toleration } from "../types/core/v1.js";

/** Whether the toleration tolerates the taint. An empty field counts as absent. */
export function tolerates({ key = "", operator, value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return (!operator || operator === "Equal") && value === (taint.value ?? "");
}

export function isTolerated(taint: Taint, tolerations: readonly Toleration[] | undefined): boolean {
  return tolerations?.some((toleration) => tolerates(toleration, taint)) === true;
}

/** Returns the first taint with one of these effects that the tolerations do not tolerate. Default: the effects that keep pods off a node. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[] = ["NoSchedule", "NoExecute"],
): Taint | undefined {
  return taints.find((taint) => effects.includes(taint.effect) && !isTolerated(taint, tolerations));
}
