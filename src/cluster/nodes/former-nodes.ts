import type { Node } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { aliveUntil, leasesOf } from "./claim-nodes.js";
import { isOfThisProgram, removeNode } from "./remove-node.js";

export interface FormerNodesParts {
  /** As a user who may delete nodes and pods. */
  readonly client: Pick<KubernetesClient, "of">;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Receives a line for each node that was removed. */
  readonly tell: (line: string) => void;
  readonly report: (error: unknown) => void;
}

/** After a request that failed. */
const RETRY_MS = 5000;

/**
 * Removes the nodes that servers of earlier versions left on a shared storage, with their pods: nodes named "node-1" and so on,
 * without the name of a server, whose Leases have ended. A node whose Lease has not ended is checked again when it does. Resolves
 * when none is left, or when `signal` aborts; never rejects. Only the server whose controllers run calls it. Nodes from outside
 * stay.
 */
export async function removeFormerNodes(parts: FormerNodesParts): Promise<void> {
  const { clock, timers, signal, report } = parts;
  while (!signal.aborted) {
    let next: number | undefined;
    try {
      next = await removeDead(parts);
      if (next === undefined) return;
    } catch (error) {
      if (signal.aborted) return;
      report(error);
      next = clock.now() + RETRY_MS;
    }
    await pause(timers, Math.max(next - clock.now(), 1), signal);
  }
}

/** When the next of the nodes that are left may be dead; undefined when none is left. */
async function removeDead(parts: FormerNodesParts): Promise<number | undefined> {
  const { client, clock, signal, tell } = parts;
  const nodes = await client.of("v1", "Node").listWhole({ signal });
  const former = nodes.items.filter(isFormer);
  if (former.length === 0) return undefined;
  const leases = await leasesOf(client);
  let next: number | undefined;
  for (const node of former) {
    const name = node.metadata?.name ?? "";
    const until = aliveUntil(node, leases.get(name));
    if (until > clock.now()) {
      next = Math.min(next ?? until, until);
      continue;
    }
    const pods = await removeNode(node, { client, clock, signal });
    tell(
      `node ${JSON.stringify(name)} was removed with its ${pods} pods: a server of an earlier version left it, and its Lease ended`,
    );
  }
  return next;
}

/** As earlier versions named the nodes of their process. */
const isFormer = (node: Node): boolean => /^node-\d+$/.test(node.metadata?.name ?? "") && isOfThisProgram(node);
