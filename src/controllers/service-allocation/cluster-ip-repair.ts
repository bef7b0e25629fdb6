import { isIP } from "node:net";
import type { Clock } from "../../base/clock.js";
import { type Ipv4Prefix, isHostOf, parseIpv4 } from "../../base/ipv4-prefix.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { list, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Api } from "../api.js";
import { listAll } from "../list-all.js";
import type { RecordWarning } from "../record-event.js";
import { blocksOf, SERVICE_CIDRS } from "../service-cidr/service-cidr-controller.js";

const IP_ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";
const FAMILY = "ipaddress.kubernetes.io/ip-family";
const MANAGED_BY = "ipaddress.kubernetes.io/managed-by";
const ALLOCATOR = "ipallocator.k8s.io";
/** As long as a request may last: that old, an address without a service is nobody's. */
const GRACE_MS = 60_000;

/** What is remembered of a service while all are gone through. */
interface Holder {
  readonly namespace: string;
  readonly name: string;
  readonly ips: readonly string[];
}

/**
 * Compares cluster IPs with the IPAddress objects that say whose they are: each address of a service has its object, also
 * of services that are older than those objects, and objects that the allocator left behind go.
 */
export class ClusterIpRepair {
  constructor(
    private readonly api: Api,
    private readonly clock: Clock,
    private readonly warn: RecordWarning,
  ) {}

  /** Goes through all services and addresses once. */
  async run(): Promise<void> {
    const services = new Map<string, Holder>();
    for await (const service of listAll(this.api, "/api/v1/services")) {
      const { namespace = "", name = "" } = service.metadata ?? {};
      services.set(`${namespace}/${name}`, { namespace, name, ips: clusterIpsOf(service) });
    }
    // After the services: what is missing here is missing, what is too much may be that of a new service.
    const addresses = new Map<string, KubeObject>();
    for await (const address of listAll(this.api, IP_ADDRESSES)) {
      addresses.set(address.metadata?.name ?? "", {
        ...address,
        apiVersion: "networking.k8s.io/v1",
        kind: "IPAddress",
      });
    }
    const blocks = (await this.api.list(SERVICE_CIDRS)).items.flatMap(blocksOf);
    for (const service of services.values()) {
      for (const ip of service.ips) await this.#checkService(service, ip, services, addresses, blocks);
    }
    for (const address of addresses.values()) await this.#checkAddress(address, services);
  }

