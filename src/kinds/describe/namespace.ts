import { isNotFound } from "../../machinery/errors/status-error.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import { object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { dateText } from "./dates.js";
import type { DescribeContext, Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeLabelsAndAnnotations, describeName } from "./heading.js";
import { describeLimitRanges, LIMIT_RANGES } from "./limit-range.js";
import { describeResourceQuotas, RESOURCE_QUOTAS } from "./resource-quota.js";

const NAMESPACES = { group: "", version: "v1", resource: "namespaces" };

/** kubectl asks for no events. */
export const describeNamespace: Describer = async (_namespace, name, description, context) => {
  const namespace = await context.reader.get(NAMESPACES, "", name);
  const quotas = await ifServed(RESOURCE_QUOTAS, namespace, context);
  const ranges = await ifServed(LIMIT_RANGES, namespace, context);
  const { phase, conditions } = object(namespace.status);
  describeName(description, namespace, false);
  describeLabelsAndAnnotations(description, namespace);
  description.write(0, `Status:\t${text(phase)}\n`);
  describeConditions(description, conditions);
  if (quotas !== undefined) {
    description.write(0, "\n");
    describeResourceQuotas(description, quotas);
  }
  if (ranges !== undefined) {
    description.write(0, "\n");
    describeLimitRanges(description, ranges);
  }
};

/** What a namespace holds of a resource; undefined where the server does not know it. A request. */
async function ifServed(
  resource: GroupVersionResource,
  { metadata }: KubeObject,
  { reader }: DescribeContext,
): Promise<readonly KubeObject[] | undefined> {
  return reader.list(resource, metadata?.name ?? "").catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Nothing without any. */
function describeConditions(description: Description, conditions: unknown): void {
  const all = objects(conditions);
  if (all.length === 0) return;
  description.write(0, "Conditions:\n");
  description.write(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage\n");
  description.write(1, "----\t------\t------------------\t------\t-------\n");
  for (const { type, status, lastTransitionTime, reason, message } of all) {
    const cells = [text(type), text(status), dateText(lastTransitionTime), text(reason), text(message)];
    description.write(1, `${cells.join("\t")}\n`);
  }
}
