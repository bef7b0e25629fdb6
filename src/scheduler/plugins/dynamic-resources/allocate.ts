import type { FieldsOf } from "../../../machinery/meta/received.js";
import { own } from "../../../base/collections/own.js";
import type {
  DeviceAllocationResult,
  DeviceAllocationConfiguration,
  AllocationResult,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  DeviceRequestAllocationResult,
  DeviceSubRequest,
  DeviceTaint,
  ExactDeviceRequest,
  ResourceClaim,
  Device,
  ResourceSlice,
} from "../../../api/types/resource/v1.js";
import { tolerates } from "../../../api/scheduling/taints.js";
import type { NodeInfo } from "../../cache/node-info.js";
import type { MatchDevice } from "./device-selector.js";
import { matchesTerm } from "../../../api/scheduling/node-selector.js";

/** A device that a node can use. */
interface OfferedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: Device;
  /** Whether only one node can use it. */
  readonly isLocal: boolean;
}

/** The unique id of a device. */
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

export interface AllocationInput {
  readonly claims: readonly ResourceClaim[];
  readonly node: NodeInfo;
  readonly devices: readonly OfferedDevice[];
  /** The ids of the devices that other claims have. */
  readonly taken: ReadonlySet<string>;
  readonly classes: (name: string) => DeviceClass | undefined;
  readonly matches: MatchDevice;
}

/** After so many tries a node is taken to have no solution. */
const MOST_TRIES = 100_000;

/** One way to serve a request: so many devices (all of them: undefined) for which `selects` is true. */
interface Option {
  readonly name: string;
  readonly request: ExactDeviceRequest | DeviceSubRequest;
  readonly count: number | undefined;
}

interface Slot {
  readonly claim: number;
  readonly options: readonly Option[];
  readonly constraints: readonly DeviceConstraint[];
}

interface Chosen {
  readonly claim: number;
  readonly name: string;
  readonly option: Option;
  readonly offered: OfferedDevice;
}

/** Allocates devices of the node for all claims together, in order; undefined where there are not enough. */
export function allocate(input: AllocationInput): readonly AllocationResult[] | undefined {
  const { claims, node, devices, taken, classes, matches } = input;
  const slots: Slot[] = claims.flatMap(({ spec }, claim) =>
    (spec?.devices?.requests ?? []).map((request) => ({
      claim,
      options: optionsOf(request),
      constraints: spec?.devices?.constraints ?? [],
    })),
  );
  const used = new Set(taken);
  const chosen: Chosen[] = [];
  let tries = 0;

  const candidates = ({ request }: Option): readonly OfferedDevice[] => {
    const selectors = [...(classes(request.deviceClassName)?.spec?.selectors ?? []), ...(request.selectors ?? [])];
    return devices.filter(
      ({ driver, device }) => !isTainted(device.taints, request) && matches(selectors, driver, device),
    );
  };
  const serve = (index: number): boolean => {
    const slot = slots[index];
    if (slot === undefined) return true;
    return slot.options.some((option) => {
      const found = candidates(option);
      const wanted = option.count ?? found.length;
      if (wanted === 0 || found.length < wanted) return false;
      return take(index, slot, option, found, 0, wanted);
    });
  };
  const take = (
    index: number,
    slot: Slot,
    option: Option,
    found: readonly OfferedDevice[],
    from: number,
    left: number,
  ): boolean => {
    if (left === 0) return serve(index + 1);
    for (let at = from; at <= found.length - left; at++) {
      if (++tries > MOST_TRIES) return false;
      const offered = found[at] as OfferedDevice;
      const id = deviceId(offered.driver, offered.pool, offered.device.name);
      const isAdmin = "adminAccess" in option.request && option.request.adminAccess === true;
      if (!isAdmin && used.has(id)) continue;
      const next: Chosen = { claim: slot.claim, name: option.name, option, offered };
      if (!keepsConstraints(slot.constraints, chosen, next)) continue;
      if (!isAdmin) used.add(id);
      chosen.push(next);
      if (take(index, slot, option, found, at + 1, left - 1)) return true;
      chosen.pop();
      if (!isAdmin) used.delete(id);
    }
    return false;
  };

  if (!serve(0)) return undefined;
  return claims.map((claim, index) =>
    resultOf(
      claim,
      chosen.filter((one) => one.claim === index),
      node,
      classes,
    ),
  );
}

