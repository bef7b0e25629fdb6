import type { IntOrString } from "../../api/types/meta/v1.js";

/** Resolves a number or a percentage of `total`, rounded up or down. Absent: 0. */
export function scaledValue(value: IntOrString | undefined, total: number, round: "up" | "down"): number {
  if (value === undefined || typeof value === "number") return value ?? 0;
  const part = (Number.parseInt(value, 10) * total) / 100;
  return round === "up" ? Math.ceil(part) : Math.floor(part);
}
