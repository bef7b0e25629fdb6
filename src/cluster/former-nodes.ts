import type { Node } from "../api/types/core/v1.js";
import type { Clock } from "../base/clock.js";
import { pause } from "../base/pause.js";
import type { Timers } from "../base/timers.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { isConflict, isNotFound } from "../machinery/errors/status-error.js";
import { object, objects, text } from "../machinery/meta/access.js";
import { OS_IMAGE } from "../node/agent/node-registration.js";
import { aliveUntil, leasesOf } from "./claim-nodes.js";
import { SERVER_LABEL } from "./server-nodes.js";

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
 * Removes the nodes that servers of earlier versions left on a shared storage, with their pods: "node-1" and so on, which say nothing of a server and
 * which no server runs, by their Leases. One whose Lease has not ended is looked at again when it does. Resolves when there is none left, or when
 * `signal` aborts; never rejects. For the server alone whose controllers run. Nodes from outside are left alone.
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
    const pods = await removeWithPods(name, node.metadata?.uid, parts);
    tell(
      `node ${JSON.stringify(name)} was removed with its ${pods} pods: a server of an earlier version left it, and its Lease ended`,
    );
  }
  return next;
}

async function removeWithPods(
  node: string,
  uid: string | undefined,
  { client, signal }: FormerNodesParts,
): Promise<number> {
  const pods = await client.of("v1", "Pod").listWhole({ fieldSelector: `spec.nodeName=${node}`, signal });
  for (const { metadata = {} } of pods.items) {
    const { name = "", namespace = "" } = metadata;
    await unlessGone(() =>
      client
        .of("v1", "Pod")
        .namespace(namespace)
        .delete(name, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid ?? "" }, signal }),
    );
  }
  await unlessGone(() =>
    client.of("v1", "Node").delete(node, { ...(uid !== undefined && { preconditions: { uid } }), signal }),
  );
  return pods.items.length;
}

async function unlessGone(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** As earlier versions named and described the nodes of their process. An agent that runs elsewhere has an address in place of its name. */
function isFormer({ metadata, status }: Node): boolean {
  const { name = "", labels } = metadata ?? {};
  const { nodeInfo, addresses } = object(status);
  const hostname = objects(addresses).find(({ type }) => type === "Hostname");
  return (
    /^node-\d+$/.test(name) &&
    labels?.[SERVER_LABEL] === undefined &&
    text(object(nodeInfo).osImage) === OS_IMAGE &&
    text(hostname?.address) === name
  );
}
