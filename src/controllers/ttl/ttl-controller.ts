import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { TtlSteps } from "./ttl-steps.js";

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
