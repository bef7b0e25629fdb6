import type { Node, Pod } from "../../api/types/core/v1.js";
import { object, type ReceivedObject } from "../../machinery/meta/received.js";
import { formatQuantity, type Quantity, quantityValue, zeroQuantity } from "../../machinery/text/quantity/quantity.js";
import { type Amounts, amountsOf, podResources, sumAmounts } from "../pod-resources.js";
import type { DescribeContext } from "./describer.js";
import type { Description } from "./description.js";
import { since } from "./events.js";
import { order } from "./go-fields.js";

/** The pods on a node that have not ended, what each asks, and what all of them take of the node. */
export function describeNodePods(
  description: Description,
  node: ReceivedObject<Node>,
  pods: readonly ReceivedObject<Pod>[],
  { now }: Pick<DescribeContext, "now">,
): void {
  const { capacity, allocatable: left } = object(node.status);
  const allocatable = amountsOf(Object.keys(object(left)).length > 0 ? left : capacity);
  description.write(0, `Non-terminated Pods:\t(${pods.length} in total)\n`);
  description.write(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge\n");
  description.write(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---\n");
  for (const pod of pods) {
    const { namespace = "", name = "", creationTimestamp } = pod.metadata ?? {};
    const requests = podResources(pod, { bound: "requests", reported: true });
    const limits = podResources(pod, { bound: "limits", reported: true });
    const shares = ["cpu", "memory"].flatMap((resource) => [
      shareText(requests, resource, allocatable),
      shareText(limits, resource, allocatable),
    ]);
    description.write(1, `${namespace}\t${name}\t\t${shares.join("\t")}\t${since(creationTimestamp, now)}\n`);
  }
  describeAllocated(description, pods, allocatable);
}

function describeAllocated(description: Description, pods: readonly ReceivedObject<Pod>[], allocatable: Amounts): void {
  description.write(0, "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n");
  description.write(1, "Resource\tRequests\tLimits\n");
  description.write(1, "--------\t--------\t------\n");
  const total = (bound: "requests" | "limits"): Amounts =>
    sumAmounts(pods.map((pod) => podResources(pod, { bound, reported: false })));
  const [requests, limits] = [total("requests"), total("limits")];
  const names = [...allocatable.keys()].sort(order);
  const pages = names.filter((name) => name.startsWith("hugepages-"));
  for (const name of [...STANDARD, ...pages]) {
    const shares = [requests, limits].map((amounts) =>
      amountOf(allocatable, name).unscaled === 0n
        ? `${formatQuantity(amountOf(amounts, name))} (0%)`
        : shareText(amounts, name, allocatable),
    );
    description.write(1, `${name}\t${shares.join("\t")}\n`);
  }
  const extended = names.filter((name) => !STANDARD.includes(name) && !pages.includes(name) && name !== "pods");
  for (const name of extended) {
    const amounts = [requests, limits].map((all) => formatQuantity(amountOf(all, name)));
    description.write(1, `${name}\t${amounts.join("\t")}\n`);
  }
}

const STANDARD = ["cpu", "memory", "ephemeral-storage"];

const amountOf = (amounts: Amounts, name: string): Quantity => amounts.get(name) ?? zeroQuantity;

/** "500m (25%)", rounded down. */
function shareText(amounts: Amounts, name: string, allocatable: Amounts): string {
  const scale = name === "cpu" ? -3 : 0;
  const amount = amountOf(amounts, name);
  const value = (quantity: Quantity): number => Number(quantityValue(quantity, scale));
  const percent = (value(amount) / value(amountOf(allocatable, name))) * 100;
  return `${formatQuantity(amount)} (${goInteger(percent)}%)`;
}

/** What no integer can hold is the least of them, as Go's conversion has it on amd64. */
const goInteger = (value: number): string =>
  Number.isFinite(value) ? String(Math.trunc(value)) : String(-(2n ** 63n));
