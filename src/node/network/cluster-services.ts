import type { Service } from "../../api/types/core/v1.js";
import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { isNotFound } from "../../machinery/errors/status-error.js";

/** Reads what routes and names are made of, each time anew: a Service that was just created is found. */
export class ClusterServices {
  constructor(private readonly client: () => Pick<KubernetesClient, "of">) {}

  service(namespace: string, name: string): Promise<Service | undefined> {
    return orUndefined(this.client().of("v1", "Service").namespace(namespace).get(name));
  }

  async slices(namespace: string, service: string): Promise<readonly EndpointSlice[]> {
    const slices = this.client().of("discovery.k8s.io/v1", "EndpointSlice").namespace(namespace);
    const { items } = await slices.list({ labelSelector: `kubernetes.io/service-name=${service}` });
    return items.filter(({ addressType }) => addressType === "IPv4");
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
