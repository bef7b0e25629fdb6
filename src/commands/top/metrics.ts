import { fetchGroups } from "../../client/discovery/live-discovery.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import { object, objects, text } from "../../machinery/meta/access.js";
import {
  addQuantities,
  parseQuantity,
  type Quantity,
  quantityValue,
  zeroQuantity,
} from "../../machinery/text/quantity/quantity.js";
import { goSort } from "../../base/collections/go-sort.js";

const GROUP = "metrics.k8s.io";
const SUPPORTED: ReadonlySet<string> = new Set(["v1", "v1beta1"]);

/** The version of the metrics API to use: the first one that the server lists and kubets supports. Throws when there is none. */
export async function metricsVersion(client: RestClient): Promise<string> {
  const { groups } = await fetchGroups(client, {});
  const found = groups
    .filter(({ name }) => name === GROUP)
    .flatMap(({ versions }) => versions)
    .find(({ version }) => SUPPORTED.has(version));
  if (found === undefined) throw new Error("Metrics API not available");
  return found.version;
}

export interface MetricsQuery {
  /** "nodes" or "pods". */
  readonly resource: string;
  readonly version: string;
  /** "" is everywhere, and for nodes. */
  readonly namespace: string;
  /** "" lists. */
  readonly name: string;
  readonly labelSelector: string;
}

/** Reads the metrics of one object, or of those that a selector selects. */
export async function readMetrics(client: RestClient, query: MetricsQuery): Promise<readonly KubeObject[]> {
  const { resource, version, namespace, name, labelSelector } = query;
  const mapping = {
    resource: { group: GROUP, version, resource },
    kind: { group: GROUP, version, kind: "" },
    namespaced: namespace !== "",
  };
  const helper = new Helper(client, mapping, { typed: true });
  if (name !== "") return [await helper.get(namespace, name)];
  const list = await helper.list(namespace, { labelSelector });
  return (list.items ?? []) as readonly KubeObject[];
}

/** Amounts by resource: "cpu", "memory", "swap". */
export type Usage = Readonly<Record<string, Quantity>>;

export interface Measured {
  readonly namespace: string;
  readonly name: string;
  readonly usage: Usage;
}

export interface MeasuredPod extends Measured {
  readonly containers: readonly Measured[];
}

export type SortBy = "" | "cpu" | "memory";

export const quantityOf = (usage: Usage, resource: string): Quantity => usage[resource] ?? zeroQuantity;

/** Reads the amounts of a v1 ResourceList. Throws for a value that is not a quantity. */
export function readUsage(list: unknown): Usage {
  return Object.fromEntries(
    Object.entries(object(list)).map(([resource, value]) => [resource, parseQuantity(text(value))]),
  );
}

export function measuredNode({ metadata, usage }: KubeObject): Measured {
  return { namespace: "", name: metadata?.name ?? "", usage: readUsage(usage) };
}

export function measuredPod({ metadata, containers }: KubeObject): MeasuredPod {
  const { name = "", namespace = "" } = metadata ?? {};
  const measured = objects(containers).map((one) => ({ namespace, name: text(one.name), usage: readUsage(one.usage) }));
  return { namespace, name, containers: measured, usage: sumOf(measured) };
}

export function sumOf(measured: readonly Measured[]): Usage {
  const total: Record<string, Quantity> = {};
  for (const { usage } of measured) {
    for (const [resource, quantity] of Object.entries(usage)) {
      total[resource] = addQuantities(total[resource] ?? zeroQuantity, quantity);
    }
  }
  return total;
}

/** Sorts by name (with `byNamespace` by namespace first), or by usage in descending order. Equal items end where Go's sort puts them. */
export function sorted<T extends Measured>(measured: readonly T[], sortBy: SortBy, byNamespace = false): readonly T[] {
  const items = [...measured];
  const amount = ({ usage }: T): bigint =>
    sortBy === "cpu" ? quantityValue(quantityOf(usage, "cpu"), -3) : quantityValue(quantityOf(usage, "memory"));
  const before = (a: T, b: T): boolean => {
    if (sortBy !== "") return amount(a) > amount(b);
    if (byNamespace && a.namespace !== b.namespace) return a.namespace < b.namespace;
    return a.name < b.name;
  };
  goSort(items, before);
  return items;
}
