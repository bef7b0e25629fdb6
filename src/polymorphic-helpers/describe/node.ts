import type { ApiObject } from "../../machinery/meta/object.js";
import type { Lease } from "../../api/types/coordination/v1.js";
import type { ResourceSlice } from "../../api/types/resource/v1.js";
import type { Event, Node, NodeCondition, ResourceList, Pod } from "../../api/types/core/v1.js";
import { isForbidden } from "../../machinery/errors/status-error.js";
import {
  type FieldsOf,
  absent,
  isStruct,
  list,
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { dateText } from "./dates.js";
import type { DescribeContext, Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf, since } from "./events.js";
import { flag, order, scalar } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";
import { describeTaints } from "./scheduling.js";
import { formatQuantity, type Quantity, quantityValue, zeroQuantity } from "../../machinery/text/quantity/quantity.js";
import { type Amounts, amountsOf, podResources, sumAmounts } from "../pod-resources.js";

const ROLE_PREFIX = "node-role.kubernetes.io/";
const ROLE = "kubernetes.io/role";

export const describeNode: Describer = async (_namespace, name, description, context) => {
  const { reader } = context;
  const node = await reader.get("v1/Node", "", name);
  const fieldSelector = `spec.nodeName=${name},status.phase!=Succeeded,status.phase!=Failed`;
  const pods = await reader.list("v1/Pod", "", { fieldSelector }).catch((error: unknown) => {
    if (isForbidden(error)) return undefined;
    throw error;
  });
  const events = await eventsOfNode(node, context);
  const slices = await reader
    .list("resource.k8s.io/v1/ResourceSlice", "", { fieldSelector: `spec.nodeName=${name}`, unlimited: true })
    .catch(() => []);
  const spec = object(node.spec);
  describeName(description, node, false);
  description.write(0, `Roles:\t${rolesText(node)}\n`);
  describeLabelsAndAnnotations(description, node);
  description.write(0, `CreationTimestamp:\t${dateText(node.metadata?.creationTimestamp)}\n`);
  describeTaints(description, "Taints", spec.taints);
  description.write(0, `Unschedulable:\t${flag(spec.unschedulable)}\n`);
  await describeLease(description, name, context);
  describeStatus(description, node, slices);
  if (text(spec.podCIDR) !== "") description.write(0, `PodCIDR:\t${text(spec.podCIDR)}\n`);
  const ranges = list(spec.podCIDRs).map(text);
  if (ranges.length > 0) description.write(0, `PodCIDRs:\t${ranges.join(",")}\n`);
  if (text(spec.providerID) !== "") description.write(0, `ProviderID:\t${text(spec.providerID)}\n`);
  if (pods === undefined) description.write(0, "Pods:\tnot authorized\n");
  else describeNodePods(description, node, pods, context);
  describeEvents(description, events, context);
};

/** Some who write events know a node by its name where the uid goes. */
async function eventsOfNode(
  node: ReceivedObject<Node>,
  context: DescribeContext,
): Promise<readonly ReceivedObject<Event>[] | undefined> {
  const byUid = await eventsOf(node, "Node", context);
  const { name = "" } = node.metadata ?? {};
  const byName = await eventsOf(
    { ...node, metadata: { ...node.metadata, uid: name } } satisfies FieldsOf<ApiObject>,
    "Node",
    context,
  );
  return byUid && [...byUid, ...(byName ?? [])];
}

function rolesText({ metadata }: ReceivedObject<Node>): string {
  const roles = Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) => {
    const role = key.startsWith(ROLE_PREFIX) ? key.slice(ROLE_PREFIX.length) : key === ROLE ? value : "";
    return role === "" ? [] : [role];
  });
  return roles.length === 0 ? "<none>" : [...new Set(roles)].sort(order).join(",");
}

/** The lease by which a node says that it lives. A request. */
async function describeLease(description: Description, name: string, { reader }: DescribeContext): Promise<void> {
  let lease: ReceivedObject<Lease>;
  try {
    lease = await reader.get("coordination.k8s.io/v1/Lease", "kube-node-lease", name);
  } catch (error) {
    description.write(0, `Lease:\tFailed to get lease: ${(error as Error).message}\n`);
    return;
  }
  const { holderIdentity, acquireTime, renewTime } = object(lease.spec);
  const orUnset = (value: OrAbsent<string>, shown: (value: string) => string): string =>
    absent(value) ? "<unset>" : shown(value);
  description.write(0, "Lease:\n");
  description.write(1, `HolderIdentity:\t${orUnset(holderIdentity, text)}\n`);
  description.write(1, `AcquireTime:\t${orUnset(acquireTime, dateText)}\n`);
  description.write(1, `RenewTime:\t${orUnset(renewTime, dateText)}\n`);
}

const SYSTEM = [
  ["Machine ID", "machineID"],
  ["System UUID", "systemUUID"],
  ["Boot ID", "bootID"],
  ["Kernel Version", "kernelVersion"],
  ["OS Image", "osImage"],
  ["Operating System", "operatingSystem"],
  ["Architecture", "architecture"],
  ["Container Runtime Version", "containerRuntimeVersion"],
  ["Kubelet Version", "kubeletVersion"],
] as const;

