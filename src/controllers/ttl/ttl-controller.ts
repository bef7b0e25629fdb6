import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";

/** From `fewest` to `most` nodes. Neighbours overlap, so that a cluster at a border does not go back and forth. */
const STEPS = [
  { fewest: 0, most: 100, seconds: 0 },
  { fewest: 90, most: 500, seconds: 15 },
  { fewest: 450, most: 1000, seconds: 30 },
  { fewest: 900, most: 2000, seconds: 60 },
  { fewest: 1800, most: Number.POSITIVE_INFINITY, seconds: 300 },
] as const;

/** The number of seconds for which kubelets may cache what they read, by the number of nodes. */
export class TtlSteps {
  #nodes = 0;
  #step = 0;

  get seconds(): number {
    return STEPS[this.#step]?.seconds ?? 0;
  }

  nodeAdded(): void {
    this.#nodes += 1;
    if (this.#nodes > (STEPS[this.#step]?.most ?? 0)) this.#step += 1;
  }

  nodeDeleted(): void {
    this.#nodes -= 1;
    if (this.#nodes < (STEPS[this.#step]?.fewest ?? 0)) this.#step -= 1;
  }
}

/** Tells kubelets how long they may keep what they have read of Secrets and ConfigMaps: longer in large clusters. */
const TTL = "node.alpha.kubernetes.io/ttl";

/** Annotates nodes with that time, in seconds. */
export function ttlController({ client, manager }: ControllerContext): void {
  const nodes = client.of("v1", "Node");
  const steps = new TtlSteps();
  manager.informers.of("v1", "Node").addHandler({
    added: () => steps.nodeAdded(),
    deleted: () => steps.nodeDeleted(),
  });
  manager
    .controllerFor("v1", "Node")
    .named("ttl-controller")
    .reconcile(async ({ name, object: node }) => {
      const ttl = `${steps.seconds}`;
      if (node === undefined || node.metadata?.annotations?.[TTL] === ttl) return;
      try {
        await nodes.patch(name, { metadata: { annotations: { [TTL]: ttl } } }, { type: "strategic" });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
}
