import type { Node } from "../api/types/core/v1.js";
import type { Clock } from "../base/time/clock.js";
import type { Random } from "../base/numbers/random.js";
import type { Timers } from "../base/time/timers.js";
import { kubernetesClient, type KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import type { Transport } from "../client/transport/transport.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { Server } from "../server/generic/server.js";
import type { ClientIdentity } from "../server/kubelet/cluster-network.js";
import { claimNodes, giveUpDouble, marksOf } from "./nodes/claim-nodes.js";
import { removeFormerNodes } from "./nodes/former-nodes.js";
import type { ClusterPki } from "./pki/cluster-pki.js";
import { claimServerName, type ServerName } from "./server-name.js";
import { ServerNodes, serverNode } from "./nodes/server-nodes.js";
import type { NodeOptions, SharedNodes } from "./nodes/start-nodes.js";

export interface SharedServerParts {
  /** The name that the user gave. */
  readonly given: string | undefined;
  readonly dataDir: string | undefined;
  readonly wantedPort: number;
  /** Where other servers reach this one; `port` is that of its API. Undefined without a socket. */
  readonly listens: { readonly host: string; readonly port: number } | undefined;
  readonly server: Pick<Server, "loopback" | "registry">;
  readonly pki: ClusterPki;
  readonly kubeletClient: (() => ClientIdentity) | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** The time by which other processes verify certificates. */
  readonly verifiers: Clock;
  readonly onWarning: (warning: string) => void;
  readonly reportError: (error: unknown) => void;
}

/** A server among those that share its storage: its name, its nodes, and how it reaches the nodes of the others. */
export class SharedServer {
  /** The nodes of all servers. */
  readonly nodes: ServerNodes;
  readonly #name: ServerName;
  readonly #client: KubernetesClient;

  /** Throws a ServerNameError for a name that another process has. */
  constructor(private readonly parts: SharedServerParts) {
    const { given, dataDir: folder, wantedPort, listens, server, pki, kubeletClient, clock, random } = parts;
    this.#name = claimServerName({ given, folder, wantedPort, port: listens?.port, random });
    const { access: objects } = server.registry;
    this.nodes = new ServerNodes({ name: this.name, objects, ca: pki.ca.certificate, kubeletClient });
    const headers = { "user-agent": `kubelet/${server.registry.config.release.gitVersion}` };
    this.#client = kubernetesClient({ transport: () => server.loopback() }, { clock, random, headers });
  }

  get name(): string {
    return this.#name.name;
  }

  /** "NAME-node-1" and so on. */
  numbered(count: number): readonly NodeOptions[] {
    return Array.from({ length: count }, (_, index) => ({ name: `${this.name}-node-${index + 1}` }));
  }

  /** As {@link claimNodes}; then warns of servers whose authority is another. */
  async claim(wanted: readonly NodeOptions[]): Promise<SharedNodes> {
    const { clock, random, listens, verifiers } = this.parts;
    const own = { server: this.name, authority: this.nodes.authority };
    const answers = async (node: Node): Promise<boolean> => {
      const found = serverNode(node as KubeObject);
      return found !== undefined && this.nodes.answers(found);
    };
    const ranges = await claimNodes(wanted, { ...own, client: this.#client, clock, random, answers });
    await this.#warnOfOthers();
    const checkReturn = (node: string) => giveUpDouble(node, { client: this.#client });
    return { ...marksOf(own), ranges, checkReturn, host: listens?.host, verifiers };
  }

  async #warnOfOthers(): Promise<void> {
    const { items } = await this.#client.of("v1", "Node").listWhole();
    const others = items.flatMap((node) => serverNode(node as KubeObject) ?? []);
    const differing = others.filter(
      ({ server, authority }) => server !== this.name && authority !== this.nodes.authority,
    );
    for (const server of new Set(differing.map((node) => node.server))) {
      const names = differing.filter((node) => node.server === server).map((node) => node.name);
      this.parts.onWarning(
        `server ${JSON.stringify(server)} on this storage has another certificate authority than this server, ${JSON.stringify(this.name)}: neither reaches the other's pods (logs, exec, port-forward and proxies of those on ${names.join(", ")} are answered 503). Start all servers of a storage with the same data folder`,
      );
    }
  }

  /** Begins to remove what servers of earlier versions left, as the controllers whose transport this is. */
  removeFormerNodes(transport: Transport): { stop(): Promise<void> } {
    const { clock, timers, random, onWarning: tell, reportError: report } = this.parts;
    const stopping = new AbortController();
    const { signal } = stopping;
    const headers = { "user-agent": "kubets-controller-manager" };
    const client = kubernetesClient({ transport: () => transport }, { clock, timers, random, headers });
    const removed = removeFormerNodes({ client, clock, timers, signal, tell, report });
    return {
      async stop() {
        stopping.abort();
        await removed;
        await client.close();
      },
    };
  }

  /** Gives the name back. The Nodes stay, as after a crash. */
  async close(): Promise<void> {
    await this.#client.close();
    this.#name.release();
  }
}
