import type { ResourceQuota } from "../../api/types/core/v1.js";
import { list, object, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { formatQuantity, parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { order, scalar } from "./go-fields.js";
import { describeName } from "./labels.js";

/** What kubectl says of a scope; nothing of one that is not here. */
const SCOPES = new Map([
  [
    "Terminating",
    "Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.",
  ],
  [
    "NotTerminating",
    "Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.",
  ],
  [
    "BestEffort",
    "Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.",
  ],
  [
    "NotBestEffort",
    "Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.",
  ],
]);

/** Describes a ResourceQuota without events, because kubectl requests none. */
export const describeResourceQuota: Describer = async (namespace, name, description, { reader }) => {
  const quota = await reader.get("v1/ResourceQuota", namespace, name);
  describeName(description, quota);
  describeScopes(description, quota, 0, " * ");
  description.write(0, "Resource\tUsed\tHard\n");
  description.write(0, "--------\t----\t----\n");
  for (const { resource, used, hard } of amountsOf(quota)) {
    description.write(0, `${resource}\t${inFormatOf(used, hard)}\t${hard}\n`);
  }
};

/** Describes all ResourceQuotas of a namespace, by name. */
export function describeResourceQuotas(
  description: Description,
  quotas: readonly ReceivedObject<ResourceQuota>[],
): void {
  if (quotas.length === 0) {
    description.write(0, "No resource quota.\n");
    return;
  }
  description.write(0, "Resource Quotas\n");
  const nameOf = ({ metadata }: ReceivedObject<ResourceQuota>): string => metadata?.name ?? "";
  for (const quota of [...quotas].sort((a, b) => order(nameOf(a), nameOf(b)))) {
    description.write(1, `Name:\t${nameOf(quota)}\n`);
    describeScopes(description, quota, 1, "* ");
    description.write(1, "Resource\tUsed\tHard\n");
    description.write(1, "--------\t---\t---\n");
    for (const { resource, used, hard } of amountsOf(quota)) {
      description.write(1, `${resource}\t${used}\t${hard}\n`);
    }
  }
}

/** Nothing without any. */
function describeScopes(
  description: Description,
  { spec }: ReceivedObject<ResourceQuota>,
  level: number,
  bullet: string,
): void {
  const scopes = list(object(spec).scopes).map(text).sort(order);
  if (scopes.length === 0) return;
  description.write(level, `Scopes:\t${scopes.join(", ")}\n`);
  for (const scope of scopes) {
    const meaning = SCOPES.get(scope);
    if (meaning !== undefined) description.write(level, `${bullet}${meaning}\n`);
  }
}

interface Amount {
  readonly resource: string;
  readonly used: string;
  readonly hard: string;
}

/** Of what the quota controller limits by now; what it has not counted is 0. */
function amountsOf({ status }: ReceivedObject<ResourceQuota>): Amount[] {
  const [hard, used] = [object(object(status).hard), object(object(status).used)];
  return Object.keys(hard)
    .sort(order)
    .map((resource) => ({ resource, used: scalar(used[resource], "0"), hard: scalar(hard[resource]) }));
}

/** A quantity with the suffixes of another; a whole number, when they are not its own. */
function inFormatOf(quantity: string, other: string): string {
  const { format } = parseQuantity(other);
  const parsed = parseQuantity(quantity);
  return parsed.format === format ? quantity : formatQuantity({ unscaled: quantityValue(parsed), scale: 0, format });
}
