import { NetworkFailure } from "../../client/transport/go-network-error.js";
import type { Composition } from "../composition.js";
import type { ServerNodes } from "./server-nodes.js";
import type { LocalNodes, NodeNetwork, NodeOptions } from "./start-nodes.js";
import { comparableHost, isAddressOf } from "../../node/node-host.js";

type NodesNetwork = NonNullable<Composition["network"]> & Pick<NodeNetwork, "dial" | "isOwn">;

/** The network to the nodes of this process, where there are no other nodes. */
export function networkOfProcess(isOwn: (host: string) => boolean, nodes: () => LocalNodes | undefined): NodesNetwork {
  return {
    isOwn,
    dial(host, port) {
      if (!isOwn(host)) return undefined;
      const started = nodes();
      if (started !== undefined) return started.dial(host, port);
      const reason = "connection refused: the nodes of this process have not started";
      return Promise.reject(new NetworkFailure(`dial tcp ${host}:${port}: connect: ${reason}`, "ECONNREFUSED"));
    },
    addressOf: (hostname) => nodes()?.addressOf(hostname),
  };
}

/** The network to the nodes of all servers of a storage. */
export function networkOfAll(all: () => ServerNodes | undefined, nodes: () => LocalNodes | undefined): NodesNetwork {
  return {
    isOwn: (host) => all()?.isOwn(host) === true,
    dial: (host, port) => nodes()?.dial(host, port) ?? all()?.dial(host, port),
    addressOf: (hostname) => all()?.addressOf(hostname),
    agentOf: (node) => all()?.agentOf(node),
  };
}

/** The block of addresses for a node's pods. The blocks of the first 256 nodes are parts of the cluster's range. */
export const podCidr = (index: number): string =>
  index < 256 ? `10.244.${index}.0/24` : `10.${128 + (index >> 8)}.${index & 255}.0/24`;

/** The number of blocks of pod addresses that exist before they repeat. */
export const MOST_RANGES = 116 * 256;

/** Makes a predicate for the hosts of this process's nodes, by name and pod range. It works before the nodes have started. */
export function nodeHosts(names: readonly string[]): (host: string) => boolean {
  const known = new Set(names);
  return (host) => {
    const comparable = comparableHost(host);
    return known.has(comparable) || names.some((_, index) => isAddressOf(podCidr(index), comparable));
  };
}

/** Each node has a block of 256 addresses, which it shares with no other. */
const MOST_NODES = 25_000;

/** Throws for nodes that cannot be: before anything is opened. */
export function checkNodes(nodes: readonly NodeOptions[]): void {
  if (nodes.length > MOST_NODES) throw new Error(`a cluster has at most ${MOST_NODES} nodes, not ${nodes.length}`);
  const names = new Set<string>();
  for (const { name } of nodes) {
    if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) {
      throw new Error(`invalid node name ${JSON.stringify(name)}: use lower-case letters, digits, "-" and "."`);
    }
    if (names.has(name))
      throw new Error(`two nodes are named ${JSON.stringify(name)}; give each node a name of its own`);
    names.add(name);
  }
}
