import { child, ensureChild, type Fields, number, object } from "../../../machinery/meta/access.js";
import { DEFAULT_SHARES, defaultExemptAndQueues } from "../flow-control.js";

/** Says in v1beta3 that 0 shares are meant and are not to be defaulted; its value means nothing. */
export const PRESERVE_ZERO_SHARES = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

/** v1beta1 and v1beta2. */
export function defaultAssuredPriorityLevel(level: Fields): void {
  defaultShares(level, "assuredConcurrencyShares");
  defaultExemptAndQueues(level);
}

export function defaultBeta3PriorityLevel(level: Fields): void {
  const { annotations } = object(level.metadata);
  if (!Object.hasOwn(object(annotations), PRESERVE_ZERO_SHARES)) defaultShares(level, "nominalConcurrencyShares");
  defaultExemptAndQueues(level);
}

function defaultShares(level: Fields, field: string): void {
  const limited = child(ensureChild(level, "spec"), "limited");
  if (limited !== undefined && number(limited[field]) === 0) limited[field] = DEFAULT_SHARES;
}
