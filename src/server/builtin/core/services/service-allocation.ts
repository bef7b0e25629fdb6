import type { Service, ServiceSpec } from "../../../../api/types/core/v1.js";
import { invalidValue } from "../../../../machinery/errors/field-error.js";
import { internalError, invalid } from "../../../../machinery/errors/status-error.js";
import {
  children,
  type Draft,
  type DraftObject,
  ensureChild,
  list,
  object,
  type Received,
  type ReceivedObject,
  text,
} from "../../../../machinery/meta/received.js";
import type { Allocation, StrategyContext } from "../../../registry/strategy.js";
import { ClusterIpError, ClusterIps } from "./cluster-ips.js";
import { NodePortError, NodePorts, type PortOperation } from "./node-ports.js";
import { initializeFamilies } from "./service-families.js";
import { heldIps, heldNodePorts, needsClusterIp } from "./service-needs.js";
import { asksForPorts, choosePorts } from "./service-ports.js";

/**
 * Settles a service's IP families and gives it its cluster IP and node ports, which no other service of the cluster has,
 * and takes back what it no longer needs once it is stored. Throws 422 for what was asked for and is not to be had, 500
 * when nothing is left.
 */
export async function allocateService(
  draft: DraftObject<Service>,
  old: ReceivedObject<Service> | undefined,
  context: StrategyContext,
): Promise<Allocation> {
  initializeFamilies(draft, old);
  const ips = new ClusterIps(context);
  const ports = new NodePorts(context);
  const after = ensureChild(draft, "spec");
  const before = old === undefined ? undefined : object(old.spec);
  // A service keeps its address as long as its type needs one.
  const newIps = before === undefined || before.type === "ExternalName" ? await allocateIp(draft, after, ips) : [];
  let newPorts: readonly number[];
  try {
    newPorts = await allocatePorts(draft, after, before, ports);
  } catch (error) {
    await settled(ips.release(draft, newIps));
    throw error;
  }
  const kept = new Set(heldNodePorts(after));
  const oldIps = before === undefined || needsClusterIp(after) ? [] : heldIps(before);
  const oldPorts = heldNodePorts(before ?? {}).filter((port) => !kept.has(port));
  return {
    commit: () => settled(ips.release(draft, oldIps), ports.release(oldPorts)),
    revert: () => settled(ips.release(draft, newIps), ports.release(newPorts)),
  };
}

/** Releases the addresses and ports of a deleted service. */
export async function releaseService(service: ReceivedObject<Service>, context: StrategyContext): Promise<void> {
  const spec = object(service.spec);
  await settled(
    new ClusterIps(context).release(service, heldIps(spec)),
    new NodePorts(context).release(heldNodePorts(spec)),
  );
}

/** What cannot be given back now is found by the repair controllers. */
async function settled(...work: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(work);
}

/** Puts the address into the spec; answers what was taken. */
async function allocateIp(
  draft: DraftObject<Service>,
  spec: Draft<ServiceSpec>,
  ips: ClusterIps,
): Promise<readonly string[]> {
  if (!needsClusterIp(spec)) return [];
  const wanted = text(list(spec.clusterIPs)[0]);
  try {
    if (wanted !== "") {
      await ips.allocate(draft, wanted);
      return [wanted];
    }
    const ip = await ips.allocateNext(draft);
    spec.clusterIP = ip;
    spec.clusterIPs = [ip];
    return [ip];
  } catch (error) {
    if (!(error instanceof ClusterIpError)) throw error;
    if (wanted === "") throw internalError(`failed to allocate a serviceIP: ${error.message}`);
    const detail = `failed to allocate IP ${wanted}: ${error.message}`;
    const problem = invalidValue("spec.clusterIPs", list(spec.clusterIPs), detail);
    throw invalid({ group: "", kind: "Service" }, draft.metadata?.name ?? "", [problem]);
  }
}

/** Puts the ports into the spec; answers what was taken. */
async function allocatePorts(
  draft: DraftObject<Service>,
  spec: Draft<ServiceSpec>,
  before: Received<ServiceSpec> | undefined,
  ports: NodePorts,
): Promise<readonly number[]> {
  let taken: number[] = [];
  const choose = (operation: PortOperation) => {
    taken = [];
    return choosePorts(draft.metadata?.name ?? "", spec, before, recorded(operation, taken));
  };
  // A service that has what it wants costs no write.
  const asks = asksForPorts(spec, before ?? {});
  const { nodePorts, healthCheckNodePort } = asks ? await ports.allocate(choose) : choose(NOTHING_LEFT);
  const drafts = children(spec, "ports");
  for (const [index, nodePort] of nodePorts.entries()) {
    const port = drafts[index];
    if (port !== undefined && nodePort !== 0) port.nodePort = nodePort;
  }
  if (healthCheckNodePort !== 0) spec.healthCheckNodePort = healthCheckNodePort;
  return taken;
}

function recorded(operation: PortOperation, taken: number[]): PortOperation {
  return {
    allocate(port) {
      operation.allocate(port);
      taken.push(port);
    },
    allocateNext() {
      const port = operation.allocateNext();
      taken.push(port);
      return port;
    },
  };
}

const NOTHING_LEFT: PortOperation = {
  allocate() {
    throw new NodePortError("range is full");
  },
  allocateNext() {
    throw new NodePortError("range is full");
  },
};