  async #checkService(
    holder: Holder,
    ip: string,
    services: ReadonlyMap<string, Holder>,
    addresses: ReadonlyMap<string, KubeObject>,
    blocks: readonly Ipv4Prefix[],
  ): Promise<void> {
    const { namespace, name } = holder;
    const action = "ClusterIPAllocation";
    const family = familyOf(ip);
    const address = addresses.get(ip);
    const parent = parentOf(address);
    const inRange = blocks.some((block) => isHostOf(block, parseIpv4(ip) ?? 0));
    if (address !== undefined && inRange && refersTo(parent, holder) && isLabelled(address)) return;

    // Only what differs is looked at more closely: it may have been changed or deleted meanwhile.
    const service = await this.#service(namespace, name);
    if (service === undefined || !clusterIpsOf(service).includes(ip)) return;
    const warn = (reason: string, message: string) => this.warn({ object: service, reason, action, message });
    if (isIP(ip) === 0) {
      const message = "Cluster IP <nil> is not a valid IP; please recreate Service";
      await this.warn({ object: service, reason: "ClusterIPNotValid", action: "ClusterIPValidation", message });
    } else if (!inRange) {
      const where = "is not within any configured Service CIDR; please recreate service";
      await warn("ClusterIPOutOfRange", `Cluster IP [${family}]: ${ip} ${where}`);
    } else if (address === undefined) {
      await warn("ClusterIPNotAllocated", `Cluster IP [${family}]: ${ip} is not allocated; repairing`);
      await this.#create(ip, service);
    } else if (refersTo(parent, holder)) {
      await this.#recreate(address, service);
    } else {
      const other = isServiceReference(parent)
        ? services.get(`${text(parent.namespace)}/${text(parent.name)}`)
        : undefined;
      if (other === undefined) {
        const message = `the ClusterIP [${family}]: ${ip} for Service ${namespace}/${name} has a wrong reference; repairing`;
        await warn("ClusterIPNotAllocated", message);
        await this.#recreate(address, service);
      } else if (other.ips.includes(ip)) {
        const message = `Cluster IP [${family}]:${ip} was assigned to multiple services; please recreate service`;
        await warn("ClusterIPAlreadyAllocated", message);
      }
    }
  }

  async #checkAddress(address: KubeObject, services: ReadonlyMap<string, Holder>): Promise<void> {
    if (address.metadata?.labels?.[MANAGED_BY] !== ALLOCATOR) return;
    const ip = address.metadata.name ?? "";
    const parent = parentOf(address);
    const [namespace, name] = [text(parent.namespace), text(parent.name)];
    const clean = async (reason: string, message: string) => {
      await this.warn({ object: address, reason, action: "IPAddressAllocation", message });
      await this.#delete(address);
    };
    if (!isServiceReference(parent)) {
      const reference = `&ParentReference{Group:${text(parent.group)},Resource:${text(parent.resource)},Namespace:${namespace},Name:${name},}`;
      const what = `appears to have been modified, not referencing a Service ${reference}: cleaning up`;
      return clean("IPAddressNotAllocated", `IPAddress ${ip} ${what}`);
    }
    const holder = services.get(`${namespace}/${name}`);
    if (holder?.ips.includes(ip) === true) return;
    const age = this.clock.now() - Date.parse(address.metadata.creationTimestamp ?? "");
    if (holder === undefined && !(age > GRACE_MS)) return;
    const service = await this.#service(namespace, name);
    if (service === undefined) {
      if (!(age > GRACE_MS)) return;
      const message = `IPAddress: ${ip} for Service ${namespace}/${name} appears to have leaked: cleaning up`;
      return clean("IPAddressNotAllocated", message);
    }
    if (clusterIpsOf(service).includes(ip)) return;
    const message = `IPAddress: ${ip} for Service ${namespace}/${name} has a wrong reference; cleaning up`;
    await clean("IPAddressWrongReference", message);
  }

  async #service(namespace: string, name: string): Promise<KubeObject | undefined> {
    try {
      return await this.api.get(`/api/v1/namespaces/${namespace}/services/${name}`);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #recreate(address: KubeObject, service: KubeObject): Promise<void> {
    await this.#delete(address);
    await this.#create(address.metadata?.name ?? "", service);
  }

  /** That one: not what somebody else made of it meanwhile. */
  async #delete({ metadata = {} }: KubeObject): Promise<void> {
    try {
      const preconditions = { ...(metadata.uid !== undefined && { uid: metadata.uid }) };
      await this.api.delete(`${IP_ADDRESSES}/${metadata.name ?? ""}`, { preconditions });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #create(ip: string, { metadata = {} }: KubeObject): Promise<void> {
    const { namespace = "", name = "" } = metadata;
    try {
      await this.api.create(IP_ADDRESSES, {
        apiVersion: "networking.k8s.io/v1",
        kind: "IPAddress",
        metadata: { name: ip, labels: { [FAMILY]: familyOf(ip), [MANAGED_BY]: ALLOCATOR } },
        spec: { parentRef: { resource: "services", namespace, name } },
      });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

const familyOf = (ip: string): string => (isIP(ip) === 6 ? "IPv6" : "IPv4");

function clusterIpsOf(service: KubeObject): readonly string[] {
  const spec = object(service["spec"]);
  const ips = list(spec.clusterIPs)
    .map(text)
    .filter((ip) => ip !== "");
  return spec.type === "ExternalName" || ips[0] === "None" ? [] : ips;
}

function parentOf(address: KubeObject | undefined): ReadonlyFields {
  return object(object(address?.["spec"]).parentRef);
}

function isServiceReference(parent: ReadonlyFields): boolean {
  return text(parent.group) === "" && parent.resource === "services";
}

function refersTo(parent: ReadonlyFields, { namespace, name }: Holder): boolean {
  return isServiceReference(parent) && parent.namespace === namespace && parent.name === name;
}

function isLabelled({ metadata = {} }: KubeObject): boolean {
  return metadata.labels?.[FAMILY] === familyOf(metadata.name ?? "") && metadata.labels[MANAGED_BY] === ALLOCATOR;
}
