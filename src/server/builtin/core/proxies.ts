import { inOrder } from "../../../base/async/turns.js";
import { serviceUnavailable, unclassified } from "../../../machinery/errors/status-error.js";
import { number, object, objects, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { HandlerContext } from "../../endpoints/resource-record.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import type { ClusterNetwork } from "../../kubelet/cluster-network.js";
import type { ProxyTarget } from "../../kubelet/proxy-target.js";
import type { Connecter } from "../../registry/resource.js";
import type { RequestScope } from "../../registry/scope.js";
import type { ApiRequest } from "../../request/api-request.js";
import { checkProxyable, kubeletTarget, proxiedName, readObject } from "./connect-target.js";
import { podAddress, serviceEndpoint } from "./services/service-endpoint.js";

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
    const endpoint = await serviceEndpoint({ scope, id, name, port }, services, server);
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

function declaredPort({ spec }: KubeObject): string {
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
