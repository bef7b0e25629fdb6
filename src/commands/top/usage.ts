import { object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import {
  addQuantities,
  parseQuantity,
  type Quantity,
  quantityValue,
  zeroQuantity,
} from "../../machinery/text/quantity/quantity.js";
import { goSort } from "../../base/collections/go-sort.js";

/** By "cpu", "memory", "swap". */
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

/** Of a v1 ResourceList. What is no quantity is left out. */
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

/** By name, with `byNamespace` by namespace first; or what uses most first. As Go sorts, so that equals end where kubectl has them. */
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
