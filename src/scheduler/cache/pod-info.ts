import type { Pod, Container, ContainerStatus, ResourceList } from "../../api/types/core/v1.js";
import type { Labels } from "../../machinery/selectors/label-selector.js";
import { type AffinityTerm, type AffinityTerms, affinityTerms, selectsByLabels } from "./affinity-terms.js";
import { type HostPort, hostPorts } from "./host-ports.js";
import { type Resources, addResourceList, addResources, noResources, raiseResources, setAmount } from "./resources.js";
import { type AmountKind, podTotal, type ResizeSums, resizedTotal } from "../../api/pods/pod-total.js";

/** A pod with the values that scheduling often needs, computed once for each state of the pod. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  /** "<namespace>/<name>". */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly requests: Resources;
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  readonly ports: readonly HostPort[];
  readonly affinity: AffinityTerms;
  readonly hasAffinity: boolean;
  /** A term of its affinity selects namespaces by their labels. */
  readonly selectsNamespaces: boolean;
  /** The names of the claims that the pod's volumes name or, for ephemeral ones, will have: "<namespace>/<claim>". */
  readonly claims: readonly string[];
  readonly isTerminating: boolean;
}

const NO_LABELS: Labels = Object.freeze({});

export function podInfo(pod: Pod, resizes: ResizeSums = "by-container"): PodInfo {
  const { metadata, spec } = pod;
  const { namespace = "", name = "", uid = "", labels = NO_LABELS } = metadata ?? {};
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const affinity = affinityTerms(pod);
  return {
    pod,
    uid,
    key: `${namespace}/${name}`,
    namespace,
    name,
    labels,
    priority: spec?.priority ?? 0,
    ...podRequests(pod, resizes),
    ports: hostPorts(pod),
    affinity,
    selectsNamespaces: Object.values(affinity).some((terms: readonly AffinityTerm[]) => terms.some(selectsByLabels)),
    hasAffinity: podAffinity !== undefined || podAntiAffinity !== undefined,
    claims: claimsOf(pod, namespace, name),
    isTerminating: metadata?.deletionTimestamp !== undefined,
  };
}

function claimsOf({ spec }: Pod, namespace: string, pod: string): readonly string[] {
  const claims: string[] = [];
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    if (persistentVolumeClaim !== undefined) claims.push(`${namespace}/${persistentVolumeClaim.claimName}`);
    else if (ephemeral !== undefined) claims.push(`${namespace}/${pod}-${name}`);
  }
  return claims;
}

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
 * The requests of a pod: the sum of its containers and sidecars or, where that is more, those of an init container with the
 * sidecars before it. Pod-level requests replace the result; overhead is added.
 */
export function podRequests(pod: Pod, resizes: ResizeSums = "by-container"): PodRequests {
  const requests = sumOf(pod, undefined, resizes);
  const ofPod = pod.spec?.resources?.requests;
  const hasPodLevel = ofPod !== undefined && Object.keys(ofPod).length > 0;
  const defaults: Defaults = {
    milliCpu: hasPodLevel && requests.milliCpu > 0 ? 0 : DEFAULT_MILLI_CPU,
    memory: hasPodLevel && requests.memory > 0 ? 0 : DEFAULT_MEMORY,
  };
  const nonZero = sumOf(pod, defaults, resizes);
  return { requests, nonZeroMilliCpu: nonZero.milliCpu, nonZeroMemory: nonZero.memory };
}

const RESOURCES: AmountKind<Resources> = { none: noResources, add: addResources, raise: raiseResources };

function sumOf(pod: Pod, defaults: Defaults | undefined, resizes: ResizeSums): Resources {
  const { spec, status } = pod;
  const statuses = (isInit: boolean) => (isInit ? status?.initContainerStatuses : status?.containerStatuses);
  // A pod that nothing is reported of takes what it asks for.
  const isReported = status?.containerStatuses !== undefined || status?.initContainerStatuses !== undefined;
  const sum =
    resizes === "by-container" || (!isReported && !isInfeasible(pod))
      ? podTotal(spec, RESOURCES, (container, isInit) => containerRequests(pod, container, statuses(isInit), defaults))
      : resizedTotal(spec, RESOURCES, isInfeasible(pod), (container, isInit, source) => {
          const list =
            source === "asked" ? container.resources?.requests : reported(container, statuses(isInit), source);
          return withDefaults(list === undefined ? noResources() : resourcesOf(list), container, defaults);
        });
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
  return withDefaults(own, resources === undefined ? {} : { resources }, defaults);
}

function reported(
  { name }: Container,
  statuses: readonly ContainerStatus[] | undefined,
  source: "allocated" | "actual",
): ResourceList | undefined {
  const status = statuses?.find((one) => one.name === name);
  return source === "allocated" ? status?.allocatedResources : status?.resources?.requests;
}

function withDefaults(
  own: Resources,
  { resources }: Pick<Container, "resources">,
  defaults: Defaults | undefined,
): Resources {
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
  return (status?.conditions ?? []).some(({ type, reason }) => type === "PodResizePending" && reason === "Infeasible");
}
