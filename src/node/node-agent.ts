import type { Duplex } from "node:stream";
import type { NodeDescription } from "./fleet-node.js";
import type { KubeletTls } from "./kubelet-api/kubelet-api.js";
import { type FleetOptions, type NodeFleet, startNodeFleet } from "./node-fleet.js";

export interface NodeAgentOptions extends Omit<NodeDescription, "tls" | "podCidr">, Omit<FleetOptions, "nodes"> {
  /** Default "10.244.0.0/24". */
  readonly podCidr?: string;
  readonly tls: KubeletTls;
}

/** A running node. */
export interface NodeAgent extends Pick<NodeFleet, "dial" | "stop"> {
  readonly name: string;
  /** The port of the kubelet's API; undefined without a socket. */
  readonly port: number | undefined;
  /**
   * Hands the kubelet's API a connection from inside the process: it speaks plain HTTP/1.1 on it. Who holds this object holds the node: what
   * comes on the connection is neither authenticated nor authorized, and enters every container. Give it no connection that another program
   * reaches; what {@link dial} and the socket lead to asks for a certificate or a token.
   */
  connect(connection: Duplex): void;
}

/** Starts one node in this process, for a cluster of this process or of another one. Resolves when the node is ready. */
export async function startNodeAgent(options: NodeAgentOptions): Promise<NodeAgent> {
  const { transport, clock, timers, random, reportError, tls, podCidr = "10.244.0.0/24", ...node } = options;
  const fleet = await startNodeFleet({
    nodes: [{ ...node, podCidr, tls: () => tls }],
    transport,
    clock,
    timers,
    ...(random && { random }),
    reportError,
  });
  const started = fleet.node(node.name);
  return {
    name: node.name,
    port: started?.port,
    dial: (host, port) => fleet.dial(host, port),
    connect: (connection) => started?.connect(connection),
    stop: () => fleet.stop(),
  };
}
