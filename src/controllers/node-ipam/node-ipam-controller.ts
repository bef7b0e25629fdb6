import type { FieldsOf } from "../../machinery/meta/received.js";
import type { NodeSpec, Node } from "../../api/types/core/v1.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { isTerminating } from "../terminating.js";
import { formatIpv4, parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";

/** Allocates a range of pod addresses to each node that has none, if the cluster has a range for all of them. */
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
        const spec = { podCIDR: found.cidr, podCIDRs: [found.cidr] } satisfies FieldsOf<NodeSpec>;
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

/** The addresses of a cluster's pods. */
export interface PodRange {
  /** An IPv4 block: "10.244.0.0/16". */
  readonly cidr: string;
  /** How many bits the addresses of a node's pods have in common: 24. */
  readonly nodeMask: number;
  /** Blocks that no node gets. */
  readonly reserved?: readonly string[];
}

export interface NodeRange {
  /** "10.244.3.0/24". */
  readonly cidr: string;
  /** Which of the parts of the whole range it is. */
  readonly index: number;
}

/**
 * Finds the first part of the range, from `start` on and cyclically, that shares no address with `taken`. Undefined when there is
 * none. Texts in `taken` that are not IPv4 blocks are ignored. Throws for a range that is not an IPv4 block.
 */
export function freeRange({ cidr, nodeMask }: PodRange, taken: Iterable<string>, start: number): NodeRange | undefined {
  const whole = parseIpv4Prefix(cidr);
  if (whole === undefined)
    throw new Error(`${JSON.stringify(cidr)} is not a block of IPv4 addresses such as "10.0.0.0/24"`);
  const size = 2 ** (32 - nodeMask);
  const count = Math.floor((whole.broadcast - whole.network + 1) / size);
  const used = new Set<number>();
  for (const one of taken) {
    const block = parseIpv4Prefix(one);
    if (block === undefined || block.broadcast < whole.network || block.network > whole.broadcast) continue;
    const [first, last] = [block.network, block.broadcast].map((address) =>
      Math.floor((address - whole.network) / size),
    );
    for (let index = Math.max(0, first ?? 0); index <= Math.min(count - 1, last ?? 0); index++) used.add(index);
  }
  for (let step = 0; step < count; step++) {
    const index = (start + step) % count;
    if (!used.has(index)) return { cidr: `${formatIpv4(whole.network + index * size)}/${nodeMask}`, index };
  }
  return undefined;
}
