import type { ResourceRequirements } from "../api/types/core/v1.js";
import { object, type Received } from "../machinery/meta/received.js";
import { parseQuantity, quantityValue, zeroQuantity } from "../machinery/text/quantity/quantity.js";

const NAMED = ["cpu", "memory", "ephemeral-storage"];

/**
 * What a resourceFieldRef ("limits.cpu") of a container's `resources` comes to, in units of the divisor (one, where it is
 * absent or zero), rounded up; 0 where the container does not say. Undefined for what is no such resource.
 */
export function containerResource(
  path: string,
  divisor: unknown,
  resources: Received<ResourceRequirements>,
): string | undefined {
  const [, bound = "", name = ""] = /^(limits|requests)\.(.+)$/.exec(path) ?? [];
  if (!NAMED.includes(name) && !name.startsWith("hugepages-")) return undefined;
  const amount = quantityOf(object(bound === "limits" ? resources.limits : resources.requests)[name]);
  const asked = quantityOf(divisor);
  const unit = asked.unscaled === 0n ? parseQuantity("1") : asked;
  const scale = name === "cpu" ? -3 : 0;
  return String(Math.ceil(Number(quantityValue(amount, scale)) / Number(quantityValue(unit, scale))));
}

const quantityOf = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? parseQuantity(String(value)) : zeroQuantity;
