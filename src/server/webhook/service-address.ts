import type { Random } from "../../base/numbers/random.js";
import { goQuote } from "../../base/text/go-quote.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import type { Endpoints, Service, ServiceSpec } from "../../api/types/core/v1.js";
import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import { list, object, objects, type Received, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ServicePort } from "./webhook-target.js";

/** The address of a service. */
export interface Address {
  /** An IP address, or the name that an ExternalName service has. */
  readonly host: string;
  readonly port: number;
}

/** Finds the address of the webhook behind a service. Rejects with an Error that tells why there is none. */
export type LocateService = (service: ServicePort) => Promise<Address>;

/** Reads objects of this server; an ObjectAccess's `cached` is one. */
export interface ServiceObjects {
  get(group: string, resource: string, namespace: string, name: string): Promise<KubeObject | undefined>;
  list(group: string, resource: string, namespace: string): Promise<readonly KubeObject[]>;
}

/**
 * Finds a ready endpoint of a service by its EndpointSlices, those of the service's first IP family before others, else by its
 * Endpoints; an ExternalName service is its name. A cluster IP is no address here: nothing routes it. The errors are those
 * of kube-apiserver with --enable-aggregator-routing.
 */
export function locateByEndpoints(objects: () => ServiceObjects, random: Random): LocateService {
  return async ({ namespace, name, port }) => {
    const service = await objects().get("", "services", namespace, name);
    if (service === undefined) throw new Error(`service ${goQuote(name)} not found`);
    const { spec: given }: ReceivedObject<Service> = service;
    const spec = object(given);
    if (spec.type === "ExternalName") return { host: text(spec.externalName), port };
    const portName = nameOfPort(spec, name, port);
    const slices = await objects().list("discovery.k8s.io", "endpointslices", namespace);
    const own = slices.filter(({ metadata }) => metadata?.labels?.["kubernetes.io/service-name"] === name);
    const found = inSlices(own, spec, portName, random) ?? (await inEndpoints(objects(), namespace, name, portName));
    if (found === undefined) throw new Error(`no endpoints available for service ${goQuote(name)}`);
    return found;
  };
}

function nameOfPort(spec: Received<ServiceSpec>, name: string, port: number): string {
  const found = objects(spec.ports).find((one) => one.port === port);
  if (found === undefined) throw new Error(`no service port ${port} found for service ${goQuote(name)}`);
  return text(found.name);
}

function inSlices(
  slices: readonly ReceivedObject<EndpointSlice>[],
  spec: Received<ServiceSpec>,
  portName: string,
  random: Random,
): Address | undefined {
  const [family] = list(spec.ipFamilies);
  const preferred = slices.filter((slice) => slice.addressType === family);
  const others = slices.filter((slice) => slice.addressType !== family);
  for (const slice of [...shuffled(preferred, random), ...shuffled(others, random)]) {
    const port = objects(slice.ports).find((one) => text(one.name) === portName)?.port;
    const ready = objects(slice.endpoints).filter((one) => object(one.conditions).ready !== false);
    const [chosen] = shuffled(ready, random);
    const [host] = list(chosen?.addresses);
    if (typeof port === "number" && typeof host === "string") return { host, port };
  }
  return undefined;
}

/** A service without a selector may have Endpoints alone, where no controller mirrors them to slices. */
async function inEndpoints(
  from: ServiceObjects,
  namespace: string,
  name: string,
  portName: string,
): Promise<Address | undefined> {
  const endpoints: ReceivedObject<Endpoints> | undefined = await from.get("", "endpoints", namespace, name);
  for (const subset of objects(endpoints?.subsets)) {
    const port = objects(subset.ports).find((one) => text(one.name) === portName)?.port;
    const [first] = objects(subset.addresses);
    if (typeof port === "number" && first !== undefined) return { host: text(first.ip), port };
  }
  return undefined;
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  if (items.length < 2) return items;
  const at = randomBelow(random, items.length);
  return [...items.slice(at), ...items.slice(0, at)];
}
