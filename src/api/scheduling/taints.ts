import type { Taint, Toleration } from "../types/core/v1.js";

/** Whether the toleration lets a pod onto a node in spite of the taint. */
export function tolerates({ key = "", operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}

/** The first taint of one of these effects that no toleration lets pass. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  const counting = taints.filter(({ effect }) => effects.includes(effect));
  return counting.find((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}
