import { type AmountKind, type AmountSource, podTotal, resizedTotal } from "../api/pods/pod-total.js";
import { addUsage, raiseUsage } from "../api/quota/usage.js";
import type { PodSpec, Container, Pod, ResourceList } from "../api/types/core/v1.js";
import {
  type FieldsOf,
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
 * The requests or the limits of a pod: the sum of its containers, or the largest need of an init container with the sidecars
 * before it. Pod-level resources override both; overhead is added.
 */
export function podResources(pod: ReceivedObject<Pod>, { bound, reported }: PodResourcesWhat): Amounts {
  const spec = object(pod.spec);
  const containers = {
    containers: objects(spec.containers),
    initContainers: objects(spec.initContainers),
  } satisfies FieldsOf<PodSpec>;
  const total = reported
    ? resizedTotal(containers, AMOUNTS, isInfeasible(pod), (container, isInit, source) =>
        source === "asked"
          ? amountsOf(object(container.resources)[bound])
          : reportedAmounts(pod, container, { isInit, source, bound }),
      )
    : podTotal(containers, AMOUNTS, (container) => amountsOf(object(container.resources)[bound]));
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

/** The sum of several pods' amounts. */
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

interface Reported {
  readonly isInit: boolean;
  readonly source: Exclude<AmountSource, "asked">;
  readonly bound: "requests" | "limits";
}

function reportedAmounts(
  { status }: ReceivedObject<Pod>,
  container: Received<Container>,
  { isInit, source, bound }: Reported,
): Map<string, Quantity> {
  const { initContainerStatuses, containerStatuses } = object(status);
  const statuses = objects(isInit ? initContainerStatuses : containerStatuses);
  const found = statuses.find(({ name }) => text(name) === text(container.name));
  if (source === "actual") return amountsOf(object(found?.resources)[bound]);
  return bound === "requests" ? amountsOf(found?.allocatedResources) : new Map();
}

const isInfeasible = ({ status }: ReceivedObject<Pod>): boolean =>
  objects(object(status).conditions).some(({ type, reason }) => type === "PodResizePending" && reason === "Infeasible");

const isPodLevel = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-");