function describeStatus(
  description: Description,
  node: ReceivedObject<Node>,
  slices: readonly ReceivedObject<ResourceSlice>[],
): void {
  const { conditions, addresses, capacity, allocatable, nodeInfo } = object(node.status);
  describeConditions(description, conditions);
  description.write(0, "Addresses:\n");
  for (const { type, address } of objects(addresses)) description.write(1, `${text(type)}:\t${text(address)}\n`);
  describeAmounts(description, "Capacity", capacity);
  describeAmounts(description, "Allocatable", allocatable);
  describeNodeSlices(description, slices);
  description.write(0, "System Info:\n");
  for (const [title, field] of SYSTEM) description.write(1, `${title}:\t${text(object(nodeInfo)[field])}\n`);
}

function describeConditions(description: Description, conditions: OrAbsent<Received<NodeCondition[]>>): void {
  const all = objects(conditions);
  if (all.length === 0) return;
  const titles = "Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage";
  description.write(0, `Conditions:\n  ${titles}\n`);
  description.write(1, "----\t------\t-----------------\t------------------\t------\t-------\n");
  for (const { type, status, lastHeartbeatTime, lastTransitionTime, reason, message } of all) {
    const cells = [text(type), text(status), dateText(lastHeartbeatTime), dateText(lastTransitionTime), text(reason)];
    // The spaces are kubectl's own.
    description.write(1, `${cells.join(" \t")} \t${text(message)}\n`);
  }
}

/** Nothing without any. */
function describeAmounts(description: Description, title: string, amounts: OrAbsent<Received<ResourceList>>): void {
  const names = isStruct(amounts) ? Object.keys(amounts).sort(order) : [];
  if (names.length > 0) description.write(0, `${title}:\n`);
  for (const name of names) description.write(1, `${name}:\t${scalar(object(amounts)[name])}\n`);
}

/** The pods on a node that have not ended, what each asks, and what all of them take of the node. */
function describeNodePods(
  description: Description,
  node: ReceivedObject<Node>,
  pods: readonly ReceivedObject<Pod>[],
  { now }: Pick<DescribeContext, "now">,
): void {
  const { capacity, allocatable: left } = object(node.status);
  const allocatable = amountsOf(Object.keys(object(left)).length > 0 ? left : capacity);
  description.write(0, `Non-terminated Pods:\t(${pods.length} in total)\n`);
  description.write(1, "Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge\n");
  description.write(1, "---------\t----\t\t------------\t----------\t---------------\t-------------\t---\n");
  for (const pod of pods) {
    const { namespace = "", name = "", creationTimestamp } = pod.metadata ?? {};
    const requests = podResources(pod, { bound: "requests", reported: true });
    const limits = podResources(pod, { bound: "limits", reported: true });
    const shares = ["cpu", "memory"].flatMap((resource) => [
      shareText(requests, resource, allocatable),
      shareText(limits, resource, allocatable),
    ]);
    description.write(1, `${namespace}\t${name}\t\t${shares.join("\t")}\t${since(creationTimestamp, now)}\n`);
  }
  describeAllocated(description, pods, allocatable);
}

function describeAllocated(description: Description, pods: readonly ReceivedObject<Pod>[], allocatable: Amounts): void {
  description.write(0, "Allocated resources:\n  (Total limits may be over 100 percent, i.e., overcommitted.)\n");
  description.write(1, "Resource\tRequests\tLimits\n");
  description.write(1, "--------\t--------\t------\n");
  const total = (bound: "requests" | "limits"): Amounts =>
    sumAmounts(pods.map((pod) => podResources(pod, { bound, reported: false })));
  const [requests, limits] = [total("requests"), total("limits")];
  const names = [...allocatable.keys()].sort(order);
  const pages = names.filter((name) => name.startsWith("hugepages-"));
  for (const name of [...STANDARD, ...pages]) {
    const shares = [requests, limits].map((amounts) =>
      amountOf(allocatable, name).unscaled === 0n
        ? `${formatQuantity(amountOf(amounts, name))} (0%)`
        : shareText(amounts, name, allocatable),
    );
    description.write(1, `${name}\t${shares.join("\t")}\n`);
  }
  const extended = names.filter((name) => !STANDARD.includes(name) && !pages.includes(name) && name !== "pods");
  for (const name of extended) {
    const amounts = [requests, limits].map((all) => formatQuantity(amountOf(all, name)));
    description.write(1, `${name}\t${amounts.join("\t")}\n`);
  }
}

const STANDARD = ["cpu", "memory", "ephemeral-storage"];

const amountOf = (amounts: Amounts, name: string): Quantity => amounts.get(name) ?? zeroQuantity;

/** "500m (25%)", rounded down. */
function shareText(amounts: Amounts, name: string, allocatable: Amounts): string {
  const scale = name === "cpu" ? -3 : 0;
  const amount = amountOf(amounts, name);
  const value = (quantity: Quantity): number => Number(quantityValue(quantity, scale));
  const percent = (value(amount) / value(amountOf(allocatable, name))) * 100;
  return `${formatQuantity(amount)} (${goInteger(percent)}%)`;
}

/** What no integer can hold is the least of them, as Go's conversion has it on amd64. */
const goInteger = (value: number): string =>
  Number.isFinite(value) ? String(Math.trunc(value)) : String(-(2n ** 63n));

const MOST_POOLS = 10;

interface Pool {
  readonly driver: string;
  readonly pool: string;
  readonly slices: number;
  readonly devices: number;
}

/** How many devices a node has, by driver and pool. Nothing without any. */
function describeNodeSlices(description: Description, slices: readonly ReceivedObject<ResourceSlice>[]): void {
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
