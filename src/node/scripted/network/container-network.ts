import { isIPv4, isIPv6 } from "node:net";
import type { Duplex } from "node:stream";
import { duplexOf } from "../../../machinery/wire/streams/duplexes.js";
import { markStandIn, standInAt } from "../../../machinery/wire/streams/stand-in-end.js";
import type { ByteStream } from "../../../machinery/wire/streams/byte-stream.js";
import { type PodIdentity, RuntimeError } from "../../container-runtime.js";
import {
  ConnectError,
  ForeignHostError,
  NameError,
  type PodNetwork,
  type ResolvedName,
} from "../../network/pod-network.js";
import type { FileSystem } from "../files/file-system.js";
import { hostsFileAddresses } from "./hosts-file.js";

/** The network of a container's programs. */
export interface ContainerNetworkParts {
  readonly pod: PodIdentity;
  /** Left out: the pod reaches itself alone. */
  readonly network: PodNetwork | undefined;
  /** Connects to a port of the pod; undefined where nothing listens. */
  readonly dialPod: (port: number) => Promise<ByteStream | undefined>;
}

/** The pod's network as one container sees it: with its /etc/hosts, and localhost. */
export class PodView {
  constructor(private readonly parts: ContainerNetworkParts) {}

  get dnsAddress(): string {
    return this.parts.network?.dnsAddress ?? LOOPBACK;
  }

  /** As {@link ContainerNetwork.lookup}. */
  async lookup(host: string, files: FileSystem): Promise<ResolvedName> {
    if (isIPv4(host)) return { name: host, addresses: [host] };
    if (isIPv6(host)) {
      if (host === "::1") return { name: host, addresses: [LOOPBACK] };
      throw new ForeignHostError(host);
    }
    const known = hostsFileAddresses(files, host);
    if (known.length > 0) return { name: host, addresses: known };
    if (this.parts.network === undefined) throw new NameError(host);
    return this.parts.network.lookup(host, this.parts.pod);
  }

  /** As {@link PodNetwork.connect}. */
  async connect(address: string, port: number, signal: AbortSignal): Promise<Duplex> {
    const { pod, network } = this.parts;
    const isPod = address.startsWith("127.") || address === "0.0.0.0" || address === pod.ip;
    const own = isPod ? await this.#dialPod(port) : undefined;
    if (own !== undefined) return markStandIn(duplexOf(own), standInAt(own));
    const sharesNode = pod.object?.().spec?.hostNetwork === true;
    if (isPod && !sharesNode) throw new ConnectError("Connection refused");
    if (network === undefined) throw new ForeignHostError(address);
    return network.connect(isPod ? pod.ip : address, port, pod, signal);
  }

  /** As {@link ContainerNetwork.isApi}. */
  async isApi(address: string, port: number): Promise<boolean> {
    return (await this.parts.network?.isApi(address, port)) === true;
  }

  async #dialPod(port: number): Promise<ByteStream | undefined> {
    try {
      return await this.parts.dialPod(port);
    } catch (error) {
      if (error instanceof RuntimeError) throw new ConnectError("Connection refused");
      throw error;
    }
  }
}

const LOOPBACK = "127.0.0.1";
