import type { Pod, Node } from "../../api/types/core/v1.js";
import { RateLimitingQueue, runWorkers } from "../../client/workqueue/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { podsByNode } from "../pod-indexes.js";
import { isOver } from "../owned-pods/pod-state.js";
import { finishPod, NODE_IS_GONE } from "./finish-pod.js";

const CHECK_MS = 20_000;
/** How long a node must be absent before its pods are garbage. */
const QUARANTINE_MS = 40_000;
/** So many pods that have ended are kept. */
const THRESHOLD = 12_500;

/** What is looked at: pods that have ended, a node that is absent, or one pod: "pod/<namespace>/<name>". */
type Check = "ended" | `node/${string}` | `pod/${string}/${string}`;

/**
 * Deletes pods that no kubelet will delete: those of nodes that do not exist, those that are being deleted and have no node or are on an
 * out-of-service node, and ended ones above the threshold.
 */
export function podGarbageCollector(context: ControllerContext): OwnWork {
  const { client, manager, clock, timers, signal, report } = context;
  const { terminatedPodThreshold: given = THRESHOLD } = context.cluster;
  const threshold = given > 0 ? given : Number.POSITIVE_INFINITY;
  const queue = new RateLimitingQueue<Check>({ timers });
  const pods = manager.informers.of("v1", "Pod");
  const nodes = manager.informers.of("v1", "Node");
  const podsOf = podsByNode(pods);
  const ended = new Set<string>();

  const changed = (pod: Pod): void => {
    const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
    const node = pod.spec?.nodeName ?? "";
    if (node !== "" && nodes.lister.get(node) === undefined) queue.addAfter(`node/${node}`, QUARANTINE_MS);
    if (isStuck(pod, nodes.lister.get(node))) queue.addAfter(`pod/${namespace}/${name}`, CHECK_MS);
    if (isOver(pod)) ended.add(uid);
    if (ended.size > threshold) queue.addAfter("ended", CHECK_MS);
  };
  pods.addHandler({
    added: changed,
    updated: (_, pod) => changed(pod),
    deleted: ({ metadata }) => void ended.delete(metadata?.uid ?? ""),
  });
  nodes.addHandler({
    updated(before, node) {
      if (isOutOfService(node) && !isOutOfService(before)) podsOf(node.metadata?.name ?? "").forEach(changed);
    },
    deleted({ metadata }) {
      const name = metadata?.name ?? "";
      if (podsOf(name).length > 0) queue.addAfter(`node/${name}`, QUARANTINE_MS);
    },
  });

  const finish = (pod: Pod, message?: string): Promise<void> => finishPod(pod, message, { client, clock });

  async function isAbsent(node: string): Promise<boolean> {
    if (nodes.lister.get(node) !== undefined) return false;
    try {
      await client.of("v1", "Node").get(node);
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  }

  async function look(check: Check): Promise<void> {
    const [what, first = "", name = ""] = check.split("/");
    if (what === "node") {
      if (podsOf(first).length === 0 || !(await isAbsent(first))) return;
      for (const pod of podsOf(first)) await finish(pod, NODE_IS_GONE);
    } else if (what === "pod") {
      const pod = pods.lister.namespace(first).get(name);
      if (pod !== undefined && isStuck(pod, nodes.lister.get(pod.spec?.nodeName ?? ""))) await finish(pod);
    } else for (const pod of surplus(pods.lister.list(), threshold)) await finish(pod);
  }
  return { run: () => runWorkers(queue, { workers: 1, signal, work: look, report: ({ error }) => report(error) }) };
}

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";

/** The ended pods above the threshold: evicted ones first, then the oldest. */
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

function isOutOfService({ spec, status }: Node): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
  return !ready && spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
}
