import type { Duplex } from "node:stream";
import type { PodIdentity } from "../container-runtime.js";

/**
 * The network of the pods' programs: it resolves names as a cluster's DNS does, and routes to Services as kube-proxy does. It
 * leads nowhere outside.
 */
export interface PodNetwork {
  /** The address of the cluster's DNS, as /etc/resolv.conf of a pod names it. */
  readonly dnsAddress: string;
  /**
   * The IPv4 addresses of a host name, by the search path of the pod, in the order in which they are tried. Rejects with a {@link NameError}, or
   * with a {@link ForeignHostError} for a name that only DNS outside of the cluster could know.
   */
  lookup(name: string, from: PodIdentity): Promise<ResolvedName>;
  /**
   * A connection to an IPv4 address. Rejects with a {@link ConnectError}, with a {@link ForeignHostError} for an address outside of the cluster,
   * and with `signal`'s reason when it aborts first.
   */
  connect(address: string, port: number, from: PodIdentity, signal: AbortSignal): Promise<Duplex>;
  /** Whether {@link connect} leads to the API server: by a port of the Service "kubernetes". */
  isApi(address: string, port: number): Promise<boolean>;
}

export interface ResolvedName {
  /** The name in full, without a last dot: "web.default.svc.cluster.local". */
  readonly name: string;
  readonly addresses: readonly string[];
}

/** Thrown when no host has the name. */
export class NameError extends Error {
  override readonly name = "NameError";

  constructor(readonly host: string) {
    super(`bad address '${host}'`);
  }
}

/** Thrown for a host of the machine's network or of the Internet, which no program of a pod can reach. */
export class ForeignHostError extends Error {
  override readonly name = "ForeignHostError";

  constructor(readonly host: string) {
    super(`bad address '${host}'`);
  }
}

/** Thrown when a host of the cluster does not accept the connection. The message is errno's. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";

  constructor(override readonly message: "Connection refused" | "No route to host" | "Connection timed out") {
    super(message);
  }
}
