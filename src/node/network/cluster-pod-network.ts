import { connect as connectTcp } from "node:net";
import type { Duplex } from "node:stream";
import type { Service, ServicePort } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { pause } from "../../base/time/pause.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { NetworkFailure } from "../../client/transport/go-network-error.js";
import type { PodIdentity } from "../container-runtime.js";
import { isAddressOf } from "../node-host.js";
import { ClusterNames, ClusterServices } from "./cluster-names.js";
import { ConnectError, ForeignHostError, type PodNetwork } from "./pod-network.js";
import { resolverConfig } from "./resolver-config.js";
import { ServiceRoutes } from "./service-routes.js";

export interface ClusterPodNetworkParts {
  /** Reads Services, EndpointSlices, Namespaces and Nodes. */
  readonly client: () => Pick<KubernetesClient, "of">;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  /** As the dial of a node fleet, for the nodes of every server on the storage. */
  readonly dial: (host: string, port: number) => Promise<Duplex> | undefined;
  /** Whether `dial` knows the host. No Service takes its connections, whatever external IPs it has. */
  readonly isOwn: (host: string) => boolean;
  /** Where the API server listens on this machine; undefined where it has no port. */
  readonly api: { readonly host: string; readonly port: number } | undefined;
  /** The block that cluster IPs are of: "10.96.0.0/12". */
  readonly serviceCidr: string;
  readonly dnsAddress: string;
}

/** How long Linux tries to connect where nothing answers, in milliseconds. */
const SYN_RETRIES_MS = 130_000;

/**
 * The network of a cluster's pods. A Service leads to its endpoints, the Service "kubernetes" to the API server's port, where each client shows
 * by itself who it is. Nothing leads to the machine's network, whatever Services and endpoints say.
 */
export function clusterPodNetwork(parts: ClusterPodNetworkParts): PodNetwork {
  const { client, clock, random, dnsAddress } = parts;
  const services = new ClusterServices(client);
  const names = new ClusterNames(services);
  const routes = new ServiceRoutes(clock, random);
  return {
    dnsAddress,
    lookup: (name, { namespace, object }) => names.lookup(name, resolverConfig(object?.().spec, namespace, dnsAddress)),
    async connect(address, port, from, signal) {
      signal.throwIfAborted();
      if (!parts.isOwn(address)) {
        const service = await services.at(address);
        const matching = service?.spec?.ports?.find((one) => one.port === port && isTcp(one));
        if (service !== undefined) return connectService(service, matching, from, signal);
      }
      const published = port >= LOWEST_NODE_PORT ? await services.atNodePort(port) : undefined;
      if (published !== undefined && (await services.isNode(address))) {
        const matching = published.spec?.ports?.find((one) => one.nodePort === port && isTcp(one));
        return connectService(published, matching, from, signal);
      }
      return connectHost(address, port);
    },
    async isApi(address, port) {
      const service = parts.isOwn(address) ? undefined : await services.at(address);
      return service?.spec?.ports?.some((one) => one.port === port && isTcp(one)) === true && isOfApi(service);
    },
  };

  async function connectService(
    service: Service,
    port: ServicePort | undefined,
    from: PodIdentity,
    signal: AbortSignal,
  ): Promise<Duplex> {
    const { namespace = "", name = "" } = service.metadata ?? {};
    if (port === undefined) throw new ConnectError("Connection refused");
    if (isOfApi(service)) return connectApi(parts.api, signal);
    const node = from.object?.().spec?.nodeName ?? "";
    const slices = await services.slices(namespace, name);
    const chosen = routes.choose(service, port, slices, { ip: from.ip, node });
    if (chosen === "refused") throw new ConnectError("Connection refused");
    if (chosen === "dropped") {
      await pause(parts.timers, SYN_RETRIES_MS, signal);
      signal.throwIfAborted();
      throw new ConnectError("Connection timed out");
    }
    return connectHost(chosen.address, chosen.port);
  }

  async function connectHost(address: string, port: number): Promise<Duplex> {
    const connecting = parts.dial(address, port);
    if (connecting === undefined) {
      // An address of the block that no Service has leads nowhere.
      if (isAddressOf(parts.serviceCidr, address)) throw new ConnectError("No route to host");
      throw new ForeignHostError(address);
    }
    try {
      return await connecting;
    } catch (error) {
      if (!(error instanceof NetworkFailure)) throw error;
      throw new ConnectError(error.message.includes("no route to host") ? "No route to host" : "Connection refused");
    }
  }
}

const isTcp = ({ protocol = "TCP" }: ServicePort): boolean => protocol === "TCP";

const isOfApi = ({ metadata }: Service): boolean => metadata?.namespace === "default" && metadata.name === "kubernetes";

/** kube-apiserver's default of --service-node-port-range begins here. */
const LOWEST_NODE_PORT = 30_000;

function connectApi(api: ClusterPodNetworkParts["api"], signal: AbortSignal): Promise<Duplex> {
  if (api === undefined) return Promise.reject(new ConnectError("Connection refused"));
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ ...api, noDelay: true, allowHalfOpen: true, signal });
    const refuse = (): void => reject(signal.aborted ? signal.reason : new ConnectError("Connection refused"));
    socket.once("error", refuse).once("connect", () => {
      socket.off("error", refuse);
      resolve(socket);
    });
  });
}
