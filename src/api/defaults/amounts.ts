import { child, children, type Fields } from "../../machinery/meta/access.js";
import { formatQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import { quantity } from "../validation/resources.js";

const MILLI = -3;
/** What is finer than a thousandth is written with one of these. */
const MAYBE_FINER = /[nuE.e]/;

/** Rounds the amounts in a resource list to thousandths, away from zero. */
export function roundAmounts(amounts: Fields | undefined): void {
  if (amounts === undefined) return;
  for (const [name, value] of Object.entries(amounts)) {
    if (typeof value !== "string" || !MAYBE_FINER.test(value)) continue;
    const parsed = quantity(value);
    if (parsed === undefined) continue;
    const { unscaled, scale, format } = parsed;
    if (scale >= MILLI || unscaled % 10n ** BigInt(MILLI - scale) === 0n) continue;
    const thousandths = quantityValue({ unscaled, scale, format }, MILLI);
    amounts[name] = formatQuantity({ unscaled: thousandths, scale: MILLI, format });
  }
}

/** {@link roundAmounts} of the limits and requests of `holder.resources`. */
export function roundResources(holder: Fields): void {
  const resources = child(holder, "resources");
  if (resources === undefined) return;
  roundAmounts(child(resources, "limits"));
  roundAmounts(child(resources, "requests"));
}

/** Rounds the resources in the container statuses of a pod as {@link roundAmounts} does. */
export function roundContainerStatuses(status: Fields): void {
  for (const field of ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"]) {
    for (const container of children(status, field)) {
      roundAmounts(child(container, "allocatedResources"));
      roundResources(container);
    }
  }
}
