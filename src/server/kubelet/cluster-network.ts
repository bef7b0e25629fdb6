import type { Duplex } from "node:stream";

/** A certificate and its key, PEM. */
export interface ClientIdentity {
  readonly certificate: string;
  readonly key: string;
}

/** How the server reaches the agents of nodes and the addresses of pods. Composition gives it. */
export interface ClusterNetwork {
  /** What the server shows to kubelets. Absent: nothing. */
  kubeletClient?(): ClientIdentity;
  /** Connects to an address that a node of this process has; undefined for one of the machine's network. */
  dial?(ip: string, port: number): Promise<Duplex> | undefined;
  /** The address of a node of this process, by its host name; undefined for a name of the machine's network. */
  addressOf?(hostname: string): string | undefined;
}
