import type { Node, Pod } from "../../api/types/core/v1.js";
import { isOver } from "../owned-pods/pod-state.js";

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** The pods that have ended and are too many: those that were evicted first, then the oldest. */
export function surplus(pods: readonly Pod[], threshold: number): Pod[] {
  const ended = pods.filter(isOver);
  if (ended.length <= threshold) return [];
  return ended.sort(byEvictionAndAge).slice(0, ended.length - threshold);
}

function byEvictionAndAge(one: Pod, other: Pod): number {
  const evicted = Number(isEvicted(other)) - Number(isEvicted(one));
  if (evicted !== 0) return evicted;
  const created = ({ metadata }: Pod): string => metadata?.creationTimestamp ?? "";
  const name = ({ metadata }: Pod): string => metadata?.name ?? "";
  if (created(one) !== created(other)) return created(one) < created(other) ? -1 : 1;
  return name(one) < name(other) ? -1 : 1;
}

const isEvicted = ({ status }: Pod): boolean => status?.phase === "Failed" && status.reason === "Evicted";

/** Whether no kubelet will end the deleted pod: it has no node, or its node is not ready and out of service. */
export function isStuck(pod: Pod, node: Node | undefined): boolean {
  if (pod.metadata?.deletionTimestamp === undefined) return false;
  return !pod.spec?.nodeName || (node !== undefined && isOutOfService(node));
}

export function isOutOfService({ spec, status }: Node): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  return !ready && spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
}
