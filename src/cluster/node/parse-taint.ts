import type { Taint } from "../../api/types/core/v1.js";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;

/** A taint as kubelet's --register-with-taints has it: "key=value:NoSchedule" or "key:NoSchedule". Throws for what is none. */
export function parseTaint(text: string): Taint {
  const [, key = "", value, given = ""] = /^([^=:]+)(?:=([^:]*))?:(.+)$/.exec(text) ?? [];
  if (key === "") throw new Error(`invalid taint spec: ${text}, use KEY=VALUE:EFFECT`);
  const effect = EFFECTS.find((one) => one === given);
  if (effect === undefined) {
    throw new Error(`invalid taint effect: ${given}, unsupported taint effect; use ${EFFECTS.join(", ")}`);
  }
  return { key, effect, ...(value !== undefined && value !== "" && { value }) };
}
