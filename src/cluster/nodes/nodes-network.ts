import { NetworkFailure } from "../../client/transport/go-network-error.js";
import type { Composition } from "../composition.js";
import type { ServerNodes } from "./server-nodes.js";
import type { LocalNodes, NodeNetwork } from "./start-nodes.js";

type NodesNetwork = NonNullable<Composition["network"]> & Pick<NodeNetwork, "dial" | "isOwn">;

/** The way to the nodes of this process, where there are no others. */
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

/** The way to the nodes of all servers of a storage. */
export function networkOfAll(all: () => ServerNodes | undefined, nodes: () => LocalNodes | undefined): NodesNetwork {
  return {
    isOwn: (host) => all()?.isOwn(host) === true,
    dial: (host, port) => nodes()?.dial(host, port) ?? all()?.dial(host, port),
    addressOf: (hostname) => all()?.addressOf(hostname),
    agentOf: (node) => all()?.agentOf(node),
  };
}