function optionsOf({ name, exactly, firstAvailable = [] }: DeviceRequest): readonly Option[] {
  if (exactly !== undefined) return [{ name, request: exactly, count: countOf(exactly) }];
  return firstAvailable.map((request) => ({ name: `${name}/${request.name}`, request, count: countOf(request) }));
}

const countOf = ({ allocationMode, count }: ExactDeviceRequest | DeviceSubRequest): number | undefined =>
  allocationMode === "All" ? undefined : Number(count ?? 1);

function isTainted(
  taints: readonly DeviceTaint[] = [],
  { tolerations = [] }: ExactDeviceRequest | DeviceSubRequest,
): boolean {
  type Toleration = Parameters<typeof tolerates>[0];
  type Taint = Parameters<typeof tolerates>[1];
  return taints.some(
    (taint) =>
      ["NoSchedule", "NoExecute"].includes(taint.effect) &&
      !tolerations.some((toleration) => tolerates(toleration as Toleration, taint as Taint)),
  );
}

/** Constraints compare the devices of the requests that they name, or of all of the claim. */
function keepsConstraints(constraints: readonly DeviceConstraint[], chosen: readonly Chosen[], next: Chosen): boolean {
  return constraints.every(({ requests = [], matchAttribute, distinctAttribute }) => {
    const concerns = ({ claim, name }: Chosen): boolean =>
      claim === next.claim &&
      (requests.length === 0 || requests.includes(name) || requests.includes(name.split("/")[0] ?? ""));
    if (!concerns(next)) return true;
    const key = matchAttribute ?? distinctAttribute ?? "";
    const value = attributeOf(next, key);
    // A device without the attribute cannot be compared.
    if (value === undefined) return false;
    const others = chosen.filter(concerns).map((other) => attributeOf(other, key));
    return matchAttribute === undefined ? !others.includes(value) : others.every((other) => other === value);
  });
}

function attributeOf({ offered: { driver, device } }: Chosen, key: string): string | undefined {
  const ofDriver = key.startsWith(`${driver}/`) ? own(device.attributes, key.slice(driver.length + 1)) : undefined;
  const attribute = own(device.attributes, key) ?? ofDriver;
  return attribute === undefined ? undefined : JSON.stringify(attribute);
}

function resultOf(
  { spec }: ResourceClaim,
  chosen: readonly Chosen[],
  { name }: NodeInfo,
  classes: AllocationInput["classes"],
): AllocationResult {
  const results: DeviceRequestAllocationResult[] = chosen.map(({ name: request, option, offered }) => ({
    request,
    driver: offered.driver,
    pool: offered.pool,
    device: offered.device.name,
    ...("adminAccess" in option.request &&
      option.request.adminAccess === true &&
      ({ adminAccess: true } satisfies FieldsOf<DeviceRequestAllocationResult>)),
  }));
  const requests = [...new Map(chosen.map(({ name: request, option }) => [request, option.request.deviceClassName]))];
  const config = [
    ...requests.flatMap(([request, className]) =>
      (classes(className)?.spec?.config ?? []).map(
        (one) =>
          ({
            source: "FromClass" as const,
            requests: [request],
            ...one,
          }) satisfies DeviceAllocationConfiguration,
      ),
    ),
    ...(spec?.devices?.config ?? []).map((one) => ({ source: "FromClaim" as const, ...one })),
  ];
  const isLocal = chosen.some(({ offered }) => offered.isLocal);
  return {
    devices: { results, ...(config.length > 0 && ({ config } satisfies Partial<DeviceAllocationResult>)) },
    ...(isLocal &&
      ({
        nodeSelector: {
          nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] }],
        },
      } satisfies Partial<AllocationResult>)),
  };
}
