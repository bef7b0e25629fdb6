import type { ResourceSlice } from "../../api/types/resource/v1.js";
import { list, object, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { Description } from "./description.js";
import { order } from "./go-fields.js";

const MOST_POOLS = 10;

interface Pool {
  readonly driver: string;
  readonly pool: string;
  readonly slices: number;
  readonly devices: number;
}

/** How many devices a node has, by driver and pool. Nothing without any. */
export function describeNodeSlices(description: Description, slices: readonly ReceivedObject<ResourceSlice>[]): void {
  const pools = new Map<string, Pool>();
  for (const { spec } of slices) {
    const { driver: driverName, pool, devices } = object(spec);
    const [driver, name] = [text(driverName), text(object(pool).name)];
    const key = `${driver}/${name}`;
    const before = pools.get(key) ?? { slices: 0, devices: 0 };
    const counts = { slices: before.slices + 1, devices: before.devices + list(devices).length };
    pools.set(key, { driver, pool: name, ...counts });
  }
  if (pools.size === 0) return;
  description.write(0, "Node-Local ResourceSlices:\n");
  description.write(1, "Driver\tPool\tSlices\tDevices\n");
  description.write(1, "------\t----\t------\t-------\n");
  const sorted = [...pools].sort(([a], [b]) => order(a, b)).map(([, pool]) => pool);
  for (const { driver, pool, slices: sliceCount, devices } of sorted.slice(0, MOST_POOLS)) {
    description.write(1, `${driver}\t${pool}\t${sliceCount}\t${devices}\n`);
  }
  if (sorted.length > MOST_POOLS) description.write(1, `...and ${sorted.length - MOST_POOLS} more pools\n`);
}
