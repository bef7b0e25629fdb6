import type { Event } from "../../api/types/core/v1.js";
import { goSort } from "../../base/collections/go-sort.js";
import { humanDuration } from "../../machinery/text/duration/human-duration.js";
import { number, object, type OrAbsent, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { DescribeContext } from "./describer.js";
import type { Description } from "./description.js";

/** Requests the events about an object, if events are to be shown; undefined otherwise, and empty where they cannot be read. */
export async function eventsOf(
  about: KubeObject,
  kind: string,
  { reader, showEvents }: DescribeContext,
): Promise<readonly ReceivedObject<Event>[] | undefined> {
  if (!showEvents) return undefined;
  const { name = "", namespace = "", uid = "" } = about.metadata ?? {};
  const fields = [
    `involvedObject.name=${name}`,
    `involvedObject.namespace=${namespace}`,
    ...(kind === "" ? [] : [`involvedObject.kind=${kind}`]),
    ...(uid === "" ? [] : [`involvedObject.uid=${uid}`]),
  ];
  return reader.list("v1/Event", namespace, { fieldSelector: fields.join(",") }).catch(() => []);
}

/** Writes "Events:" and a table, the oldest first; nothing when events are not shown. */
export function describeEvents(
  description: Description,
  events: readonly ReceivedObject<Event>[] | undefined,
  { now }: Pick<DescribeContext, "now">,
): void {
  if (events === undefined) return;
  if (events.length === 0) {
    description.write(0, "Events:\t<none>\n");
    return;
  }
  description.flush();
  description.write(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage\n");
  description.write(1, "----\t------\t----\t----\t-------\n");
  const sorted = [...events];
  goSort(sorted, (a, b) => timeOf(a.lastTimestamp) < timeOf(b.lastTimestamp));
  for (const event of sorted) {
    const source = text(object(event.source).component) || text(event.reportingComponent);
    const path = text(object(event.involvedObject).fieldPath);
    const message = `${path === "" ? "" : `${path}: `}${text(event.message).trim()}`;
    const cells = [text(event.type), text(event.reason), interval(event, now), source, message];
    description.write(1, `${cells.join("\t")}\n`);
  }
}

/** The age of an event: "5m", or "10s (x4 over 5m)" for a repeated one. */
export function interval(event: ReceivedObject<Event>, now: number): string {
  const first = since(event.eventTime ?? event.firstTimestamp, now);
  const series = object(event.series);
  if (event.series !== undefined && event.series !== null) {
    return `${since(series.lastObservedTime, now)} (x${number(series.count)} over ${first})`;
  }
  const count = number(event.count);
  return count > 1 ? `${since(event.lastTimestamp, now)} (x${count} over ${first})` : first;
}

/** The age of a time from the API; "<unknown>" where it is absent. */
export function since(time: OrAbsent<string>, now: number): string {
  const milliseconds = Date.parse(text(time));
  return Number.isNaN(milliseconds) ? "<unknown>" : humanDuration(now - milliseconds);
}

/** An event without a time is older than any. */
const timeOf = (time: OrAbsent<string>): number => Date.parse(text(time)) || Number.NEGATIVE_INFINITY;
