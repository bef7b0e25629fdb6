import { pause } from "../../../base/time/pause.js";
import { object, objects, quantityText, text } from "../../../machinery/meta/received.js";
import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  quantityValue,
  zeroQuantity,
} from "../../../machinery/text/quantity/quantity.js";
import type { ContainerRecord } from "../container-record.js";
import type { PodContext } from "../pod-context.js";

/** How often a kubelet looks at what pods use. Milliseconds. */
const PERIOD_MS = 10_000;
const RESOURCE = "ephemeral-storage";

/**
 * Evicts the pod when an emptyDir holds more than its sizeLimit, or when containers use more of the node's disk, by files and logs, than their
 * limits allow, unless `stopping` aborts before. A pod without such a limit costs nothing.
 */
export async function limitLocalStorage(
  records: readonly ContainerRecord[],
  context: PodContext,
  stopping: AbortSignal,
): Promise<void> {
  if (!records.some((record) => limitOf(record) !== "") && limitedVolumes(context).length === 0) return;
  const { timers } = context.parts;
  for (;;) {
    await pause(timers, PERIOD_MS, stopping);
    if (stopping.aborted) return;
    const message = volumeExcess(context) ?? (await excess(records, context));
    if (message === undefined || stopping.aborted) continue;
    return context.evict(message);
  }
}

const limitOf = ({ spec }: ContainerRecord): string => quantityText(object(object(spec.resources).limits)[RESOURCE]);
const bytesOf = (limit: string): number => Number(quantityValue(parseQuantity(limit)));

/** The pod's emptyDirs that have a sizeLimit. */
const limitedVolumes = ({ pod }: PodContext) =>
  objects(object(pod().spec).volumes).flatMap(({ name, emptyDir }) => {
    const limit = quantityText(object(emptyDir).sizeLimit);
    // A quantity of 0 is no limit.
    return limit === "" || bytesOf(limit) === 0 ? [] : [{ name: text(name), limit }];
  });

/** Which emptyDir holds too much, in the kubelet's words; undefined where all are within their limits. */
function volumeExcess(context: PodContext): string | undefined {
  const { runtime } = context.parts;
  const uid = context.pod().metadata?.uid ?? "";
  const over = limitedVolumes(context).find(
    ({ name, limit }) => (runtime.volumeBytes?.(uid, name) ?? 0) > bytesOf(limit),
  );
  return over && `Usage of EmptyDir volume "${over.name}" exceeds the limit "${over.limit}". `;
}

/** What the pod's emptyDirs hold on the disk. */
function volumesBytes({ pod, parts }: PodContext): number {
  const { metadata, spec } = pod();
  const onDisk = objects(object(spec).volumes).filter(({ emptyDir }) => object(emptyDir).medium !== "Memory");
  return onDisk.reduce((sum, { name }) => sum + (parts.runtime.volumeBytes?.(metadata?.uid ?? "", text(name)) ?? 0), 0);
}

/** What containers use too much of, in the kubelet's words; undefined where all is within its limit. */
async function excess(records: readonly ContainerRecord[], context: PodContext): Promise<string | undefined> {
  const { parts } = context;
  const containers: { readonly name: string; readonly limit: string; readonly used: number }[] = [];
  for (const record of records.filter(({ kind }) => kind !== "ephemeral")) {
    const stats = record.running === undefined ? undefined : await parts.runtime.stats(record.running.id);
    const used = stats === undefined ? 0 : stats.filesBytes + stats.logsBytes;
    containers.push({ name: record.name, limit: limitOf(record), used });
  }
  const over = containers.find(({ limit, used }) => limit !== "" && used > bytesOf(limit));
  if (over !== undefined)
    return `Container ${over.name} exceeded its local ephemeral storage limit ${JSON.stringify(over.limit)}. `;
  const total = containers.reduce((sum, { used }) => sum + used, 0) + volumesBytes(context);
  const limits = containers.flatMap(({ limit }) => (limit === "" ? [] : [parseQuantity(limit)]));
  const most = limits.reduce(addQuantities, zeroQuantity);
  if (limits.length === 0 || total <= Number(quantityValue(most))) return undefined;
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${formatQuantity(most)}. `;
}
