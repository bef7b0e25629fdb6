import { inOrder } from "../../../base/async/turns.js";
import { serviceUnavailable, unclassified } from "../../../machinery/errors/status-error.js";
import type { Endpoints, ObjectReference, Pod, Service } from "../../../api/types/core/v1.js";
import type { EndpointSlice } from "../../../api/types/discovery/v1.js";
import {
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { HandlerContext } from "../../endpoints/resource-record.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import type { ClusterNetwork } from "../../kubelet/cluster-network.js";
import type { ProxyTarget } from "../../kubelet/proxy-target.js";
import type { Connecter } from "../../registry/resource.js";
import type { RequestScope } from "../../registry/scope.js";
import type { ApiRequest } from "../../request/api-request.js";
import { checkProxyable, kubeletTarget, proxiedName, readObject } from "./connect-target.js";
import type { Random } from "../../../base/numbers/random.js";

type Location = Omit<ProxyTarget, "path">;
type Locate = (scope: RequestScope, id: string) => Promise<Location>;
type MakeConnecter = (resource: ServedResource, server: HandlerContext) => Connecter;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

const proxy = (locate: Locate): Connecter => ({
  connectMethods: METHODS,
  hasSubpath: true,
  async connect(scope, id, { path }) {
    const location = await locate(scope, id);
    return async (request: ApiRequest) => {
      const { proxyHttp } = await inOrder(import("../../kubelet/proxy-http.js"));
      await proxyHttp(request, location, path);
    };
  },
});

/** pods/proxy: HTTP to a port of a pod; without one to the first that its containers declare. */
export const podProxy: MakeConnecter = (pods, { network }) =>
  proxy(async (scope, id) => {
    const { scheme, name, port } = proxiedName(id, "pod");
    const pod = await readObject(scope, pods, name);
    const host = podAddress(pod);
    checkProxyable(host);
    return { scheme, host, port: portNumber(port === "" ? declaredPort(pod) : port, scheme), network };
  });

/** services/proxy: HTTP to one of the pods behind a service. */
export const serviceProxy: MakeConnecter = (services, server) =>
  proxy(async (scope, id) => {
    const { scheme, name, port } = proxiedName(id, "service");
    // K37-113
    const find = services.release.atLeast("1.37") ? sliceEndpoint : serviceEndpoint;
    const endpoint = await find({ scope, id, name, port }, services, server);
    checkProxyable(endpoint.host);
    return { scheme, ...endpoint, network: server.network };
  });

/** nodes/proxy: HTTP to a node's agent, or to another port of the node. */
export const nodeProxy: MakeConnecter = (_nodes, server) =>
  proxy(async (scope, id) => {
    const { scheme, name, port } = proxiedName(id, "node");
    const { path: _, ...kubelet } = await kubeletTarget(server, scope, name, "");
    if (port === "" || port === String(kubelet.port)) return kubelet;
    const addresses = await addressesOf(kubelet.host, server.network);
    if (addresses.length === 0) throw serviceUnavailable("no addresses for hostname");
    for (const address of addresses) checkProxyable(address);
    return { scheme, host: kubelet.host, port: portNumber(port, scheme), network: server.network };
  });

async function addressesOf(hostname: string, network: ClusterNetwork): Promise<readonly string[]> {
  const own = network.addressOf?.(hostname);
  if (own !== undefined) return [own];
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.map(({ address }) => address);
}

function declaredPort({ spec }: ReceivedObject<Pod>): string {
  for (const { ports } of objects(object(spec).containers)) {
    const [first] = objects(ports);
    if (first !== undefined) return String(number(first.containerPort));
  }
  return "";
}

function portNumber(port: string, scheme: ProxyTarget["scheme"]): number {
  if (port === "") return scheme === "https" ? 443 : 80;
  const known = Number(port);
  if (Number.isInteger(known) && known >= 0 && known < 65536) return known;
  throw unclassified(`address ${text(port)}: invalid port`);
}

interface Wanted {
  readonly scope: RequestScope;
  /** As the client writes it, for errors. */
  readonly id: string;
  readonly name: string;
  /** A name or a number; "" is the port without a name. */
  readonly port: string;
}

/**
 * An address behind a service, by its Endpoints. Only one that refers to a pod which has that address counts: who writes Endpoints
 * must not reach through the server what they cannot reach themselves. Throws 503 when there is none.
 */
async function serviceEndpoint(
  { scope, id, name, port }: Wanted,
  services: ServedResource,
  { resource }: HandlerContext,
): Promise<{ readonly host: string; readonly port: number }> {
  const [endpoints, pods] = ["endpoints", "pods"].map((plural) => resource("v1", plural));
  if (endpoints === undefined || pods === undefined) throw unclassified("endpoints and pods are not served");
  const portName = /^\d+$/.test(port) ? nameOfPort(await readObject(scope, services, name), Number(port), name) : port;
  const { subsets }: ReceivedObject<Endpoints> = await readObject(scope, endpoints, name);
  const all = objects(subsets);
  if (all.length === 0) throw serviceUnavailable(`no endpoints available for service "${name}"`);
  const { random } = services;
  for (const { addresses, ports } of fromAny(all, random)) {
    const found = objects(ports).find((one) => text(one.name) === portName);
    if (found === undefined) continue;
    for (const { ip, targetRef } of fromAny(objects(addresses), random)) {
      const host = text(ip);
      if (await isPodAddress(scope, pods, host, object(targetRef))) return { host, port: number(found.port) };
    }
  }
  throw serviceUnavailable(`no endpoints available for service "${id}"`);
}

/** {@link serviceEndpoint} by the EndpointSlices of the service, those of its first IP family before others. */
async function sliceEndpoint(
  { scope, name, port }: Wanted,
  services: ServedResource,
  { resource }: HandlerContext,
): Promise<{ readonly host: string; readonly port: number }> {
  const [slices, pods] = [resource("discovery.k8s.io/v1", "endpointslices"), resource("v1", "pods")];
  if (slices?.storage.list === undefined || pods === undefined) throw unclassified("endpoints and pods are not served");
  const service: ReceivedObject<Service> = await readObject(scope, services, name);
  const portName = /^\d+$/.test(port) ? nameOfPort(service, Number(port), name) : port;
  const { items } = await slices.storage.list(scope, {
    predicate: ({ labels }) => labels["kubernetes.io/service-name"] === name,
  });
  const own = Array.from(items, (item): ReceivedObject<EndpointSlice> => item.object());
  const [family] = list(object(service.spec).ipFamilies);
  const { random } = services;
  const [preferred, others] = [true, false].map((wanted) =>
    own.filter((one) => (one.addressType === family) === wanted),
  );
  for (const slice of [...fromAny(preferred ?? [], random), ...fromAny(others ?? [], random)]) {
    const found = objects(slice.ports).find((one) => text(one.name) === portName)?.port;
    if (found === undefined) continue;
    const ready = objects(slice.endpoints).filter((one) => object(one.conditions).ready !== false);
    for (const { addresses, targetRef } of fromAny(ready, random)) {
      const host = text(list(addresses)[0]);
      if (await isPodAddress(scope, pods, host, object(targetRef))) return { host, port: number(found) };
    }
  }
  throw serviceUnavailable(`no endpoints available for service "${name}"`);
}

function nameOfPort({ spec }: ReceivedObject<Service>, wanted: number, service: string): string {
  const found = objects(object(spec).ports).find(({ port }) => number(port) === wanted);
  if (found !== undefined) return text(found.name);
  throw serviceUnavailable(`no service port ${wanted} found for service "${service}"`);
}

async function isPodAddress(
  scope: RequestScope,
  pods: ServedResource,
  ip: string,
  { name, namespace }: Received<ObjectReference>,
): Promise<boolean> {
  if (text(name) === "" || text(namespace) !== scope.namespace) return false;
  try {
    const { status }: ReceivedObject<Pod> = await readObject(scope, pods, text(name));
    return [object(status).podIP, ...objects(object(status).podIPs).map((one) => one.ip)].some(
      (one) => text(one) === ip,
    );
  } catch {
    return false;
  }
}

/** The address that a pod has first; "" before it has one. */
const podAddress = ({ status }: ReceivedObject<Pod>): string =>
  text(objects(object(status).podIPs)[0]?.ip) || text(object(status).podIP);

/** All of them, beginning with any. */
function fromAny<T>(all: readonly T[], random: Random): readonly T[] {
  const first = new DataView(random.bytes(4).buffer).getUint32(0) % Math.max(all.length, 1);
  return [...all.slice(first), ...all.slice(0, first)];
}
