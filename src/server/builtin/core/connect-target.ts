import { isIP } from "node:net";
import { badRequest, unclassified } from "../../../machinery/errors/status-error.js";
import { parseAddr } from "../../../machinery/text/go/netip.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { HandlerContext } from "../../endpoints/resource-record.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import type { AgentPlace } from "../../kubelet/cluster-network.js";
import type { ProxyTarget } from "../../kubelet/proxy-target.js";
import type { RequestScope } from "../../registry/scope.js";
import type { Node, Pod } from "../../../api/types/core/v1.js";
import { number, object, objects, type ReceivedObject, text } from "../../../machinery/meta/received.js";

/** Reads an object that a connection needs. Throws NotFound. */
export async function readObject(scope: RequestScope, { storage }: ServedResource, name: string): Promise<KubeObject> {
  if (storage.get === undefined) throw unclassified("not served");
  return (await storage.get(scope, name, {})).object();
}

/** The target of a connection to the agent of a node. Throws NotFound for an unknown node, and 503 for one that the server may not connect to. */
export async function kubeletTarget(
  { network, resource }: HandlerContext,
  scope: RequestScope,
  node: string,
  path: string,
): Promise<ProxyTarget> {
  const nodes = resource("v1", "nodes");
  if (nodes === undefined) throw unclassified("nodes are not served");
  const found = await readObject({ ...scope, namespace: "" }, nodes, node);
  const { host, port, authority }: AgentPlace =
    network.agentOf?.(found) ?? kubeletAddress(found, network.kubeletAddressTypes);
  const verification = network.kubeletVerification;
  return { scheme: "https", host, port, path, identity: network.kubeletClient?.(), authority, verification, network };
}

/** The name in a proxy's path: "web", "web:80", "https:web:443". The port may be a name, or empty. */
export interface ProxiedName {
  readonly scheme: "http" | "https";
  readonly name: string;
  readonly port: string;
}

/** Parses the name in a proxy's path. Throws a 400 about an invalid request of `what`. */
export function proxiedName(id: string, what: "pod" | "service" | "node"): ProxiedName {
  const parts = id.split(":");
  const [scheme = "", name = "", port = ""] = parts.length === 3 ? parts : ["", ...parts];
  if (parts.length > 3 || name === "" || !["", "http", "https"].includes(scheme)) {
    throw badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  }
  return { scheme: scheme === "https" ? "https" : "http", name, port };
}

/**
 * Throws 400 for an address that no object may lead the server to: this machine's (loopback, unspecified), a neighbour's by its link,
 * a group's, or none at all.
 */
export function checkProxyable(address: string): void {
  if (!isGlobalUnicast(address)) throw badRequest("address not allowed");
}

/** Go's net.IP.IsGlobalUnicast. An IPv4 address in IPv6 form is treated as IPv4. */
export function isGlobalUnicast(address: string): boolean {
  const bytes = bytesOf(address);
  const [a = 0, b = 0] = bytes;
  if (bytes.length === 4) {
    const isAll = (wanted: number): boolean => bytes.every((byte) => byte === wanted);
    return !(a === 127 || isAll(0) || isAll(255) || (a === 169 && b === 254) || (a >= 224 && a < 240));
  }
  if (bytes.length === 0) return false;
  const isZeroOrOne = bytes.slice(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) <= 1;
  return !(isZeroOrOne || (a === 0xfe && (b & 0xc0) === 0x80) || a === 0xff);
}

const MAPPED = [...Array<number>(10).fill(0), 0xff, 0xff];

/** 4 or 16 bytes; none for what is no address. */
function bytesOf(address: string): readonly number[] {
  if (isIP(address) === 0) return [];
  const { bytes } = parseAddr(address);
  return MAPPED.every((byte, index) => bytes[index] === byte) ? bytes.slice(MAPPED.length) : bytes;
}

/** kube-apiserver's default of --kubelet-preferred-address-types. */
const PREFERRED: readonly string[] = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];
const DEFAULT_PORT = 10250;

/** The address at which a node's agent serves over TLS. */
export interface KubeletAddress {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Throws when the node names no address of the types, of which the first that it has counts. */
function kubeletAddress({ status }: ReceivedObject<Node>, types = PREFERRED): KubeletAddress {
  const { addresses, daemonEndpoints } = object(status);
  const known = objects(addresses);
  const address = types.map((type) => known.find((one) => one.type === type)).find((one) => one !== undefined);
  if (address === undefined) {
    const shown = known.map((one) => `{${text(one.type)} ${text(one.address)}}`).join(" ");
    throw unclassified(`no preferred addresses found; known addresses: [${shown}]`);
  }
  const host = text(address.address);
  const port = number(object(object(daemonEndpoints).kubeletEndpoint).Port);
  return { host, port: port > 0 ? port : DEFAULT_PORT };
}

/** The container that a client chooses: the named one, or the only one. Throws 400 where it does not exist, or several are possible. */
export function chosenContainer(pod: ReceivedObject<Pod>, wanted: string): string {
  const { name = "" } = pod.metadata ?? {};
  const { initContainers, containers, ephemeralContainers } = object(pod.spec);
  const all = [initContainers, containers, ephemeralContainers].flatMap(objects).map((one) => text(one.name));
  if (wanted !== "") {
    if (all.includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  }
  const [only, ...more] = objects(containers).map((one) => text(one.name));
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`);
  if (more.length === 0) return only;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(" ")}]`);
}
