import type { Node, NodeCondition, Pod } from "../../api/types/core/v1.js";
import type { EventRecorder } from "../../client/events/index.js";
import type { ControllerContext } from "../context.js";
import { NodeHealth, readyCondition, unknownConditions } from "./node-health.js";
import { hasTaint, NOT_READY, UNREACHABLE, changeTaints, markNotReady, writeConditions } from "./node-writes.js";
import { unlessAbsent } from "../writes.js";
import { countsForZone, ZoneQueues, zoneOf, zoneState } from "./zones.js";

/** A pass that comes this much later than it was due, in milliseconds, finds a process that was stopped, not nodes that were silent. */
const LATE_MS = 5000;

const BOTH = [NOT_READY, UNREACHABLE];

/** Looks at the health of all nodes. */
export class HealthPass {
  readonly health: NodeHealth;
  readonly #zones = new ZoneQueues();
  /** The nodes that passes know, with their uids. */
  readonly #known = new Map<string, string>();
  /** Nodes whose pods are to be made not ready. */
  readonly #unmarked = new Set<string>();
  #due = Number.POSITIVE_INFINITY;

  constructor(
    private readonly context: Pick<ControllerContext, "client" | "clock" | "cluster" | "counts" | "release">,
    private readonly events: EventRecorder,
    private readonly podsOf: (node: string) => readonly Pod[],
  ) {
    this.health = new NodeHealth(context.cluster.nodeMonitorGracePeriod);
  }

  /** One pass; resolves with the milliseconds after which another one is due, if nothing changes before: Infinity for never. */
  async run(nodes: readonly Node[]): Promise<number> {
    const { clock } = this.context;
    const now = clock.now();
    if (now - this.#due > LATE_MS) this.health.renewAll(now);
    this.#classify(nodes);
    const conditions = new Map<Node, NodeCondition | undefined>();
    for (const node of nodes) conditions.set(node, await this.#look(node, now));
    await this.#updateZones(conditions, now);
    for (const name of this.#zones.take(now)) {
      const node = nodes.find(({ metadata }) => metadata?.name === name);
      if (node !== undefined) await this.#taint(node);
    }
    const silent = nodes.filter((node) => conditions.get(node)?.status !== "Unknown");
    this.#due = Math.min(this.#zones.nextAt, ...silent.map((node) => this.health.deadline(node)));
    return Math.max(this.#due - clock.now(), 0);
  }

  #classify(nodes: readonly Node[]): void {
    const present = new Set(nodes.map(({ metadata }) => metadata?.name ?? ""));
    for (const { metadata } of nodes) {
      const { name = "", uid = "" } = metadata ?? {};
      if (this.#known.has(name)) continue;
      this.#known.set(name, uid);
      this.#event(name, uid, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
    }
    for (const [name, uid] of this.#known) {
      if (present.has(name)) continue;
      this.#known.delete(name);
      this.health.forget(name);
      this.#zones.remove(name);
      this.#event(name, uid, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
    }
  }

  /** Brings one node's conditions up to date; resolves with its Ready condition after that. */
  async #look(node: Node, now: number): Promise<NodeCondition | undefined> {
    const { name = "", uid = "" } = node.metadata ?? {};
    const observed = readyCondition(node);
    this.health.observe(node, now);
    let current = observed;
    if (observed?.status !== "Unknown" && (await this.#isSilent(node, now))) {
      const conditions = unknownConditions(node, now);
      if (!(await writeConditions(this.context.client, node, conditions))) return observed;
      this.health.marked(name, conditions);
      current = conditions.find(({ type }) => type === "Ready");
    }
    if (current === undefined) return undefined;
    await this.#prepareTaint(node, observed?.status ?? "Unknown");
    if (current.status === "True") this.#unmarked.delete(name);
    else if (observed?.status === "True") {
      this.#event(name, uid, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
      this.#unmarked.add(name);
    }
    if (this.#unmarked.has(name)) {
      await markNotReady(this.context.client, this.podsOf(name), this.events, this.context.clock);
      this.#unmarked.delete(name);
    }
    return current;
  }

  async #isSilent(node: Node, now: number): Promise<boolean> {
    if (this.health.deadline(node) > now) return false;
    // K37-144: the cache of Leases may be behind what the server has.
    if (!this.context.release.atLeast("1.37")) return true;
    const leases = this.context.client.of("coordination.k8s.io/v1", "Lease").namespace("kube-node-lease");
    const lease = await unlessAbsent(leases.get(node.metadata?.name ?? ""));
    if (lease !== undefined) this.health.renewed(lease, now);
    return this.health.deadline(node) <= now;
  }

  /** Queues the node for its NoExecute taint, replaces the taint of the other state at once, and removes both of a ready node. */
  async #prepareTaint(node: Node, status: string): Promise<void> {
    const { name = "" } = node.metadata ?? {};
    const { client, clock } = this.context;
    if (status === "True") {
      this.#zones.remove(name);
      if (BOTH.some((taint) => hasTaint(node.spec?.taints, taint))) {
        await changeTaints(client, name, { add: [], remove: BOTH }, clock);
      }
      return;
    }
    const { add, remove } = taintsFor(status);
    if (hasTaint(node.spec?.taints, remove)) await changeTaints(client, name, { add: [add], remove: [remove] }, clock);
    else if (!hasTaint(node.spec?.taints, add)) this.#zones.add(zoneOf(node), name);
  }

  async #updateZones(conditions: ReadonlyMap<Node, NodeCondition | undefined>, now: number): Promise<void> {
    const counts = new Map<string, { ready: number; notReady: number }>();
    for (const [node, condition] of conditions) {
      if (!countsForZone(node)) continue;
      const zone = zoneOf(node);
      const count = counts.get(zone) ?? { ready: 0, notReady: 0 };
      counts.set(zone, count);
      if (condition?.status === "True") count.ready += 1;
      else count.notReady += 1;
    }
    const states = new Map(
      [...counts].map(([zone, { ready, notReady }]) => {
        return [zone, { state: zoneState(ready, notReady), size: ready + notReady }] as const;
      }),
    );
    const change = this.#zones.update(states, now);
    if (change === "resumed") this.health.renewAll(now);
    if (change !== "stopped") return;
    for (const { metadata, spec } of conditions.keys()) {
      const { name = "" } = metadata ?? {};
      this.#zones.remove(name);
      if (!BOTH.some((taint) => hasTaint(spec?.taints, taint))) continue;
      await changeTaints(this.context.client, name, { add: [], remove: BOTH }, this.context.clock);
    }
  }

  async #taint(node: Node): Promise<void> {
    const status = readyCondition(node)?.status;
    if (status === undefined || status === "True") return;
    const { add, remove } = taintsFor(status);
    const { client, clock, counts } = this.context;
    await changeTaints(client, node.metadata?.name ?? "", { add: [add], remove: [remove] }, clock);
    counts.add("nodeEvictions", [zoneOf(node)]);
  }

  #event(name: string, uid: string, reason: string, message: string): void {
    this.events.event({ apiVersion: "v1", kind: "Node", name, uid }, "Normal", reason, message);
  }
}

function taintsFor(status: string) {
  return status === "False" ? { add: NOT_READY, remove: UNREACHABLE } : { add: UNREACHABLE, remove: NOT_READY };
}
