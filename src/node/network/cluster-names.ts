import { isIPv4 } from "node:net";
import type { Endpoint, EndpointSlice } from "../../api/types/discovery/v1.js";
import { ForeignHostError, NameError, type ResolvedName } from "./pod-network.js";
import { candidateNames, CLUSTER_DOMAIN, type ResolverConfig } from "./resolver-config.js";
import type { EndpointAddress, EndpointSubset, Service } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";

/** Reads Services and their endpoints for routes and names. It reads them anew each time, so that a Service that was just created is found. */
export class ClusterServices {
  constructor(private readonly client: () => Pick<KubernetesClient, "of">) {}

  service(namespace: string, name: string): Promise<Service | undefined> {
    return orUndefined(this.client().of("v1", "Service").namespace(namespace).get(name));
  }

  /** A Service's slices; those of its Endpoints where the server, older than Kubernetes 1.21, does not serve EndpointSlices of v1. */
  async slices(namespace: string, service: string): Promise<readonly EndpointSlice[]> {
    const slices = this.client().of("discovery.k8s.io/v1", "EndpointSlice").namespace(namespace);
    const found = await orUndefined(slices.list({ labelSelector: `kubernetes.io/service-name=${service}` }));
    if (found !== undefined) return found.items.filter(({ addressType }) => addressType === "IPv4");
    const endpoints = await orUndefined(this.client().of("v1", "Endpoints").namespace(namespace).get(service));
    return (endpoints?.subsets ?? []).map(sliceOfSubset);
  }

  async isNamespace(name: string): Promise<boolean> {
    return (await orUndefined(this.client().of("v1", "Namespace").get(name))) !== undefined;
  }

  /** The Service that has an address: as cluster IP, external IP or address of its load balancer. */
  async at(address: string): Promise<Service | undefined> {
    const { items } = await this.client().of("v1", "Service").list();
    return items.find((service) => addressesOf(service).includes(address));
  }

  /** The Service that has a port of the nodes. */
  async atNodePort(port: number): Promise<Service | undefined> {
    const { items } = await this.client().of("v1", "Service").list();
    return items.find(({ spec }) => spec?.ports?.some(({ nodePort }) => nodePort === port) === true);
  }

  /** Whether a node has the address or the name. */
  async isNode(host: string): Promise<boolean> {
    const { items } = await this.client().of("v1", "Node").list();
    return items.some(
      ({ metadata, status }) =>
        metadata?.name === host || status?.addresses?.some(({ address }) => address === host) === true,
    );
  }
}

function sliceOfSubset({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): EndpointSlice {
  const endpoints =
    (ready: boolean) =>
    ({ ip, ...rest }: EndpointAddress): Endpoint => ({ ...rest, addresses: [ip], conditions: { ready } });
  return {
    addressType: "IPv4",
    endpoints: [...addresses.map(endpoints(true)), ...notReadyAddresses.map(endpoints(false))],
    ports,
  };
}

const NO_ADDRESS = new Set(["", "None"]);

function addressesOf({ spec = {}, status }: Service): readonly string[] {
  const { clusterIP = "", clusterIPs = [], externalIPs = [] } = spec;
  const balancers = status?.loadBalancer?.ingress?.flatMap(({ ip }) => ip ?? []) ?? [];
  return [clusterIP, ...clusterIPs, ...externalIPs, ...balancers].filter((address) => !NO_ADDRESS.has(address));
}

async function orUndefined<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** How many ExternalNames may lead to each other, as CoreDNS has it. */
const LONGEST_CHAIN = 8;
/** Of a name, as DNS has it. */
const LONGEST_NAME = 253;

/** Resolves names as the DNS of a cluster does: Services, the endpoints of headless ones, and pods by their addresses. */
export class ClusterNames {
  constructor(private readonly services: ClusterServices) {}

  /** As {@link PodNetwork.lookup}. */
  async lookup(host: string, config: ResolverConfig): Promise<ResolvedName> {
    const name = host.toLowerCase();
    if (name === "" || name.length > LONGEST_NAME || !/^[a-z0-9_.-]+$/.test(name)) throw new NameError(host);
    if (config.nameservers.length > 0) {
      for (const candidate of candidateNames(name, config)) {
        const addresses = await this.#addressesOf(candidate, LONGEST_CHAIN);
        if (addresses.length > 0) return { name: candidate, addresses };
      }
    }
    throw (await this.#isForeign(name)) ? new ForeignHostError(host) : new NameError(host);
  }

  /** None for a name that the cluster does not have. `name` is in full. */
  async #addressesOf(name: string, chain: number): Promise<readonly string[]> {
    const labels = name.split(".");
    if (labels.splice(-2).join(".") !== CLUSTER_DOMAIN) return [];
    const kind = labels.pop();
    const namespace = labels.pop();
    const service = labels.pop();
    if (namespace === undefined || service === undefined || labels.length > 1) return [];
    if (kind === "svc") return this.#ofService(namespace, service, labels[0], chain);
    const address = service.replaceAll("-", ".");
    return kind === "pod" && labels.length === 0 && isIPv4(address) ? [address] : [];
  }

  async #ofService(
    namespace: string,
    name: string,
    host: string | undefined,
    chain: number,
  ): Promise<readonly string[]> {
    const service = await this.services.service(namespace, name);
    const { type, clusterIP = "", externalName = "", publishNotReadyAddresses = false } = service?.spec ?? {};
    if (type === "ExternalName") {
      if (host !== undefined) return [];
      const target = externalName.toLowerCase().replace(/\.$/, "");
      if (target.endsWith(`.${CLUSTER_DOMAIN}`)) return chain === 0 ? [] : this.#addressesOf(target, chain - 1);
      throw new ForeignHostError(target);
    }
    if (clusterIP === "") return [];
    if (clusterIP !== "None") return host === undefined ? [clusterIP] : [];
    const slices = await this.services.slices(namespace, name);
    const endpoints = slices.flatMap((slice) => slice.endpoints ?? []);
    return endpoints
      .filter((endpoint) => publishNotReadyAddresses || endpoint.conditions?.ready !== false)
      .filter((endpoint) => host === undefined || hostOf(endpoint) === host)
      .flatMap(({ addresses }) => addresses);
  }

  /**
   * Whether a name that the cluster has not belongs to the world. "db" and "db.production" are names that it does not have yet, where
   * "production" is a namespace; "example.com" is the world's.
   */
  async #isForeign(name: string): Promise<boolean> {
    const labels = name.replace(/\.$/, "").split(".");
    const [last = ""] = labels.slice(-1);
    if (labels.length === 1 || last === "svc" || name.endsWith(`.${CLUSTER_DOMAIN}`)) return false;
    return !(await this.services.isNamespace(last));
  }
}

/** The name of an endpoint below its Service: its host name, else its address with dashes. */
const hostOf = ({ hostname, addresses: [address = ""] }: Endpoint): string => hostname ?? address.replaceAll(".", "-");
