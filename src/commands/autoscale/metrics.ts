import { formatG } from "../../machinery/text/go/format-g.js";
import { parseFloat64 } from "../../component/flags/numbers.js";
import { parseInt32 } from "../../kinds/int-or-string.js";
import { canonicalizeQuantity } from "../../machinery/text/quantity/quantity.js";

/** A resource an autoscaler can look at, and the unit of a number that has none. */
const UNITS = { cpu: "m", memory: "Mi" } as const;

export type MetricName = keyof typeof UNITS;

/** What is aimed at, as autoscaling/v2 states it. */
export type MetricTarget =
  | { readonly type: "Utilization"; readonly averageUtilization: number }
  | { readonly type: "AverageValue"; readonly averageValue: string };

/** Reads "70%" (of what is requested), "500m", or a bare number in the resource's own unit. Throws in kubectl's words. */
export function parseTarget(text: string, resource: MetricName): MetricTarget {
  const input = text.trim();
  if (input === "") throw new Error("empty input");
  if (input.endsWith("%")) return { type: "Utilization", averageUtilization: parsePercentage(input.slice(0, -1)) };
  const bare = bareNumber(input);
  if (bare !== undefined)
    return { type: "AverageValue", averageValue: canonicalizeQuantity(`${bare}${UNITS[resource]}`) };
  try {
    return { type: "AverageValue", averageValue: canonicalizeQuantity(input) };
  } catch (error) {
    throw new Error(`invalid resource ${resource} value: ${input}`, { cause: error });
  }
}

function parsePercentage(text: string): number {
  const value = parseInt32(text);
  if (value === undefined || value < 0) throw new Error(`invalid percentage value: ${text}`);
  return value;
}

/** As Go prints the float again; undefined for what is not a number alone. */
function bareNumber(input: string): string | undefined {
  let value: number;
  try {
    value = parseFloat64(input);
  } catch {
    return undefined;
  }
  if (Number.isFinite(value)) return formatG(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

export function metric(name: MetricName, target: MetricTarget): object {
  return { type: "Resource", resource: { name, target } };
}
