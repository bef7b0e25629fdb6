import type { Node } from "../../api/types/core/v1.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { isTerminating } from "../terminating.js";
import { freeRange } from "./free-range.js";

/** Gives nodes that have none a range of addresses for their pods, where the cluster has a range for all of them. */
export function nodeIpamController(context: ControllerContext): void {
  const { client, manager, cluster } = context;
  const { podRange } = cluster;
  if (podRange === undefined) return;
  const { lister } = manager.informers.of("v1", "Node");
  const recorder = context.recorder({ component: "cidrAllocator" });
  /** Given to nodes that the cache may still show without one. */
  const given = new Map<string, string>();
  let next = 0;

  manager
    .controllerFor("v1", "Node", { when: (node) => rangesOf(node).length === 0 })
    .named("node-ipam-controller")
    .reconcile(async ({ name, object: node }) => {
      if (node === undefined || isTerminating(node) || rangesOf(node).length > 0) {
        given.delete(name);
        return;
      }
      const taken = [...(podRange.reserved ?? []), ...lister.list().flatMap(rangesOf), ...given.values()];
      const found = freeRange(podRange, taken, next);
      if (found === undefined) {
        recorder.event(node, "Warning", "CIDRNotAvailable", `Node ${name} status is now: CIDRNotAvailable`);
        throw new Error(
          "failed to allocate cidr from cluster cidr at idx:0: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range",
        );
      }
      next = found.index + 1;
      given.set(name, found.cidr);
      try {
        const spec = { podCIDR: found.cidr, podCIDRs: [found.cidr] };
        await client.of("v1", "Node").patch(name, { spec }, { type: "strategic" });
      } catch (error) {
        given.delete(name);
        if (isNotFound(error)) return;
        recorder.event(node, "Warning", "CIDRAssignmentFailed", `Node ${name} status is now: CIDRAssignmentFailed`);
        throw error;
      }
    });
}

const rangesOf = ({ spec }: Node): readonly string[] => spec?.podCIDRs ?? [];
