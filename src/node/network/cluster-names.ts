import { isIPv4 } from "node:net";
import type { Endpoint } from "../../api/types/discovery/v1.js";
import type { ClusterServices } from "./cluster-services.js";
import { ForeignHostError, NameError, type ResolvedName } from "./pod-network.js";
import { candidateNames, CLUSTER_DOMAIN, type ResolverConfig } from "./resolver-config.js";

/** How many ExternalNames may lead to each other, as CoreDNS has it. */
const LONGEST_CHAIN = 8;
/** Of a name, as DNS has it. */
const LONGEST_NAME = 253;

/** What the DNS of a cluster knows of names: Services, the endpoints of headless ones, and pods by their addresses. */
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
