import type { BuiltInKinds } from "../../api/kinds/built-in-kinds.js";
import type { Namespace, NamespaceCondition } from "../../api/types/core/v1.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { object, objects, type Received, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { dateText } from "./dates.js";
import type { DescribeContext, Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";
import { describeLimitRanges } from "./limit-range.js";
import { describeResourceQuotas } from "./resource-quota.js";

/** Describes a Namespace without events, because kubectl requests none. */
export const describeNamespace: Describer = async (_namespace, name, description, context) => {
  const namespace = await context.reader.get("v1/Namespace", "", name);
  const quotas = await ifServed("v1/ResourceQuota", namespace, context);
  const ranges = await ifServed("v1/LimitRange", namespace, context);
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
async function ifServed<Kind extends keyof BuiltInKinds>(
  kind: Kind,
  { metadata }: ReceivedObject<Namespace>,
  { reader }: DescribeContext,
): Promise<readonly ReceivedObject<BuiltInKinds[Kind]>[] | undefined> {
  return reader.list(kind, metadata?.name ?? "").catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

/** Nothing without any. */
function describeConditions(
  description: Description,
  conditions: Received<NamespaceCondition[]> | null | undefined,
): void {
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
