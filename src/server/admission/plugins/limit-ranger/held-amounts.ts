import { addUsage, raiseUsage, type Usage, usageOf } from "../../../../api/quota/index.js";
import { type AmountKind, podTotal } from "../../../../api/pods/pod-total.js";
import type { Container, PersistentVolumeClaim, PodSpec } from "../../../../api/types/core/v1.js";
import type { Held } from "./constraints.js";

export const heldByContainer = ({ resources }: Container): Held => ({
  requests: usageOf(resources?.requests),
  limits: usageOf(resources?.limits),
});

/** What the containers have together; amounts of the whole pod replace that. Overhead does not count. */
export const heldByPod = (spec: PodSpec | undefined): Held => ({
  requests: total(spec, "requests"),
  limits: total(spec, "limits"),
});

/** A claim has no limits, whatever it says. */
export const heldByClaim = ({ spec }: PersistentVolumeClaim): Held => ({
  requests: usageOf(spec?.resources?.requests),
  limits: new Map(),
});

const USAGE: AmountKind<Usage> = { none: () => new Map(), add: addUsage, raise: raiseUsage };

function total(spec: PodSpec | undefined, field: "requests" | "limits"): Usage {
  const sum = podTotal(spec, USAGE, ({ resources }) => usageOf(resources?.[field]));
  for (const [name, amount] of usageOf(spec?.resources?.[field])) sum.set(name, amount);
  return sum;
}
