import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { NetworkFailure } from "../../client/transport/go-network-error.js";

/** A certificate and its key, PEM. */
export interface ClientIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** How the server reaches the agents of nodes and the addresses of pods. Composition gives it. */
export interface ClusterNetwork {
  /** What the server shows to kubelets. Absent: nothing. */
  kubeletClient?(): ClientIdentity;
  /**
   * Connects to a host of a node of this process: its name, its address, or any address of its pod range. Rejects with a NetworkFailure where
   * nothing takes the connection. Undefined for a host of the machine's network.
   */
  dial?(host: string, port: number): Promise<Duplex> | undefined;
  /** Whether `dial` is what connects to the host, and never the machine's network. */
  isOwn?(host: string): boolean;
  /** The address of a node of this process, by its host name; undefined for a name of the machine's network. */
  addressOf?(hostname: string): string | undefined;
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
