import { inParallel } from "../../base/async/in-parallel.js";
import { number, object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ObjectReader } from "../../server/registry/strategy.js";
import type { ServerNode, ServerNodes } from "../nodes/server-nodes.js";
import type { LocalNodes } from "../nodes/start-nodes.js";
import type { PodUsage, Usage, UsageSource } from "./metrics-objects.js";

/** The nodes of this process, and the nodes of other servers. */
export interface UsageParts {
  readonly local: { readonly nodes: Pick<LocalNodes, "usage">; readonly names: readonly string[] } | undefined;
  /** Left out where the storage belongs to one server. */
  readonly others?: { readonly nodes: ServerNodes; readonly objects: Pick<ObjectReader, "list"> } | undefined;
}

/** How many nodes of other servers are asked at a time. */
const ASKED = 16;
/** A server that answers later is left out, as metrics-server leaves out a kubelet. */
const PATIENCE_MS = 5000;

/** Measures the usage of the pods on all servers' nodes. */
export function clusterUsage({ local, others }: UsageParts): UsageSource {
  return {
    async pods(wanted) {
      const own = (await local?.nodes.usage(wanted)) ?? [];
      if (others === undefined) return own;
      const reachable = new Map(others.nodes.reachable().map((node) => [node.name, node]));
      if (reachable.size === 0) return own;
      const pods = (await others.objects.list("", "pods")).filter((pod) => reachable.has(nodeOf(pod)) && wanted(pod));
      const asked = [...new Set(pods.map(nodeOf))].flatMap((name) => reachable.get(name) ?? []);
      const measured = await summariesOf(asked, others.nodes);
      return [...own, ...[...measured.values()].flatMap((usage) => usageOf(pods, usage))];
    },
    async nodes(names) {
      const byNode = new Map<string, PodUsage[]>();
      for (const name of local?.names ?? []) if (names.includes(name)) byNode.set(name, []);
      const own = (await local?.nodes.usage((pod) => byNode.has(nodeOf(pod)))) ?? [];
      for (const one of own) byNode.get(nodeOf(one.pod))?.push(one);
      if (others === undefined) return byNode;
      const asked = others.nodes.reachable().filter(({ name }) => names.includes(name));
      if (asked.length === 0) return byNode;
      const measured = await summariesOf(asked, others.nodes);
      const pods = await others.objects.list("", "pods");
      for (const [name, usage] of measured) byNode.set(name, [...usageOf(pods, usage)]);
      return byNode;
    },
  };
}

/** What a summary says of containers, by the uids of their pods. */
type PodsUsage = ReadonlyMap<string, readonly (Usage & { readonly name: string })[]>;

/** By node; those that do not answer are left out. */
async function summariesOf(
  nodes: readonly ServerNode[],
  servers: ServerNodes,
): Promise<ReadonlyMap<string, PodsUsage>> {
  const found = await inParallel(nodes, ASKED, async (node) => {
    try {
      return [[node.name, readSummary(await summaryOf(node, servers))] as const];
    } catch {
      return [];
    }
  });
  return new Map(found.flat());
}

function summaryOf(node: ServerNode, servers: ServerNodes): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = servers.ask(node, "/stats/summary", { method: "GET", signal: AbortSignal.timeout(PATIENCE_MS) });
    asked.on("error", reject).on("response", (answer) => {
      const chunks: Uint8Array[] = [];
      answer.on("error", reject).on("data", (chunk: Uint8Array) => chunks.push(chunk));
      answer.on("end", () => {
        try {
          if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`);
          resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")));
        } catch (error) {
          reject(error);
        }
      });
    });
    asked.end();
  });
}

/** The part of a kubelet's /stats/summary that metrics-server reads. */
function readSummary(summary: unknown): PodsUsage {
  return new Map(
    objects(object(summary).pods).map(({ podRef, containers }) => [
      text(object(podRef).uid),
      objects(containers).map(({ name, cpu, memory }) => ({
        name: text(name),
        cpuNanoCores: number(object(cpu).usageNanoCores),
        memoryBytes: number(object(memory).workingSetBytes),
      })),
    ]),
  );
}

function usageOf(pods: readonly KubeObject[], usage: PodsUsage): readonly PodUsage[] {
  return pods.flatMap((pod) => {
    const containers = usage.get(pod.metadata?.uid ?? "") ?? [];
    const isRunning = object(pod.status).phase === "Running";
    return isRunning && containers.length > 0 ? [{ pod, containers }] : [];
  });
}

const nodeOf = ({ spec }: KubeObject): string => text(object(spec).nodeName);
