import { type AmountKind, podTotal } from "../api/pods/pod-total.js";
import { addUsage, raiseUsage } from "../api/quota/usage.js";
import type { Container, Pod, ResourceList } from "../api/types/core/v1.js";
import {
  isStruct,
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../machinery/meta/received.js";
import { parseQuantity, type Quantity } from "../machinery/text/quantity/quantity.js";

/** Amounts by resource ("cpu", "memory", "example.com/gpu"). */
export type Amounts = ReadonlyMap<string, Quantity>;

export interface PodResourcesWhat {
  readonly bound: "requests" | "limits";
  /** Whether what the kubelet reports of running containers counts too, so that a resize on its way is held at its most. */
  readonly reported: boolean;
}

/**
 * What a pod asks of its node, or is limited to: the sum of its containers, or the most that an init container takes beside
 * those that were started before it and go on; what the pod says as a whole goes before; its overhead comes on top.
 */
export function podResources(pod: ReceivedObject<Pod>, { bound, reported }: PodResourcesWhat): Amounts {
  const spec = object(pod.spec);
  const containers = { containers: objects(spec.containers), initContainers: objects(spec.initContainers) };
  const total = podTotal(containers, AMOUNTS, (container, isInit) => {
    // Those that end are not resized.
    const isResized = !isInit || container.restartPolicy === "Always";
    return reported && isResized ? withReported(pod, container, bound) : amountsOf(object(container.resources)[bound]);
  });
  for (const [name, amount] of amountsOf(object(spec.resources)[bound])) {
    if (isPodLevel(name)) total.set(name, amount);
  }
  for (const [name, amount] of amountsOf(spec.overhead)) {
    const unlimited = bound === "limits" && (total.get(name)?.unscaled ?? 0n) === 0n;
    if (!unlimited) addUsage(total, new Map([[name, amount]]));
  }
  return total;
}

const AMOUNTS: AmountKind<Map<string, Quantity>> = { none: () => new Map(), add: addUsage, raise: raiseUsage };

/** The sum of what several pods ask. */
export function sumAmounts(all: readonly Amounts[]): Amounts {
  const total = new Map<string, Quantity>();
  for (const amounts of all) addUsage(total, amounts);
  return total;
}

export function amountsOf(list: OrAbsent<Received<ResourceList>>): Map<string, Quantity> {
  const amounts = new Map<string, Quantity>();
  for (const [name, amount] of Object.entries(object(list))) amounts.set(name, parseQuantity(String(amount)));
  return amounts;
}

/** Where a resize cannot be had, what was asked does not count. */
function withReported(
  pod: ReceivedObject<Pod>,
  container: Received<Container>,
  bound: "requests" | "limits",
): Map<string, Quantity> {
  const asked = amountsOf(object(container.resources)[bound]);
  const { initContainerStatuses, containerStatuses, conditions } = object(pod.status);
  const statuses = [...objects(containerStatuses), ...objects(initContainerStatuses)];
  const status = statuses.findLast(({ name }) => text(name) === text(container.name));
  if (status === undefined || !isStruct(status.resources)) return asked;
  const pending = objects(conditions).find(({ type }) => type === "PodResizePending");
  const most = new Map(pending?.reason === "Infeasible" ? [] : asked);
  raiseUsage(most, amountsOf(status.resources[bound]));
  if (bound === "requests") raiseUsage(most, amountsOf(status.allocatedResources));
  return most;
}

const isPodLevel = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-");
