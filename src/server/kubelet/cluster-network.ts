import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../../base/time/clock.js";
import type { Dialer, ProcessHosts } from "../../client/transport/dial.js";
import { NetworkFailure } from "../../client/transport/go-network-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { standInAt, StandInError } from "../../machinery/wire/streams/stand-in-end.js";

/** A certificate and its key, PEM. */
export interface ClientIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** The authority and the name that a kubelet's certificate must have. */
export interface KubeletAuthority {
  /** PEM. */
  readonly ca: string;
  readonly name: string;
}

/** The authorities of kubelets' certificates, PEM, and the clock by which the certificates must be valid. */
export interface KubeletVerification {
  readonly ca: string;
  readonly clock: Clock;
}

/** The TLS address of a node's agent, as {@link ClusterNetwork.dial} knows it. */
export interface AgentPlace {
  readonly host: string;
  readonly port: number;
  /** Left out: no kubelet's certificate is verified there. */
  readonly authority?: KubeletAuthority;
}

/** The network by which a server reaches the agents of nodes and the addresses of pods. The composition root provides it. */
export interface ClusterNetwork {
  /** What the server shows to kubelets. Absent: nothing. */
  kubeletClient?(): ClientIdentity;
  /**
   * Connects to a host of a node of this process, or of another server's on the same storage: its name, its address, or any address of its pod
   * range. Rejects with a NetworkFailure where nothing takes the connection. Undefined for a host of the machine's network.
   */
  dial?(host: string, port: number): Promise<Duplex> | undefined;
  /**
   * Where the agent of a Node is that a server of the cluster's storage runs, this one or another; undefined for every other Node, whose
   * status says it. Throws a StatusError, 503, where the server may not speak to it.
   */
  agentOf?(node: KubeObject): AgentPlace | undefined;
  /** Types of addresses of a Node, the preferred first, for nodes that {@link agentOf} does not know. Default: kube-apiserver's. */
  readonly kubeletAddressTypes?: readonly string[];
  /** How certificates of kubelets are verified that {@link dial} does not reach. Left out: none is. */
  readonly kubeletVerification?: KubeletVerification;
  /** Whether `dial` is what connects to the host, and never the machine's network. */
  isOwn?(host: string): boolean;
  /** The address of a node that `dial` knows, by its host name; undefined for a name of the machine's network. */
  addressOf?(hostname: string): string | undefined;
  /** Connects to kubelets, nodes, pods and services that {@link dial} does not know. Left out: the machine's network does. */
  readonly egress?: Dialer | undefined;
}

/**
 * The hosts of a network, for clients that the server makes; undefined where there is none. To call what only stands in for a program fails
 * with a {@link StandInError}. `egress` connects to all other hosts.
 */
export function hostsOf(network: ClusterNetwork | undefined, egress?: Dialer): ProcessHosts | undefined {
  if (network === undefined && egress === undefined) return undefined;
  return {
    dial: (host, port) => network?.dial?.(host, port)?.then(refuseStandIn),
    lookup: network && lookupOutside(network),
    egress,
  };
}

function refuseStandIn(connection: Duplex): Duplex {
  const what = standInAt(connection);
  if (what === undefined) return connection;
  connection.destroy();
  throw new StandInError(what);
}

/**
 * Finds the addresses of names of the machine's network, and fails with a NetworkFailure for a name that leads to a host of this process:
 * its address may be another's there. Undefined where this process has no hosts.
 */
export function lookupOutside({ isOwn }: ClusterNetwork): LookupFunction | undefined {
  if (isOwn === undefined) return undefined;
  return (hostname, options, callback) => {
    const { lookup } = process.getBuiltinModule("node:dns");
    lookup(hostname, options, (error, found, family) => {
      const addresses = [found ?? []].flat().map((one) => (typeof one === "string" ? one : one.address));
      const own = error === null ? addresses.find((address) => isOwn(address)) : undefined;
      if (own === undefined) return callback(error, found, family);
      const reason = `the name leads to ${own}, an address of a node of this process`;
      callback(new NetworkFailure(`dial tcp: lookup ${hostname}: ${reason}`), found, family);
    });
  };
}
