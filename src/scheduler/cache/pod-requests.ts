import type { Container, ContainerStatus, Pod, ResourceList } from "../../api/types/core/v1.js";
import { type AmountKind, podTotal } from "../../api/pods/pod-total.js";
import { addResourceList, addResources, noResources, raiseResources, type Resources, setAmount } from "./resources.js";

/** What a container without a CPU request counts as in scores, in thousandths of a CPU. */
const DEFAULT_MILLI_CPU = 100;
/** What a container without a memory request counts as in scores, in bytes. */
const DEFAULT_MEMORY = 200 * 1024 * 1024;

export interface PodRequests {
  /** What the pod takes of a node. */
  readonly requests: Resources;
  /** The same with a least amount of CPU (thousandths) and memory (bytes) for each container, for scores. */
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
}

interface Defaults {
  readonly milliCpu: number;
  readonly memory: number;
}

/**
 * What a pod takes of a node: the sum of its containers and sidecars or, where that is more, what an init container takes beside the sidecars
 * before it; requests of the whole pod replace that; overhead comes on top.
 */
export function podRequests(pod: Pod): PodRequests {
  const requests = sumOf(pod, undefined);
  const ofPod = pod.spec?.resources?.requests;
  const hasPodLevel = ofPod !== undefined && Object.keys(ofPod).length > 0;
  const defaults: Defaults = {
    milliCpu: hasPodLevel && requests.milliCpu > 0 ? 0 : DEFAULT_MILLI_CPU,
    memory: hasPodLevel && requests.memory > 0 ? 0 : DEFAULT_MEMORY,
  };
  const nonZero = sumOf(pod, defaults);
  return { requests, nonZeroMilliCpu: nonZero.milliCpu, nonZeroMemory: nonZero.memory };
}

const RESOURCES: AmountKind<Resources> = { none: noResources, add: addResources, raise: raiseResources };

function sumOf(pod: Pod, defaults: Defaults | undefined): Resources {
  const { spec, status } = pod;
  const sum = podTotal(spec, RESOURCES, (container, isInit) =>
    containerRequests(pod, container, isInit ? status?.initContainerStatuses : status?.containerStatuses, defaults),
  );
  const ofPod = spec?.resources?.requests;
  for (const name in ofPod) setAmount(sum, name, ofPod[name] ?? "0");
  addResourceList(sum, spec?.overhead);
  return sum;
}

/** While a resize is under way, a container takes the larger of what it has and what it is to get. */
function containerRequests(
  pod: Pod,
  { name, resources }: Container,
  statuses: readonly ContainerStatus[] | undefined,
  defaults: Defaults | undefined,
): Resources {
  const own = noResources();
  const actual = statuses?.find((status) => status.name === name);
  if (actual === undefined || !isInfeasible(pod)) addResourceList(own, resources?.requests);
  for (const list of [actual?.resources?.requests, actual?.allocatedResources]) {
    if (list !== undefined) raiseResources(own, resourcesOf(list));
  }
  if (defaults !== undefined) {
    if (resources?.requests?.["cpu"] === undefined) own.milliCpu = Math.max(own.milliCpu, defaults.milliCpu);
    if (resources?.requests?.["memory"] === undefined) own.memory = Math.max(own.memory, defaults.memory);
  }
  return own;
}

function resourcesOf(list: ResourceList): Resources {
  const resources = noResources();
  addResourceList(resources, list);
  return resources;
}

/** The node has said that it can never do the resize that the spec asks for. */
function isInfeasible({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(
    ({ type, reason }) => (type as string) === "PodResizePending" && reason === "Infeasible",
  );
}
