import type { PodSpec, ServiceStatus, PersistentVolume, PersistentVolumeClaim } from "../../../api/types/core/v1.js";
import type { Condition, Quantity } from "../../../api/types/meta/v1.js";
import type { IngressStatus } from "../../../api/types/networking/v1.js";
import { humanDuration } from "../../../machinery/text/duration/human-duration.js";
import type { ApiObject } from "../../../machinery/meta/object.js";
import { object, objects, type Received, text, type ReceivedObject, list } from "../../../machinery/meta/received.js";
import { canonicalizeQuantity } from "../../../machinery/text/quantity/quantity.js";
import { formatSelectorObject } from "../../../machinery/selectors/api-label-selector.js";
import type { LabelSelectorObject, TextMap } from "../../../machinery/validation/labels.js";

/** The age of a time as kubectl shows it; "<unknown>" where there is no time. */
export function since(time: string | null | undefined, now: number): string {
  const start = typeof time === "string" ? Date.parse(time) : Number.NaN;
  return Number.isNaN(start) ? "<unknown>" : humanDuration(now - start);
}

export function age(object: ApiObject, now: number): string {
  return since(object.metadata?.creationTimestamp, now);
}

export function name(object: ApiObject): string {
  return object.metadata?.name ?? "";
}

/** Names and images of a pod spec's containers, each joined by commas. */
export function containerCells(podSpec: Received<PodSpec>): readonly [names: string, images: string] {
  const containers = objects(podSpec.containers);
  return [
    containers.map((container) => text(container.name)).join(","),
    containers.map((container) => text(container.image)).join(","),
  ];
}

export function selectorCell(selector: LabelSelectorObject | null | undefined): string {
  return formatSelectorObject(selector);
}

/** A map of labels as `a=b,c=d` in the order of keys; "<none>" for an empty one. */
export function labelsCell(labels: TextMap | null | undefined): string {
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

/** What the conditions of all kinds have. */
type AnyCondition = Pick<Condition, "type" | "status">;

/** The status ("True", "False", "Unknown") of the condition of a type; undefined when there is none. */
export function conditionStatus(
  conditions: readonly (Received<AnyCondition> | null)[] | null | undefined,
  type: string,
): string | undefined {
  const condition = objects(conditions).find((candidate) => candidate.type === type);
  return condition === undefined ? undefined : text(condition.status);
}

/** A quantity in its canonical form; "0" when there is none. */
export function quantityCell(value: Quantity | null | undefined): string {
  return typeof value === "string" || typeof value === "number" ? canonicalizeQuantity(value) : "0";
}

/** The addresses of a load balancer's status, sorted, each once. */
export function loadBalancerCell(status: Received<ServiceStatus | IngressStatus>): string {
  const ingress = objects(object(status.loadBalancer).ingress);
  const addresses = ingress.map((point) => text(point.ip) || text(point.hostname)).filter((address) => address !== "");
  return [...new Set(addresses)].sort().join(",");
}

const MODES = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
] as const;

/** "RWO,ROX". */
export function accessModesCell(modes: readonly (string | null)[] | null | undefined): string {
  const set = new Set(list(modes));
  return MODES.filter(([mode]) => set.has(mode))
    .map(([, short]) => short)
    .join(",");
}

/** The phase of a volume or claim; "Terminating" once it is deleted. */
export function phaseCell(object_: ReceivedObject<PersistentVolume | PersistentVolumeClaim>): string {
  return object_.metadata?.deletionTimestamp === undefined ? text(object(object_.status).phase) : "Terminating";
}

/** The storage class, which old objects name in an annotation. */
export function storageClassCell(object_: ReceivedObject<PersistentVolume | PersistentVolumeClaim>): string {
  const annotation = object_.metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"];
  return annotation ?? text(object(object_.spec).storageClassName);
}

export function orUnset(value: string | null | undefined): string {
  return value === undefined ? "<unset>" : text(value);
}
