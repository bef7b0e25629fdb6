import { isIP } from "node:net";
import type { IPAddress, ParentReference, ServiceCIDR } from "../../api/types/networking/v1.js";
import type { Service } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { type Ipv4Prefix, isHostOf, parseIpv4 } from "../../base/numbers/ipv4-prefix.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { list, object, type Received, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { repeat } from "../repeat.js";
import { blocksOf } from "../service-cidr/service-cidr-controller.js";

/** The interval at which allocated addresses and ports are compared with the services, in milliseconds. */
export const REPAIR_MS = 180_000;

const GROUP_VERSION = "networking.k8s.io/v1";
const FAMILY = "ipaddress.kubernetes.io/ip-family";
const MANAGED_BY = "ipaddress.kubernetes.io/managed-by";
const ALLOCATOR = "ipallocator.k8s.io";
/** As long as a request may last: that old, an address without a service has been left behind. */
const GRACE_MS = 60_000;

/** What is remembered of a service while all are gone through. */
interface Holder {
  readonly namespace: string;
  readonly name: string;
  readonly ips: readonly string[];
}

/**
 * Compares cluster IPs with their IPAddress objects before the cluster counts as started, and every 180 seconds. Does nothing in a cluster that
 * serves neither IPAddresses nor ServiceCIDRs.
 */
export function clusterIpRepair(context: ControllerContext): OwnWork {
  const { client, clock, cluster, recorder } = context;
  if (cluster.serviceCidr === undefined) return {};
  const events = recorder({ component: "ipallocator-repair-controller", host: "kubets" });
  const repair = new ClusterIpRepair(client, clock, events);
  const run = () => repair.run();
  return { prepare: run, run: () => repeat(run, { ...context, milliseconds: REPAIR_MS }) };
}

/**
 * Compares cluster IPs with the IPAddress objects that name their owners: it creates the missing object of each address, also for
 * services that are older than those objects, and removes objects that the allocator left behind.
 */
export class ClusterIpRepair {
  readonly #services: ResourceClient<Service>;
  readonly #addresses: ResourceClient<IPAddress>;
  readonly #cidrs: ResourceClient<ServiceCIDR>;

  constructor(
    client: KubernetesClient,
    private readonly clock: Clock,
    private readonly events: EventRecorder,
  ) {
    this.#services = client.of("v1", "Service");
    this.#addresses = client.of(GROUP_VERSION, "IPAddress");
    this.#cidrs = client.of(GROUP_VERSION, "ServiceCIDR");
  }

  /** Goes through all services and addresses once. */
  async run(): Promise<void> {
    const services = new Map<string, Holder>();
    for await (const service of this.#services.listAll()) {
      const { namespace = "", name } = service.metadata ?? {};
      services.set(`${namespace}/${name}`, { namespace, name, ips: clusterIpsOf(service) });
    }
    // After the services: what is missing here is missing, what is too much may be that of a new service.
    const addresses = new Map<string, ReceivedObject<IPAddress>>();
    for await (const address of this.#addresses.listAll()) addresses.set(address.metadata?.name ?? "", address);
    const blocks = (await this.#cidrs.list()).items.flatMap(blocksOf);
    for (const service of services.values()) {
      for (const ip of service.ips) await this.#checkService(service, ip, services, addresses, blocks);
    }
    for (const address of addresses.values()) await this.#checkAddress(address, services);
  }

  async #checkService(
    holder: Holder,
    ip: string,
    services: ReadonlyMap<string, Holder>,
    addresses: ReadonlyMap<string, ReceivedObject<IPAddress>>,
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
    const warn = (reason: string, message: string) =>
      this.events.event(service, "Warning", reason, message, { action });
    if (isIP(ip) === 0) {
      const message = "Cluster IP <nil> is not a valid IP; please recreate Service";
      this.events.event(service, "Warning", "ClusterIPNotValid", message, { action: "ClusterIPValidation" });
    } else if (!inRange) {
      const where = "is not within any configured Service CIDR; please recreate service";
      warn("ClusterIPOutOfRange", `Cluster IP [${family}]: ${ip} ${where}`);
    } else if (address === undefined) {
      warn("ClusterIPNotAllocated", `Cluster IP [${family}]: ${ip} is not allocated; repairing`);
      await this.#create(ip, service);
    } else if (refersTo(parent, holder)) {
      await this.#recreate(address, service);
    } else {
      const other = isServiceReference(parent)
        ? services.get(`${text(parent.namespace)}/${text(parent.name)}`)
        : undefined;
      if (other === undefined) {
        const message = `the ClusterIP [${family}]: ${ip} for Service ${namespace}/${name} has a wrong reference; repairing`;
        warn("ClusterIPNotAllocated", message);
        await this.#recreate(address, service);
      } else if (other.ips.includes(ip)) {
        const message = `Cluster IP [${family}]:${ip} was assigned to multiple services; please recreate service`;
        warn("ClusterIPAlreadyAllocated", message);
      }
    }
  }

  async #checkAddress(address: ReceivedObject<IPAddress>, services: ReadonlyMap<string, Holder>): Promise<void> {
    if (address.metadata?.labels?.[MANAGED_BY] !== ALLOCATOR) return;
    const ip = address.metadata.name ?? "";
    const parent = parentOf(address);
    const [namespace, name] = [text(parent.namespace), text(parent.name)];
    const clean = async (reason: string, message: string) => {
      this.events.event(address, "Warning", reason, message, { action: "IPAddressAllocation" });
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

  async #service(namespace: string, name: string): Promise<ReceivedObject<Service> | undefined> {
    try {
      return await this.#services.namespace(namespace).get(name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #recreate(address: ReceivedObject<IPAddress>, service: ReceivedObject<Service>): Promise<void> {
    await this.#delete(address);
    await this.#create(address.metadata?.name ?? "", service);
  }

  /** That one: not what another client has made of it meanwhile. */
  async #delete({ metadata = {} }: ReceivedObject<IPAddress>): Promise<void> {
    try {
      const preconditions = { ...(metadata.uid !== undefined && { uid: metadata.uid }) };
      await this.#addresses.delete(metadata.name ?? "", { preconditions });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #create(ip: string, { metadata = {} }: ReceivedObject<Service>): Promise<void> {
    const { namespace = "", name = "" } = metadata;
    try {
      await this.#addresses.create({
        apiVersion: GROUP_VERSION,
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

function clusterIpsOf(service: ReceivedObject<Service>): readonly string[] {
  const spec = object(service.spec);
  const ips = list(spec.clusterIPs)
    .map(text)
    .filter((ip) => ip !== "");
  return spec.type === "ExternalName" || ips[0] === "None" ? [] : ips;
}

function parentOf(address: ReceivedObject<IPAddress> | undefined): Received<ParentReference> {
  return object(object(address?.spec).parentRef);
}

function isServiceReference(parent: Received<ParentReference>): boolean {
  return text(parent.group) === "" && parent.resource === "services";
}

function refersTo(parent: Received<ParentReference>, { namespace, name }: Holder): boolean {
  return isServiceReference(parent) && parent.namespace === namespace && parent.name === name;
}

function isLabelled({ metadata = {} }: ReceivedObject<IPAddress>): boolean {
  return metadata.labels?.[FAMILY] === familyOf(metadata.name ?? "") && metadata.labels[MANAGED_BY] === ALLOCATOR;
}
