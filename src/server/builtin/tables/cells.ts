import { humanDuration } from "../../../machinery/text/duration/human-duration.js";
import { list, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { canonicalizeQuantity } from "../../../machinery/text/quantity/quantity.js";
import { formatSelectorObject } from "../../../machinery/selectors/api-label-selector.js";
import type { LabelSelectorObject } from "../../../machinery/validation/labels.js";

/** Time since `time` as kubectl shows ages; "<unknown>" when there is none. */
export function since(time: unknown, now: number): string {
  const start = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(start) ? "<unknown>" : humanDuration(now - start);
}

export function age(object: KubeObject, now: number): string {
  return since(object.metadata?.creationTimestamp, now);
}

export function name(object: KubeObject): string {
  return object.metadata?.name ?? "";
}

/** Names and images of a pod spec's containers, each joined by commas. */
export function containerCells(podSpec: Readonly<Record<string, unknown>>): readonly [names: string, images: string] {
  const containers = list(podSpec.containers).map(object);
  return [
    containers.map((container) => text(container.name)).join(","),
    containers.map((container) => text(container.image)).join(","),
  ];
}

export function selectorCell(selector: unknown): string {
  return formatSelectorObject(selector as LabelSelectorObject | undefined);
}

/** A map of labels as `a=b,c=d` in the order of keys; "<none>" for an empty one. */
export function labelsCell(labels: unknown): string {
  const entries = Object.entries(object(labels)).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? "<none>" : entries.map(([key, value]) => `${key}=${text(value)}`).join(",");
}

export function orNone(value: string): string {
  return value === "" ? "<none>" : value;
}

/** The first `max` of a list and how many more there are. */
export function listWithMore(items: readonly string[], max: number, separator = ","): string {
  const shown = items.slice(0, max).join(separator);
  return items.length > max ? `${shown} + ${items.length - max} more...` : shown;
}

/** The status ("True", "False", "Unknown") of the condition of a type; undefined when there is none. */
export function conditionStatus(conditions: unknown, type: string): string | undefined {
  const condition = list(conditions)
    .map(object)
    .find((candidate) => candidate.type === type);
  return condition === undefined ? undefined : text(condition.status);
}

/** A quantity in its canonical form; "0" when there is none. */
export function quantityCell(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? canonicalizeQuantity(value) : "0";
}

/** The addresses of a load balancer's status, sorted, each once. */
export function loadBalancerCell(status: ReadonlyFields): string {
  const ingress = objects(object(status.loadBalancer).ingress);
  const addresses = ingress.map((point) => text(point.ip) || text(point.hostname)).filter((address) => address !== "");
  return [...new Set(addresses)].sort().join(",");
}
