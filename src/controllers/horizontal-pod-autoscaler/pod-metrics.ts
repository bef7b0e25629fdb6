import { own } from "../../base/collections/own.js";
import type { Container, Pod } from "../../api/types/core/v1.js";
import { parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";

/** The measurement of one pod. */
export interface PodMetric {
  /** In thousandths of the metric's unit. */
  readonly value: number;
  /** When the measurement ended, in milliseconds since the epoch. */
  readonly at: number;
  /** How long was measured, in milliseconds. */
  readonly window: number;
}

/** The measurements of pods, by the pod's name. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

export const withoutPods = (metrics: PodMetrics, ...groups: readonly ReadonlySet<string>[]): PodMetrics =>
  new Map([...metrics].filter(([name]) => !groups.some((group) => group.has(name))));

/**
 * The request of each pod for a resource in thousandths, by pod name; that of one container where `container` is not "". Throws
 * where a request is missing.
 */
export function requestsOf(pods: readonly Pod[], resource: string, container: string): ReadonlyMap<string, number> {
  return new Map(pods.map((pod) => [pod.metadata?.name ?? "", requestOf(pod, resource, container)]));
}

function requestOf(pod: Pod, resource: string, container: string): number {
  const name = pod.metadata?.name ?? "";
  const ofPod = pod.spec?.resources?.requests;
  if (container === "" && ofPod !== undefined && Object.keys(ofPod).length > 0) {
    const request = own(ofPod, resource);
    if (request === undefined) throw new Error(`missing pod-level request for ${resource} in Pod ${name}`);
    return thousandths(request);
  }
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  const all: readonly Container[] = [...containers, ...sidecars];
  const counted = container === "" ? all : all.filter((one) => one.name === container);
  if (container !== "" && counted.length === 0) throw new Error(`container ${container} not found in Pod ${name}`);
  return counted.reduce((sum, one) => {
    const request = own(one.resources?.requests, resource);
    if (request === undefined) {
      throw new Error(`missing request for ${resource} in container ${one.name} of Pod ${name}`);
    }
    return sum + thousandths(request);
  }, 0);
}

export const thousandths = (quantity: string | number): number =>
  Number(quantityValue(parseQuantity(String(quantity)), -3));
