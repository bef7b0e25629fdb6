import type { Random } from "../../../base/random.js";
import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { invalid } from "../../../machinery/errors/status-error.js";
import {
  children,
  ensureChild,
  type Fields,
  list,
  number,
  object,
  objects,
  type ReadonlyFields,
  text,
} from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { StrategyContext } from "../../registry/strategy.js";

/** 10.96.0.0/12, without its first and last address; `kubernetes` has the first. */
const RANGE = "10.96.0.0/12";
const FIRST = ipv4Number("10.96.0.1");
const LAST = ipv4Number("10.111.255.254");
/** Left to those who choose an address themselves, as long as others are free. */
const STATIC_BAND = 256;
const PORTS = { first: 30000, last: 32767 };

/**
 * Gives a service its cluster IP and node ports: free in the whole cluster, and not taken by a write that is still under
 * way (a reservation, dropped when that write is done or has failed). Throws 422 for what was asked for and is not to be had.
 */
export async function allocateService(
  draft: KubeObject,
  old: KubeObject | undefined,
  context: StrategyContext,
): Promise<() => void> {
  const spec = ensureChild(draft, "spec");
  const before = object(old?.spec);
  const needsIp = spec.type !== "ExternalName" && list(spec.clusterIPs)[0] !== "None";
  const taken = new Reservations(context);
  const services = await context.objects.list("", "services");
  const others = services
    .filter((service) => service.metadata?.uid !== draft.metadata?.uid)
    .map((service) => object(service.spec));
  const errors: FieldError[] = [];
  if (needsIp) errors.push(...assignIp(spec, before, others, taken, context.random));
  if (usesNodePorts(spec)) errors.push(...assignPorts(spec, before, others, taken, context.random));
  if (errors.length > 0) {
    taken.release();
    throw invalid({ group: "", kind: "Service" }, draft.metadata?.name ?? "", errors);
  }
  return () => taken.release();
}

/** What writes under way have taken beyond what is stored. */
class Reservations {
  readonly #all: Set<string>;
  /** Of others, when this write began: the list that is read next may not show them although they are stored by then. */
  readonly #before: ReadonlySet<string>;
  readonly #mine: string[] = [];

  constructor(context: StrategyContext) {
    this.#all = context.shared("service-reservations", () => new Set<string>());
    this.#before = new Set(this.#all);
  }

  has(key: string): boolean {
    return this.#all.has(key) || this.#before.has(key);
  }

  take(key: string): void {
    this.#all.add(key);
    this.#mine.push(key);
  }

  release(): void {
    for (const key of this.#mine.splice(0)) this.#all.delete(key);
  }
}

function assignIp(
  spec: Fields,
  before: ReadonlyFields,
  others: readonly ReadonlyFields[],
  taken: Reservations,
  random: Random,
): FieldError[] {
  const wanted = text(list(spec.clusterIPs)[0]);
  if (wanted !== "" && wanted === text(list(before.clusterIPs)[0])) return [];
  const used = new Set(others.flatMap((other) => list(other.clusterIPs).map(text)));
  const free = (ip: string) => !used.has(ip) && !taken.has(ip);
  if (wanted === "") {
    const ip = pick(FIRST, LAST, STATIC_BAND, random, (candidate) => free(ipv4Text(candidate)));
    if (ip === undefined) return [invalidValue("spec.clusterIPs", [""], "failed to allocate IP: range is full")];
    spec.clusterIP = ipv4Text(ip);
    spec.clusterIPs = [ipv4Text(ip)];
    taken.take(ipv4Text(ip));
    return [];
  }
  const refuse = (why: string) => [
    invalidValue("spec.clusterIPs", list(spec.clusterIPs), `failed to allocate IP ${wanted}: ${why}`),
  ];
  const address = /^[0-9.]+$/.test(wanted) ? ipv4Number(wanted) : 0;
  if (address < FIRST || address > LAST) {
    return refuse(`the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${RANGE}`);
  }
  if (!free(wanted)) return refuse("provided IP is already allocated");
  taken.take(wanted);
  return [];
}

function assignPorts(
  spec: Fields,
  before: ReadonlyFields,
  others: readonly ReadonlyFields[],
  taken: Reservations,
  random: Random,
): FieldError[] {
  const used = new Set(others.flatMap((other) => objects(other.ports)).map((port) => number(port.nodePort)));
  const own = new Set(objects(before.ports).map((port) => number(port.nodePort)));
  const free = (port: number) => !used.has(port) && !taken.has(`port ${port}`);
  const errors: FieldError[] = [];
  const automatic = spec.type === "NodePort" || spec.allocateLoadBalancerNodePorts !== false;
  /** Ports of several protocols with one number share a node port. */
  const byPort = new Map<number, number>();
  for (const [index, port] of children(spec, "ports").entries()) {
    const wanted = number(port.nodePort);
    if (wanted !== 0) {
      byPort.set(number(port.port), wanted);
      const why = own.has(wanted) ? undefined : refusal(wanted, free);
      if (why !== undefined) errors.push(invalidValue(`spec.ports[${index}].nodePort`, wanted, why));
      else if (!own.has(wanted)) taken.take(`port ${wanted}`);
    } else if (automatic) {
      const chosen =
        byPort.get(number(port.port)) ?? pick(PORTS.first, PORTS.last, 86, random, (candidate) => free(candidate));
      if (chosen === undefined) {
        errors.push(invalidValue(`spec.ports[${index}].nodePort`, 0, "failed to allocate a nodePort: range is full"));
        continue;
      }
      port.nodePort = chosen;
      byPort.set(number(port.port), chosen);
      taken.take(`port ${chosen}`);
    }
  }
  return errors;
}

function refusal(port: number, free: (port: number) => boolean): string | undefined {
  if (port < PORTS.first || port > PORTS.last) {
    return `provided port is not in the valid range. The range of valid ports is ${PORTS.first}-${PORTS.last}`;
  }
  return free(port) ? undefined : "provided port is already allocated";
}

/** A free number, from a random place upwards and around; the lowest `band` numbers come last. */
function pick(
  first: number,
  last: number,
  band: number,
  random: Random,
  free: (candidate: number) => boolean,
): number | undefined {
  const [a = 0, b = 0, c = 0, d = 0] = random.bytes(4);
  const size = last - first - band + 1;
  const start = ((a * 256 + b) * 256 + c) * 256 + d;
  for (let step = 0; step < size; step++) {
    const candidate = first + band + ((start + step) % size);
    if (free(candidate)) return candidate;
  }
  for (let candidate = first; candidate < first + band; candidate++) if (free(candidate)) return candidate;
  return undefined;
}

function usesNodePorts(spec: ReadonlyFields): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer";
}

function ipv4Number(ip: string): number {
  return ip.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
}

function ipv4Text(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}
