import type { Toleration } from "../../../../api/types/core/v1.js";
import { sameValue } from "../../../../api/validation/rules.js";

/** Whether one of the whitelist's tolerations covers each toleration. An empty whitelist allows all. */
export function isWhitelisted(tolerations: readonly Toleration[], whitelist: readonly Toleration[]): boolean {
  return whitelist.length === 0 || tolerations.every((one) => whitelist.some((allowed) => covers(allowed, one)));
}

/** Both lists in their order, without what another toleration covers; of equal ones the first stays. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [index, toleration] of all.entries()) {
    const isRedundant =
      merged.some((other) => covers(other, toleration)) ||
      all.slice(index + 1).some((other) => !sameValue(toleration, other) && covers(other, toleration));
    if (!isRedundant) merged.push(toleration);
  }
  return merged;
}

/**
 * Whether `wide` tolerates all that `narrow` does. As in kube-apiserver, a toleration without an operator is covered only by an equal
 * one, and by one that tolerates every value.
 */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (sameValue(wide, narrow)) return true;
  const { key = "", operator = "", effect = "", value = "", tolerationSeconds } = wide;
  if ((narrow.key ?? "") !== key && (key !== "" || operator !== "Exists")) return false;
  if ((narrow.effect ?? "") !== effect && effect !== "") return false;
  if (effect === "NoExecute" && tolerationSeconds != null) {
    if (narrow.tolerationSeconds == null || narrow.tolerationSeconds > tolerationSeconds) return false;
  }
  if (operator === "Exists") return true;
  return (operator === "" || operator === "Equal") && narrow.operator === "Equal" && (narrow.value ?? "") === value;
}
