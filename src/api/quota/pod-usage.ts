import { type AmountKind, type AmountSource, podTotal, type ResizeSums, resizedTotal } from "../pods/pod-total.js";
import type { Container, ContainerStatus, Pod } from "../types/core/v1.js";
import { addUsage, ONE, raiseUsage, type Usage, usageOf } from "./usage.js";

const COMPUTE = ["cpu", "memory", "ephemeral-storage"];

/** The quota usage of a pod. A pod that has ended, or whose grace period is over, counts as an object alone. `now` in milliseconds. */
export function podUsage(pod: Pod, now: number, resizes: ResizeSums = "by-container"): Usage {
  const usage: Usage = new Map([["count/pods", ONE]]);
  if (!isCharged(pod, now)) return usage;
  usage.set("pods", ONE);
  for (const [name, amount] of totals(pod, "requests", resizes)) {
    if (COMPUTE.includes(name) || name.startsWith("hugepages-")) {
      usage.set(name, amount);
      usage.set(`requests.${name}`, amount);
    } else if (isExtended(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of totals(pod, "limits", resizes))
    if (COMPUTE.includes(name)) usage.set(`limits.${name}`, amount);
  return usage;
}

/** The time from which quota no longer counts a deleted pod, in milliseconds; undefined for a pod that is not deleted. */
export function chargedUntil({ metadata }: Pod): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata ?? {};
  if (deletionTimestamp == null) return undefined;
  return Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function isCharged(pod: Pod, now: number): boolean {
  const phase = pod.status?.phase;
  return phase !== "Failed" && phase !== "Succeeded" && now <= (chargedUntil(pod) ?? Number.POSITIVE_INFINITY);
}

/** The prefix of a device class's name in the extended resource that every class defines. */
export const DEVICE_CLASS = "deviceclass.resource.kubernetes.io/";

/** Whether quota counts the resource as `requests.<name>`: one outside Kubernetes' own domain, or a device of a class. */
export function isExtended(name: string): boolean {
  if (name.startsWith(DEVICE_CLASS)) return true;
  const [domain = "", rest] = name.split("/");
  return rest !== undefined && !`.${domain}`.endsWith(".kubernetes.io") && !name.startsWith("requests.");
}

const USAGE: AmountKind<Usage> = { none: () => new Map(), add: addUsage, raise: raiseUsage };

/** What the containers take together; amounts of the whole pod replace that, and overhead comes on top. */
function totals(pod: Pod, field: "requests" | "limits", resizes: ResizeSums): Usage {
  const { spec } = pod;
  const sum = resizes === "by-container" ? byContainer(pod, field) : byPod(pod, field);
  for (const [name, amount] of usageOf(spec?.resources?.[field])) sum.set(name, amount);
  const overhead = [...usageOf(spec?.overhead)].filter(([name]) => {
    return field === "requests" || (sum.get(name)?.unscaled ?? 0n) !== 0n;
  });
  addUsage(sum, new Map(overhead));
  return sum;
}

function byContainer(pod: Pod, field: "requests" | "limits"): Usage {
  const { spec, status } = pod;
  return podTotal(spec, USAGE, (container, isInit) => {
    const sidecar = container.restartPolicy === "Always";
    const statuses = isInit ? (sidecar ? status?.initContainerStatuses : undefined) : status?.containerStatuses;
    return taken(pod, container, statuses, field);
  });
}

function byPod(pod: Pod, field: "requests" | "limits"): Usage {
  const { spec, status } = pod;
  const list = (container: Container, isInit: boolean, source: AmountSource) => {
    if (source === "asked") return container.resources?.[field];
    const statuses = isInit ? status?.initContainerStatuses : status?.containerStatuses;
    const found = statuses?.find((one) => one.name === container.name);
    if (source === "actual") return found?.resources?.[field];
    return field === "requests" ? found?.allocatedResources : undefined;
  };
  return resizedTotal(spec, USAGE, isInfeasible(pod), (...one) => usageOf(list(...one)));
}

/** While a resize is under way, a container takes the larger of what it has and what it is to get; what it can never get does not count. */
function taken(
  pod: Pod,
  { name, resources }: Container,
  statuses: readonly ContainerStatus[] | undefined,
  field: "requests" | "limits",
): Usage {
  const asked = usageOf(resources?.[field]);
  const status = statuses?.find((one) => one.name === name);
  const actual = status?.resources?.[field];
  if (status === undefined || actual === undefined) return asked;
  const usage = isInfeasible(pod) ? usageOf(actual) : asked;
  raiseUsage(usage, usageOf(actual));
  if (field === "requests") raiseUsage(usage, usageOf(status.allocatedResources));
  return usage;
}

const isInfeasible = ({ status }: Pod): boolean =>
  (status?.conditions ?? []).some(({ type, reason }) => type === "PodResizePending" && reason === "Infeasible");

/** The amounts that each container must say, where a quota counts them. */
const DEMANDED = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/**
 * Returns kube-apiserver's message about the amounts that a quota over `names` demands and the pod does not set; undefined where
 * it sets all. A pod that sets `spec.resources` need not set them on its containers.
 */
export function requiredAmounts({ spec }: Pod, names: ReadonlySet<string>): string | undefined {
  const { requests = {}, limits = {} } = spec?.resources ?? {};
  if (Object.keys({ ...requests, ...limits }).some(isOfPods)) return undefined;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const missing = DEMANDED.filter((name) => names.has(name)).flatMap((name) => {
    const without = containers.filter((container) => !saysAmount(container, name));
    const inOrder = [...new Set(without.map((container) => container.name))].sort();
    return inOrder.length === 0 ? [] : [`${name} for: ${inOrder.join(",")}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
}

/** The resources that pods may have amounts of as a whole. */
const isOfPods = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-");

function saysAmount({ resources }: Container, name: string): boolean {
  const [kind, resource] = name.startsWith("limits.")
    ? (["limits", name.slice("limits.".length)] as const)
    : (["requests", name.replace("requests.", "")] as const);
  return resources?.[kind]?.[resource] !== undefined;
}
