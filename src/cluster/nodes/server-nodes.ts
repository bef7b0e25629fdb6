import { X509Certificate } from "node:crypto";
import type { ClientRequest } from "node:http";
import { connect as connectTcp, isIP } from "node:net";
import type { Duplex } from "node:stream";
import { formatIpv4, type Ipv4Prefix, parseIpv4, parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import { goNetworkReason, NetworkFailure } from "../../client/transport/go-network-error.js";
import { serviceUnavailable } from "../../machinery/errors/status-error.js";
import { number, object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { comparableHost, isAddressOf } from "../../node/node-host.js";
import { CachedObjects } from "../../server/authz/cached-objects.js";
import type { AgentPlace, ClientIdentity, ClusterNetwork } from "../../server/kubelet/cluster-network.js";
import { authorityOf, requestOf } from "../../server/kubelet/proxy-target.js";
import type { ObjectAccess } from "../../server/registry/strategy.js";
import { POD_RANGE } from "../system-objects.js";

/** The label of a Node that names the server which runs it, on a storage that several servers share. */
export const SERVER_LABEL = "kubets.dev/server";
/** The annotation of a Node that holds the SHA-256 of its server's CA certificate, in hexadecimal digits. */
export const AUTHORITY_ANNOTATION = "kubets.dev/certificate-authority";

/** The value of {@link AUTHORITY_ANNOTATION} for a CA certificate (PEM). */
export const fingerprintOf = (ca: string): string =>
  new X509Certificate(ca).fingerprint256.replaceAll(":", "").toLowerCase();

/** A Node that a server of a shared storage runs. */
export interface ServerNode {
  readonly name: string;
  readonly server: string;
  /** As {@link AUTHORITY_ANNOTATION}; "" where it is missing. */
  readonly authority: string;
  /** The addresses of its pods. */
  readonly ranges: readonly Ipv4Prefix[];
  /** Where its kubelet's API listens; "" where it does not. */
  readonly host: string;
  readonly port: number;
}

/** Reads the server of a Node from its label; undefined for a Node that no server of the storage runs. */
export function serverNode({ metadata = {}, spec, status }: KubeObject): ServerNode | undefined {
  const { name = "", labels, annotations } = metadata;
  const server = labels?.[SERVER_LABEL] ?? "";
  if (server === "") return undefined;
  const { addresses, daemonEndpoints } = object(status);
  const host = text(objects(addresses).find(({ type }) => type === "Hostname")?.address);
  const { podCIDR, podCIDRs } = object(spec);
  const blocks = Array.isArray(podCIDRs) ? podCIDRs.map(text) : [text(podCIDR)];
  return {
    name,
    server,
    authority: annotations?.[AUTHORITY_ANNOTATION] ?? "",
    ranges: blocks.flatMap((block) => parseIpv4Prefix(block) ?? []),
    // A node without a port has its name there, which leads nowhere outside of its process.
    host: host === name ? "" : host,
    port: number(object(object(daemonEndpoints).kubeletEndpoint).Port),
  };
}

export interface ServerNodesParts {
  /** The name of this server. */
  readonly name: string;
  readonly objects: Pick<ObjectAccess, "list" | "cached">;
  /** The authority of this server's certificates, PEM: kubelets of other servers show one of it. */
  readonly ca: string;
  /** What this server shows to kubelets. Left out: nothing. */
  readonly kubeletClient?: (() => ClientIdentity) | undefined;
}

/**
 * Reaches the nodes of all servers on a storage. A server reaches another's pods through that server: by TLS to the kubelet port
 * of the node, whose certificate for the node's name the common CA signed; a pod's address by CONNECT there. An address that only
 * an object states is never trusted.
 */
export class ServerNodes implements Required<Pick<ClusterNetwork, "agentOf" | "isOwn" | "addressOf" | "dial">> {
  readonly #nodes = new Map<string, ServerNode>();
  readonly #index: CachedObjects<ServerNode | undefined>;
  /** This server's, as {@link AUTHORITY_ANNOTATION}. */
  readonly authority: string;

  constructor(private readonly parts: ServerNodesParts) {
    this.authority = fingerprintOf(parts.ca);
    this.#index = new CachedObjects(serverNode, {
      add: (node) => node && this.#nodes.set(node.name, node),
      remove: (node) => node && this.#nodes.get(node.name) === node && this.#nodes.delete(node.name),
    });
  }

  agentOf(object: KubeObject): AgentPlace | undefined {
    const node = serverNode(object);
    if (node === undefined) return undefined;
    const { name, port } = node;
    if (node.server === this.parts.name) return { host: name, port };
    const fault = this.faultOf(node);
    if (fault !== undefined) throw serviceUnavailable(fault);
    // Without a watch cache this is how its name is known.
    if (!this.#follow()) this.#nodes.set(name, node);
    return { host: name, port, authority: { ca: this.parts.ca, name } };
  }

  isOwn(host: string): boolean {
    return this.#mayBe(comparableHost(host));
  }

  addressOf(hostname: string): string | undefined {
    this.#follow();
    const [range] = this.#nodes.get(comparableHost(hostname))?.ranges ?? [];
    return range && formatIpv4(range.network + 1);
  }

  dial(host: string, port: number): Promise<Duplex> | undefined {
    const comparable = comparableHost(host);
    if (!this.#mayBe(comparable)) return undefined;
    const node = this.#find(comparable);
    return node === undefined ? this.#dialListed(comparable, port) : this.#connect(node, comparable, port);
  }

  /** Whether a server of the storage runs a node of that name. */
  has(name: string): boolean {
    this.#follow();
    return this.#nodes.has(name);
  }

  /** The nodes of other servers that this one may speak to. */
  reachable(): readonly ServerNode[] {
    this.#follow();
    return [...this.#nodes.values()].filter((node) => this.#isOther(node) && this.faultOf(node) === undefined);
  }

  /** Why this server does not speak to a node of another one; undefined where it does. */
  faultOf({ name, server, authority, host }: ServerNode): string | undefined {
    const whose = `server ${JSON.stringify(server)}, which runs node ${JSON.stringify(name)},`;
    if (authority !== this.authority) {
      return `${whose} has another certificate authority than server ${JSON.stringify(this.parts.name)}: start all servers of a storage with the same data folder, or with the same certificates`;
    }
    return host === "" ? `${whose} has no port that other servers reach it by` : undefined;
  }

  /** Asks the kubelet's API of a node of another server. Rejects as a request does. */
  ask(
    node: ServerNode,
    path: string,
    options: { readonly method: string; readonly signal?: AbortSignal },
  ): ClientRequest {
    const { name, port } = node;
    const { ca, kubeletClient } = this.parts;
    const place = { scheme: "https", host: name, port, path } as const;
    const network = { dial: () => this.#kubelet(node) };
    const host = options.method === "CONNECT" ? path : authorityOf(place);
    return requestOf(
      { ...place, identity: kubeletClient?.(), authority: { ca, name }, network },
      { ...options, headers: { host } },
    );
  }

  /**
   * Whether something runs the node: it answers with the node's certificate, or takes a connection and stays silent. Where its authority is
   * another, a connection says it.
   */
  async answers(node: ServerNode): Promise<boolean> {
    const { host, authority } = node;
    if (host === "") return false;
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      if (authority !== this.authority) (await this.#kubelet(node)).destroy();
      else await this.#health(node, signal);
      return true;
    } catch {
      return signal.aborted;
    }
  }

  #health(node: ServerNode, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const asked = this.ask(node, "/healthz", { method: "GET", signal });
      asked.on("error", reject).on("response", (answer) => {
        answer.resume();
        resolve();
      });
      asked.end();
    });
  }

  #isOther({ server }: ServerNode): boolean {
    return server !== this.parts.name;
  }

  /** False where there is no watch cache: the nodes are not known then. */
  #follow(): boolean {
    const nodes = this.parts.objects.cached.now("", "nodes");
    if (nodes === undefined) return false;
    this.#index.follow(nodes);
    return true;
  }

  #mayBe(host: string): boolean {
    const isKnown = this.#follow();
    return this.#find(host) !== undefined || (!isKnown && isAddressOf(POD_RANGE.cidr, host));
  }

  #find(host: string): ServerNode | undefined {
    return this.#nodes.get(host) ?? nodeAt(this.#nodes.values(), host);
  }

  async #dialListed(host: string, port: number): Promise<Duplex> {
    const nodes = (await this.parts.objects.list("", "nodes")).flatMap((node) => serverNode(node) ?? []);
    const found = nodeAt(nodes, host);
    if (found !== undefined) return this.#connect(found, host, port);
    throw unreachable(host, port, "no route to host: no node has that address");
  }

  #connect(node: ServerNode, host: string, port: number): Promise<Duplex> {
    const name = JSON.stringify(node.name);
    if (!this.#isOther(node)) {
      return Promise.reject(unreachable(host, port, `connection refused: this server does not run node ${name}`));
    }
    const fault = this.faultOf(node);
    if (fault !== undefined) return Promise.reject(new NetworkFailure(fault));
    return host === node.name && port === node.port ? this.#kubelet(node) : this.#tunnel(node, host, port);
  }

  #kubelet({ host, port }: ServerNode): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const socket = connectTcp({ host, port, noDelay: true });
      socket.once("error", reject).once("connect", () => {
        socket.off("error", reject);
        resolve(socket);
      });
    });
  }

  /** A connection to a host of the node, which its server makes. */
  #tunnel(node: ServerNode, host: string, port: number): Promise<Duplex> {
    return new Promise((resolve, reject) => {
      const asked = this.ask(node, authorityOf({ host, port }), { method: "CONNECT" });
      const why = (reason: string): NetworkFailure => {
        const through = `server ${JSON.stringify(node.server)} does not lead to ${host}:${port}`;
        return new NetworkFailure(`${through}: ${reason}`, "ECONNREFUSED");
      };
      asked.on("error", (error) => reject(why(goNetworkReason(error))));
      asked.on("connect", ({ statusCode }, socket, head) => {
        if (head.length > 0) socket.unshift(head);
        if (statusCode === 200) return resolve(socket);
        void wholeText(socket).then((text) => reject(why(text === "" ? `status ${statusCode}` : text)), reject);
      });
      asked.end();
    });
  }
}

/** The node whose pods have an address of this kind; undefined for a name. */
function nodeAt(nodes: Iterable<ServerNode>, host: string): ServerNode | undefined {
  const address = isIP(host) === 4 ? parseIpv4(host) : undefined;
  if (address === undefined) return undefined;
  for (const node of nodes) {
    if (node.ranges.some(({ network, broadcast }) => address >= network && address <= broadcast)) return node;
  }
  return undefined;
}

const unreachable = (host: string, port: number, reason: string): NetworkFailure =>
  new NetworkFailure(`dial tcp ${host}:${port}: connect: ${reason}`, "ECONNREFUSED");

/** How long a server may take to answer whether it runs. */
const PATIENCE_MS = 2000;
/** A refusal is read so far and no further. */
const LONGEST_REFUSAL = 4096;

async function wholeText(socket: Duplex): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of socket as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= LONGEST_REFUSAL) break;
  }
  return Buffer.concat(chunks).subarray(0, LONGEST_REFUSAL).toString("utf8").trim();
}
