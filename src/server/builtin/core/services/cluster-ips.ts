import type { Service } from "../../../../api/types/core/v1.js";
import type { ParentReference, IPAddressSpec, IPAddress, ServiceCIDR } from "../../../../api/types/networking/v1.js";
import {
  formatIpv4,
  type Ipv4Prefix,
  isHostOf,
  parseIpv4,
  parseIpv4Prefix,
} from "../../../../base/numbers/ipv4-prefix.js";
import { randomBelow } from "../../../../base/numbers/random-below.js";
import { turn } from "../../../../base/async/turns.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../../../machinery/errors/status-error.js";
import {
  type FieldsOf,
  list,
  object,
  objects,
  type ReceivedObject,
  text,
} from "../../../../machinery/meta/received.js";
import type { StrategyContext } from "../../../registry/strategy.js";

/** Thrown when no cluster IP can be allocated; the message is Kubernetes'. */
export class ClusterIpError extends Error {
  override readonly name = "ClusterIpError";
}

const NETWORKING = "networking.k8s.io";
const MANAGED_BY = "ipallocator.k8s.io";
/** How many taken addresses are passed over before others get a turn. */
const PATIENCE = 1000;

/**
 * Cluster IPs out of the ServiceCIDRs. To have an address is to have created the IPAddress object of that name, so that of
 * all servers one gets it; what a server's cache shows as taken is only not tried.
 */
export class ClusterIps {
  constructor(private readonly context: StrategyContext) {}

  /** Takes one that is free for the service. Throws {@link ClusterIpError}. In a dry run answers one that is free now. */
  async allocateNext(service: ReceivedObject<Service>): Promise<string> {
    const prefixes = await this.#prefixes();
    if (this.context.dryRun) {
      const [first] = prefixes;
      if (first === undefined) throw new ClusterIpError("allocator not ready");
      return formatIpv4(first.network);
    }
    for (const prefix of prefixes) {
      const ip = await this.#allocateFrom(prefix, service);
      if (ip !== undefined) return ip;
    }
    throw new ClusterIpError("range is full");
  }

  /** Takes that one. Throws {@link ClusterIpError}. A dry run does not ask whether it is taken. */
  async allocate(service: ReceivedObject<Service>, ip: string): Promise<void> {
    const address = parseIpv4(ip) ?? 0;
    const prefixes = await this.#prefixes();
    const [first] = prefixes;
    const known = prefixes.some((prefix) => isHostOf(prefix, address));
    if (this.context.dryRun) {
      if (first === undefined) throw new ClusterIpError("allocator not ready");
      if (!known) throw new ClusterIpError(notInRange(ip, first));
      return;
    }
    if (!known) throw new ClusterIpError("the provided network does not match the current range");
    if (!(await this.#create(service, ip))) throw new ClusterIpError("provided IP is already allocated");
  }

  /** Gives back what the service has; addresses of others stay theirs. What cannot be given back now is left to repair. */
  async release(service: ReceivedObject<Service>, ips: readonly string[]): Promise<void> {
    if (this.context.dryRun) return;
    for (const ip of ips) {
      const held = await this.context.objects.cached.get(NETWORKING, "ipaddresses", "", ip);
      if (held === undefined || !belongsTo(held, service)) continue;
      try {
        await this.context.objects.delete(NETWORKING, "ipaddresses", held);
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    }
  }

  /** IPv4 blocks that addresses are given from now. */
  async #prefixes(): Promise<readonly Ipv4Prefix[]> {
    const cidrs = await this.context.objects.cached.list(NETWORKING, "servicecidrs");
    return cidrs
      .filter(isReady)
      .flatMap(({ spec }: ReceivedObject<ServiceCIDR>) =>
        list(object(spec).cidrs).map((cidr) => parseIpv4Prefix(text(cidr))),
      )
      .filter((prefix) => prefix !== undefined);
  }

  /** From a random place upwards and around; the lowest addresses, which people choose themselves, come last. */
  async #allocateFrom(prefix: Ipv4Prefix, service: ReceivedObject<Service>): Promise<string | undefined> {
    const first = prefix.network + 1;
    const size = prefix.broadcast - first;
    const reserved = staticBand(size + 2);
    return (
      (await this.#scan(first + reserved, size - reserved, service)) ?? (await this.#scan(first, reserved, service))
    );
  }

  async #scan(first: number, size: number, service: ReceivedObject<Service>): Promise<string | undefined> {
    if (size <= 0) return undefined;
    const start = randomBelow(this.context.random, size);
    for (let step = 0; step < size; step++) {
      if (step % PATIENCE === PATIENCE - 1) await turn();
      const ip = formatIpv4(first + ((start + step) % size));
      if (await this.context.objects.cached.has(NETWORKING, "ipaddresses", "", ip)) continue;
      if (await this.#create(service, ip)) return ip;
    }
    return undefined;
  }

  /** False when it is taken. */
  async #create(service: ReceivedObject<Service>, ip: string): Promise<boolean> {
    const { name = "", namespace = "" } = service.metadata ?? {};
    try {
      await this.context.objects.create(NETWORKING, "ipaddresses", {
        apiVersion: `${NETWORKING}/v1`,
        kind: "IPAddress",
        metadata: {
          name: ip,
          labels: { "ipaddress.kubernetes.io/ip-family": "IPv4", "ipaddress.kubernetes.io/managed-by": MANAGED_BY },
        },
        spec: {
          parentRef: { resource: "services", namespace, name } satisfies FieldsOf<ParentReference>,
        } satisfies FieldsOf<IPAddressSpec>,
      } satisfies FieldsOf<IPAddress>);
      return true;
    } catch (error) {
      if (isAlreadyExists(error)) return false;
      throw error;
    }
  }
}

/** Out of a block of that many addresses, those at its beginning that are left to people as long as others are free. */
function staticBand(size: number): number {
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 16)), 256);
}

/** A ServiceCIDR without a Ready condition is ready. */
function isReady(cidr: ReceivedObject<ServiceCIDR>): boolean {
  if (cidr.metadata?.deletionTimestamp !== undefined) return false;
  const condition = objects(object(cidr.status).conditions).find(({ type }) => type === "Ready");
  return condition === undefined || condition.status === "True";
}

function belongsTo(address: ReceivedObject<IPAddress>, service: ReceivedObject<Service>): boolean {
  const parent = object(object(address.spec).parentRef);
  const { name = "", namespace = "" } = service.metadata ?? {};
  return (
    text(parent.group) === "" &&
    parent.resource === "services" &&
    parent.namespace === namespace &&
    parent.name === name
  );
}

function notInRange(ip: string, { network, broadcast }: Ipv4Prefix): string {
  const length = 32 - Math.log2(broadcast - network + 1);
  return `the provided IP (${ip}) is not in the valid range. The range of valid IPs is ${formatIpv4(network)}/${length}`;
}
