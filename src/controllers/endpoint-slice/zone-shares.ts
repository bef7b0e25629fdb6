import type { Node } from "../../api/types/core/v1.js";
import { parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";

/** By zone, the part of the CPU of all nodes that its nodes have. In the order of the zones' names. */
export type ZoneShares = ReadonlyMap<string, number>;

/** How many times more than its part of the traffic an endpoint may get. */
export const OVERLOAD = 0.2;

const CONTROL_PLANE = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];

/**
 * The shares of the ready nodes' zones, without nodes of the control plane. Undefined where a node has no zone or no CPU, and
 * where there are not two zones.
 */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const cpus = new Map<string, number>();
  let total = 0;
  for (const node of nodes.filter(counts)) {
    const zone = zoneOf(node);
    const cpu = cpuOf(node);
    if (zone === "" || cpu === 0) return undefined;
    cpus.set(zone, (cpus.get(zone) ?? 0) + cpu);
    total += cpu;
  }
  if (cpus.size < 2) return undefined;
  const sorted = [...cpus].sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(sorted.map(([zone, cpu]) => [zone, cpu / total]));
}

/** Whether a zone has too few of the endpoints that are hinted at. */
export function isOverloaded(endpoints: ReadonlyMap<string, number>, shares: ZoneShares | undefined): boolean {
  if (endpoints.size === 0) return false;
  if (shares === undefined) return true;
  const total = [...endpoints.values()].reduce((sum, count) => sum + count, 0);
  return [...shares].some(
    ([zone, share]) => (endpoints.get(zone) ?? 0) < Math.ceil(total * share * (1 / (1 + OVERLOAD))),
  );
}

/** Whether a change of a node may change shares. */
export function changesShares(before: Node, node: Node): boolean {
  return counts(before) !== counts(node) || zoneOf(before) !== zoneOf(node) || cpuOf(before) !== cpuOf(node);
}

function counts({ metadata, status }: Node): boolean {
  if (CONTROL_PLANE.some((label) => metadata?.labels?.[label] !== undefined)) return false;
  return status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

const zoneOf = ({ metadata }: Node): string => metadata?.labels?.["topology.kubernetes.io/zone"] ?? "";

/** Thousandths of a core. */
const cpuOf = ({ status }: Node): number => {
  const cpu = status?.allocatable?.["cpu"];
  return cpu === undefined ? 0 : Number(quantityValue(parseQuantity(String(cpu)), -3));
};
