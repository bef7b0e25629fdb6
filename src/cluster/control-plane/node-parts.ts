import type { Node } from "../../api/types/core/v1.js";
import { deferred } from "../../base/async/deferred.js";
import { inOrder } from "../../base/async/turns.js";
import { forkRandom } from "../../base/numbers/random.js";
import type { Listener } from "../../server/generic/secure-listener.js";
import type { Server } from "../../server/generic/server.js";
import type { CompositionParts } from "../composition.js";
import type { UsageParts } from "../metrics-api/cluster-usage.js";
import { networkOfAll, networkOfProcess, nodeHosts } from "../nodes/nodes-network.js";
import type { LeftNodesParts } from "../nodes/remove-node.js";
import type { LocalNodes, NodeOptions } from "../nodes/start-nodes.js";
import { HOST } from "../open-socket.js";
import { marksFileOf } from "../options/cluster-options.js";
import type { SharedServer } from "../shared-server.js";
import type { ControlPlanePart, ControlPlanePlan } from "./plan.js";

/** Registers this server among those that share its storage. */
export class SharedServerPart implements ControlPlanePart {
  readonly name = "claim-server-name";
  /** Undefined before the start, and where the storage belongs to this server. */
  server: SharedServer | undefined;

  constructor(private readonly plan: ControlPlanePlan) {}

  async start(server: Server, listener: Listener | undefined, parts: CompositionParts): Promise<void> {
    const { options } = this.plan;
    const { pki, clock, timers, random, reportError, kubeletClient, verifiers } = parts;
    const { SharedServer: Opened } = await inOrder(import("../shared-server.js"));
    this.server = new Opened({
      given: options.serverName,
      dataDir: options.dataDir,
      wantedPort: options.port === false ? 0 : (options.port ?? 0),
      listens: listener && { host: HOST, port: listener.port },
      server,
      pki,
      kubeletClient,
      clock,
      timers,
      random: forkRandom(random, "shared"),
      verifiers,
      onWarning: options.onWarning ?? (() => {}),
      reportError,
    });
    if (typeof options.nodes === "number") this.plan.nodes = this.server.numbered(options.nodes);
  }

  /** Ends after all parts that write: it gives the server's name back. */
  async close(): Promise<void> {
    await this.server?.close();
  }
}

/** Runs pods on the nodes of this process, and serves metrics.k8s.io of all nodes. */
export class NodesPart implements ControlPlanePart {
  readonly name = "start-nodes";
  /** How the server reaches nodes. */
  readonly network: ReturnType<typeof networkOfAll | typeof networkOfProcess>;
  readonly #podsMayStart = deferred<void>();
  #local: LocalNodes | undefined;

  constructor(
    private readonly plan: ControlPlanePlan,
    private readonly shared: SharedServerPart,
  ) {
    const local = (): LocalNodes | undefined => this.#local;
    this.network = plan.isOneOfSeveral
      ? networkOfAll(() => shared.server?.nodes, local)
      : networkOfProcess(nodeHosts(plan.nodes.map(({ name }) => name)), local);
  }

  /** Whether there may be a node that this server starts, reaches or removes. */
  get isNeeded(): boolean {
    return this.plan.hasNodes || this.plan.isOneOfSeveral || this.plan.mayHaveFormerNodes;
  }

  /** Pods may start from now on. */
  release(): void {
    this.#podsMayStart.resolve();
  }

  async start(server: Server, listener: Listener | undefined, parts: CompositionParts): Promise<void> {
    const { plan, shared } = this;
    const { clock, timers, reportError } = parts;
    // Ids of containers must not change which uids objects get.
    const own = { clock, timers, random: forkRandom(parts.random, "nodes") };
    if (plan.mayHaveFormerNodes) await removeNodesBut(plan.nodes, server, { ...own, reportError });
    const claimed = await shared.server?.claim(plan.nodes);
    const others = shared.server && { nodes: shared.server.nodes, objects: server.registry.access };
    if (!plan.hasNodes && !plan.isOneOfSeveral) return;
    if (plan.hasNodes) this.#local = await this.#startNodes(server, listener, { ...parts, ...own }, claimed);
    const local = this.#local && { nodes: this.#local, names: plan.nodes.map(({ name }) => name) };
    await serveMetrics(server, { local, others }, () => clock.now());
  }

  async #startNodes(
    server: Server,
    listener: Listener | undefined,
    parts: CompositionParts,
    claimed: Awaited<ReturnType<SharedServer["claim"]>> | undefined,
  ): Promise<LocalNodes> {
    const { options, forwards, imageScripts, nodes } = this.plan;
    const { clock, timers, random, pki, reportError } = parts;
    const { startNodes } = await inOrder(import("../nodes/start-nodes.js"));
    return startNodes(nodes, {
      transport: server.loopback(),
      clock,
      timers,
      random,
      standIn: options.standIn ?? true,
      ...(options.stages && { stages: options.stages }),
      imageScripts,
      forwards,
      authorization: server.authorization,
      release: server.release,
      tokens: server.tokens,
      pki,
      reportError,
      ready: this.#podsMayStart.promise,
      nodeMonitorGracePeriod: options.nodeMonitorGracePeriod,
      marksFile: marksFileOf(options, this.shared.server?.name),
      network: { ...this.network, api: listener && { host: HOST, port: listener.port } },
      shared: claimed,
    });
  }

  async stop(): Promise<void> {
    await this.#local?.stop();
  }
}

/** Removes the Nodes that earlier starts on the same storage had and this one does not have, with their pods. */
async function removeNodesBut(
  kept: readonly NodeOptions[],
  server: Server,
  parts: Omit<LeftNodesParts, "transport">,
): Promise<void> {
  const names = new Set(kept.map(({ name }) => name));
  const stored = await server.registry.access.list("", "nodes");
  const left = stored.filter(({ metadata }) => !names.has(metadata?.name ?? "")) as readonly Node[];
  if (left.length === 0) return;
  const { removeNodesLeft } = await inOrder(import("../nodes/remove-node.js"));
  await removeNodesLeft(left, { ...parts, transport: server.loopback() });
}

/** Serves metrics.k8s.io of the nodes. */
async function serveMetrics({ registry, release }: Server, parts: UsageParts, now: () => number): Promise<void> {
  const [{ metricsResources, removeEarlierApiService }, { clusterUsage }] = await inOrder(
    Promise.all([import("../metrics-api/metrics-resources.js"), import("../metrics-api/cluster-usage.js")]),
  );
  const source = clusterUsage(parts);
  const metrics = registry.installer({ owner: "the metrics API" });
  metrics.install(...metricsResources({ source, access: registry.access, release, now }));
  await removeEarlierApiService(registry);
}
