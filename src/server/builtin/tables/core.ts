import { list, number, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { canonicalizeQuantity } from "../../../machinery/quantity/quantity.js";
import { age, conditionStatus, name, orNone, since } from "./cells.js";
import { columns } from "./columns.js";

export const nodeColumns = columns(
  [
    "Name",
    "Status",
    "Roles",
    "Age",
    "Version",
    "Internal-IP:string:1",
    "External-IP:string:1",
    "OS-Image:string:1",
    "Kernel-Version:string:1",
    "Container-Runtime:string:1",
  ],
  (node, now) => {
    const status = object(node.status);
    const info = object(status.nodeInfo);
    return [
      name(node),
      nodeStatus(node),
      orNone(nodeRoles(node.metadata?.labels ?? {}).join(",")),
      age(node, now),
      text(info.kubeletVersion),
      nodeAddress(status, "InternalIP"),
      nodeAddress(status, "ExternalIP"),
      text(info.osImage) || "<unknown>",
      text(info.kernelVersion) || "<unknown>",
      text(info.containerRuntimeVersion) || "<unknown>",
    ];
  },
);

export const eventColumns = columns(
  [
    "Last Seen",
    "Type",
    "Reason",
    "Object",
    "Subobject:string:1",
    "Source:string:1",
    "Message",
    "First Seen:string:1",
    "Count:string:1",
    "Name:string:1",
  ],
  (event, now) => {
    const involved = object(event.involvedObject);
    const [kind, target] = [text(involved.kind).toLowerCase(), text(involved.name)];
    const times = eventTimes(event, now);
    return [
      times.last,
      text(event.type),
      text(event.reason),
      target === "" ? kind : `${kind}/${target}`,
      text(involved.fieldPath),
      eventSource(event),
      text(event.message).trim(),
      times.first,
      times.count,
      name(event),
    ];
  },
);

export const namespaceColumns = columns(["Name", "Status", "Age"], (namespace, now) => [
  name(namespace),
  text(object(namespace.status).phase),
  age(namespace, now),
]);

export const secretColumns = columns(["Name", "Type", "Data", "Age"], (secret, now) => [
  name(secret),
  text(secret.type),
  size(secret.data),
  age(secret, now),
]);

export const configMapColumns = columns(["Name", "Data", "Age"], (configMap, now) => [
  name(configMap),
  size(configMap.data) + size(configMap.binaryData),
  age(configMap, now),
]);

export const serviceAccountColumns = columns(["Name", "Age"], (account, now) => [name(account), age(account, now)]);

export const componentStatusColumns = columns(["Name", "Status", "Message", "Error"], (component) => {
  const healthy = objects(component.conditions).find((condition) => condition.type === "Healthy");
  const status = healthy === undefined ? "Unknown" : healthy.status === "True" ? "Healthy" : "Unhealthy";
  return [name(component), status, text(healthy?.message), text(healthy?.error)];
});

export const resourceQuotaColumns = columns(["Name", "Request", "Limit", "Age"], (quota, now) => {
  const { hard, used } = object(quota.status);
  const [requests, limits]: [string[], string[]] = [[], []];
  for (const resource of Object.keys(object(hard)).sort()) {
    const amounts = `${quantityCell(object(used)[resource])}/${quantityCell(object(hard)[resource])}`;
    (resource.startsWith("limits.") ? limits : requests).push(`${resource}: ${amounts}`);
  }
  return [name(quota), requests.join(", "), limits.join(", "), age(quota, now)];
});

const ROLE_PREFIX = "node-role.kubernetes.io/";

function nodeRoles(labels: Readonly<Record<string, string>>): string[] {
  const roles = new Set<string>();
  for (const [label, value] of Object.entries(labels)) {
    const role = label.startsWith(ROLE_PREFIX) ? label.slice(ROLE_PREFIX.length) : "";
    if (role !== "") roles.add(role);
    else if (label === "kubernetes.io/role" && value !== "") roles.add(value);
  }
  return [...roles].sort();
}

function nodeStatus(node: KubeObject): string {
  const ready = conditionStatus(object(node.status).conditions, "Ready");
  const status = ready === undefined ? "Unknown" : ready === "True" ? "Ready" : "NotReady";
  return object(node.spec).unschedulable === true ? `${status},SchedulingDisabled` : status;
}

function nodeAddress(status: ReadonlyFields, type: string): string {
  const address = objects(status.addresses).find((candidate) => candidate.type === type);
  return address === undefined ? "<none>" : text(address.address);
}

/** First and last sighting as ages, and how often. Events of the newer API carry a series or a single eventTime. */
function eventTimes(event: KubeObject, now: number): { first: string; last: string; count: number } {
  const first = since(event.firstTimestamp ?? event.eventTime, now);
  if (event.series !== undefined && event.series !== null) {
    const series = object(event.series);
    return { first, last: since(series.lastObservedTime, now), count: number(series.count) };
  }
  const last = typeof event.lastTimestamp === "string" ? since(event.lastTimestamp, now) : first;
  return { first, last, count: number(event.count) || 1 };
}

function eventSource(event: KubeObject): string {
  const source = object(event.source);
  const component = text(source.component) || text(event.reportingComponent);
  const instance = text(source.host) || text(event.reportingInstance);
  return instance === "" ? component : `${component}, ${instance}`;
}

function size(map: unknown): number {
  return Object.keys(object(map)).length;
}

function quantityCell(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? canonicalizeQuantity(value) : "0";
}

/** For kinds whose whole row is a name, a count of items and an age. */
export function countColumns(title: string, field: (object: KubeObject) => unknown) {
  return columns(["Name", `${title}:integer`, "Age"], (item, now) => [
    name(item),
    list(field(item)).length,
    age(item, now),
  ]);
}
