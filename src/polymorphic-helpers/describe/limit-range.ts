import type { LimitRange } from "../../api/types/core/v1.js";
import { object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { order, scalar } from "./go-fields.js";
import { describeName } from "./labels.js";

const TITLES = "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio\n";
const RULES = "----\t--------\t---\t---\t---------------\t-------------\t-----------------------\n";
/** In the order of the columns. */
const LIMITS = ["min", "max", "defaultRequest", "default", "maxLimitRequestRatio"] as const;

/** Describes a LimitRange without events, because kubectl requests none. */
export const describeLimitRange: Describer = async (namespace, name, description, { reader }) => {
  const range = await reader.get("v1/LimitRange", namespace, name);
  describeName(description, range);
  description.write(0, TITLES);
  description.write(0, RULES);
  describeLimits(description, range, "");
};

/** Describes all LimitRanges of a namespace in one table. */
export function describeLimitRanges(description: Description, ranges: readonly ReceivedObject<LimitRange>[]): void {
  if (ranges.length === 0) {
    description.write(0, "No LimitRange resource.\n");
    return;
  }
  description.write(0, `Resource Limits\n ${TITLES}`);
  description.write(0, ` ${RULES}`);
  for (const range of ranges) describeLimits(description, range, " ");
}

/** A line for each resource that an item limits. kubectl writes those of an item in any order, here they are sorted. */
function describeLimits(description: Description, { spec }: ReceivedObject<LimitRange>, prefix: string): void {
  for (const item of objects(object(spec).limits)) {
    const limits = LIMITS.map((field) => object(item[field]));
    const resources = new Set(limits.flatMap((amounts) => Object.keys(amounts)));
    for (const resource of [...resources].sort(order)) {
      const cells = limits.map((amounts) => scalar(amounts[resource], "-"));
      description.write(0, `${prefix}${[text(item.type), resource, ...cells].join("\t")}\n`);
    }
  }
}
