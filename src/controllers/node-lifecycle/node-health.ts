import type { Lease } from "../../api/types/coordination/v1.js";
import type { Node, NodeCondition } from "../../api/types/core/v1.js";
import { formatTime } from "../../machinery/meta/time.js";

/** How long a node may be silent before its conditions become unknown, in milliseconds; kube-controller-manager's default. */
const GRACE_MS = 50_000;
/** The same of a new node, before its first status. */
const STARTUP_GRACE_MS = 60_000;

/** The conditions that a kubelet posts. Of the network others know. */
const OF_KUBELETS = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

export function readyCondition({ status }: Node): NodeCondition | undefined {
  return status?.conditions?.find(({ type }) => type === "Ready");
}

interface Sign {
  /** By this process's clock, so that clocks of nodes may differ. */
  at: number;
  readonly heartbeat: string | undefined;
}

/** Records the last sign of life of each node: a heartbeat in its status, or a renewal of its Lease. Times in milliseconds. */
export class NodeHealth {
  readonly #statuses = new Map<string, Sign>();
  readonly #leases = new Map<string, { at: number; readonly renewTime: string }>();

  constructor(private readonly grace = GRACE_MS) {}

  /** Looks at a node's status. */
  observe(node: Node, now: number): void {
    const { name = "", creationTimestamp } = node.metadata ?? {};
    const before = this.#statuses.get(name);
    const ready = readyCondition(node);
    const heartbeat = ready && (ready.lastHeartbeatTime ?? "");
    if (before === undefined) {
      const created = creationTimestamp ? Date.parse(creationTimestamp) : now;
      this.#statuses.set(name, { at: ready === undefined ? created : now, heartbeat });
    } else if (before.heartbeat !== heartbeat) this.#statuses.set(name, { at: now, heartbeat });
  }

  /** Looks at the Lease of the node of its name. */
  renewed({ metadata, spec }: Lease, now: number): void {
    const { name = "" } = metadata ?? {};
    const renewTime = spec?.renewTime ?? "";
    const before = this.#leases.get(name);
    if (before === undefined || Date.parse(before.renewTime) < Date.parse(renewTime)) {
      this.#leases.set(name, { at: now, renewTime });
    }
  }

  forget(name: string): void {
    this.#statuses.delete(name);
    this.#leases.delete(name);
  }

  /** Takes the node's own write of conditions for no sign of life. */
  marked(name: string, conditions: readonly NodeCondition[]): void {
    const before = this.#statuses.get(name);
    const ready = conditions.find(({ type }) => type === "Ready");
    if (before) this.#statuses.set(name, { at: before.at, heartbeat: ready?.lastHeartbeatTime ?? "" });
  }

  /** Gives every node its whole grace period again. */
  renewAll(now: number): void {
    for (const sign of [...this.#statuses.values(), ...this.#leases.values()]) sign.at = now;
  }

  /** When the node's conditions become unknown unless it gives a sign before. */
  deadline(node: Node): number {
    const { name = "" } = node.metadata ?? {};
    const last = Math.max(this.#statuses.get(name)?.at ?? 0, this.#leases.get(name)?.at ?? 0);
    return last + (readyCondition(node) === undefined ? STARTUP_GRACE_MS : this.grace);
  }
}

/** The conditions of a node whose kubelet has stopped reporting. */
export function unknownConditions({ metadata, status }: Node, now: number): NodeCondition[] {
  const conditions = [...(status?.conditions ?? [])];
  const lastTransitionTime = formatTime(now);
  for (const type of OF_KUBELETS) {
    const index = conditions.findIndex((condition) => condition.type === type);
    const known = conditions[index];
    if (known === undefined) {
      conditions.push({
        type,
        status: "Unknown",
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
        lastHeartbeatTime: metadata?.creationTimestamp ?? null,
        lastTransitionTime,
      });
    } else if (known.status !== "Unknown") {
      const message = "Kubelet stopped posting node status.";
      conditions[index] = { ...known, status: "Unknown", reason: "NodeStatusUnknown", message, lastTransitionTime };
    }
  }
  return conditions;
}
