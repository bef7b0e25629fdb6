import type { Device, ResourceSlice } from "../../../api/types/resource/v1.js";
import type { NodeInfo } from "../../cache/node-info.js";
import { matchesTerm } from "../../../api/scheduling/node-selector.js";

/** A device that a node can use. */
export interface OfferedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
  /** Whether only one node can use it. */
  readonly isLocal: boolean;
}

/** What a device is known by among all. */
export const deviceId = (driver: string, pool: string, device: string): string => `${driver}/${pool}/${device}`;

/**
 * The devices that a node can use, of pools whose slices are all there. Only slices of a pool's newest generation count; devices that
 * share counters with others are left out.
 */
export function devicesFor(node: NodeInfo, slices: Iterable<ResourceSlice>): readonly OfferedDevice[] {
  const pools = new Map<string, { generation: number; slices: ResourceSlice[] }>();
  for (const slice of slices) {
    const { driver, pool } = slice.spec;
    const key = `${driver}/${pool.name}`;
    const generation = Number(pool.generation);
    const known = pools.get(key);
    if (known === undefined || generation > known.generation) pools.set(key, { generation, slices: [slice] });
    else if (generation === known.generation) known.slices.push(slice);
  }
  const offered: OfferedDevice[] = [];
  for (const pool of pools.values()) {
    if (pool.slices.length < Number(pool.slices[0]?.spec.pool.resourceSliceCount ?? 0)) continue;
    for (const { spec } of pool.slices) {
      for (const device of spec.devices ?? []) {
        const where = spec.perDeviceNodeSelection === true ? device : spec;
        if (!isFor(node, where) || (device.consumesCounters ?? []).length > 0) continue;
        offered.push({ driver: spec.driver, pool: spec.pool.name, device, isLocal: where.allNodes !== true });
      }
    }
  }
  return offered;
}

function isFor(
  node: NodeInfo,
  { nodeName, nodeSelector, allNodes }: Pick<Device, "nodeName" | "nodeSelector" | "allNodes">,
): boolean {
  if (allNodes === true || nodeName === node.name) return true;
  return nodeSelector?.nodeSelectorTerms.some((term) => matchesTerm(term, node)) === true;
}
