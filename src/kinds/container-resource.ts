import { object, type ReadonlyFields } from "../machinery/meta/access.js";
import { parseQuantity, quantityValue, zeroQuantity } from "../machinery/text/quantity/quantity.js";

const NAMED = ["cpu", "memory", "ephemeral-storage"];

/**
 * What a resourceFieldRef ("limits.cpu") of a container's `resources` comes to, in units of the divisor (one, where it is
 * absent or zero), rounded up; 0 where the container does not say. Undefined for what is no such resource.
 */
export function containerResource(path: string, divisor: unknown, resources: ReadonlyFields): string | undefined {
  const [, bound = "", name = ""] = /^(limits|requests)\.(.+)$/.exec(path) ?? [];
  if (!NAMED.includes(name) && !name.startsWith("hugepages-")) return undefined;
  const amount = quantityOf(object(resources[bound])[name]);
  const asked = quantityOf(divisor);
  const unit = asked.unscaled === 0n ? parseQuantity("1") : asked;
  const scale = name === "cpu" ? -3 : 0;
  return String(Math.ceil(Number(quantityValue(amount, scale)) / Number(quantityValue(unit, scale))));
}

const quantityOf = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? parseQuantity(String(value)) : zeroQuantity;
