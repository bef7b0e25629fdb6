import type { ResourceList } from "../types/core/v1.js";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  parseQuantity,
  type Quantity,
} from "../../machinery/text/quantity/quantity.js";

/** Amounts by the names that quotas use. */
export type Usage = Map<string, Quantity>;

export const ONE = parseQuantity("1");

export function usageOf(list: ResourceList = {}): Usage {
  return new Map(Object.entries(list).map(([name, amount]) => [name, parseQuantity(String(amount))]));
}

/** Encodes amounts as Go does; the inverse of the parser above. */
export const listOf = (usage: ReadonlyMap<string, Quantity>): ResourceList =>
  Object.fromEntries([...usage].map(([name, amount]) => [name, formatQuantity(amount)]));

/** Adds `more` to `usage`. */
export function addUsage(usage: Usage, more: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of more) {
    const sum = usage.get(name);
    usage.set(name, sum === undefined ? amount : addQuantities(sum, amount));
  }
}

/** Raises each amount in `usage` to at least that in `other`. */
export function raiseUsage(usage: Usage, other: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of other) {
    const own = usage.get(name);
    if (own === undefined || compareQuantities(own, amount) < 0) usage.set(name, amount);
  }
}

/** Returns by how much the amounts of `usage` exceed those of `before`. */
export function moreUsage(
  usage: ReadonlyMap<string, Quantity>,
  before: ReadonlyMap<string, Quantity> = new Map(),
): Usage {
  const more: Usage = new Map();
  for (const [name, amount] of usage) {
    const old = before.get(name);
    const growth = old === undefined ? amount : addQuantities(amount, negateQuantity(old));
    if (growth.unscaled > 0n) more.set(name, growth);
  }
  return more;
}
