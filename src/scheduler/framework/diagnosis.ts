import type { NodeInfo } from "../cache/node-info.js";
import type { NodeLister } from "../cache/scheduler-cache.js";
import type { NodeStatuses } from "./plugin.js";
import type { Status } from "./status.js";

/** The reasons why a pod fits no node. */
export class Diagnosis implements NodeStatuses {
  /** By node: the nodes that filters rejected. */
  readonly statuses = new Map<string, Status>();
  /** The status of the nodes that are not in `statuses`. */
  absent: Status | undefined;
  /** The plugins that rejected the pod or a node. */
  readonly rejectedBy = new Set<string>();
  /** Those of them that wait for something outside the scheduler. */
  readonly pendingBy = new Set<string>();
  preFilterMessage = "";
  postFilterMessage = "";

  constructor(private readonly nodes: NodeLister) {}

  get(node: string): Status | undefined {
    return this.statuses.get(node) ?? (this.nodes.get(node) === undefined ? undefined : this.absent);
  }

  withCode(code: "unschedulable" | "unresolvable"): readonly NodeInfo[] {
    const others = this.absent?.code ?? "unresolvable";
    if (code !== others) {
      const found: NodeInfo[] = [];
      for (const [name, status] of this.statuses) {
        const node = status.code === code ? this.nodes.get(name) : undefined;
        if (node !== undefined) found.push(node);
      }
      return found;
    }
    return this.nodes.list().filter(({ name }) => (this.statuses.get(name)?.code ?? others) === code);
  }

  /** Takes a rejection that concerns all nodes. */
  rejectAll(status: Status): void {
    this.absent = status;
    this.preFilterMessage = status.reasons.join(", ");
    this.blame(status);
  }

  /** Takes the status of a plugin that rejected the pod or a node. */
  blame({ code, plugin }: Status): void {
    if (plugin === "") return;
    (code === "pending" ? this.pendingBy : this.rejectedBy).add(plugin);
  }
}

/** Formats Kubernetes' message: "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: ...". */
export function fitMessage(
  nodeCount: number,
  diagnosis: Pick<Diagnosis, "statuses" | "absent" | "preFilterMessage" | "postFilterMessage">,
): string {
  const { statuses, absent, preFilterMessage, postFilterMessage } = diagnosis;
  let message = `0/${nodeCount} nodes are available:`;
  if (preFilterMessage !== "") message += ` ${preFilterMessage}.`;
  else {
    const counts = new Map<string, number>();
    const count = (reasons: readonly string[], nodes: number): void => {
      for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes);
    };
    for (const { reasons } of statuses.values()) count(reasons, 1);
    if (statuses.size < nodeCount) count(absent?.reasons ?? [], nodeCount - statuses.size);
    // Sorted as text, numbers first: so Kubernetes has it.
    const texts = [...counts].map(([reason, nodes]) => `${nodes} ${reason}`).sort();
    if (texts.length > 0) message += ` ${texts.join(", ")}.`;
  }
  return postFilterMessage === "" ? message : `${message} ${postFilterMessage}`;
}
