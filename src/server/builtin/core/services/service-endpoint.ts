import type { Random } from "../../../../base/numbers/random.js";
import { serviceUnavailable, unclassified } from "../../../../machinery/errors/status-error.js";
import { number, object, objects, text } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { HandlerContext } from "../../../endpoints/resource-record.js";
import type { ServedResource } from "../../../endpoints/served-resource.js";
import type { RequestScope } from "../../../registry/scope.js";
import { readObject } from "../connect-target.js";

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
export async function serviceEndpoint(
  { scope, id, name, port }: Wanted,
  services: ServedResource,
  { resource }: HandlerContext,
): Promise<{ readonly host: string; readonly port: number }> {
  const [endpoints, pods] = ["endpoints", "pods"].map((plural) => resource("v1", plural));
  if (endpoints === undefined || pods === undefined) throw unclassified("endpoints and pods are not served");
  const portName = /^\d+$/.test(port) ? nameOfPort(await readObject(scope, services, name), Number(port), name) : port;
  const { subsets } = await readObject(scope, endpoints, name);
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

function nameOfPort({ spec }: KubeObject, wanted: number, service: string): string {
  const found = objects(object(spec).ports).find(({ port }) => number(port) === wanted);
  if (found !== undefined) return text(found.name);
  throw serviceUnavailable(`no service port ${wanted} found for service "${service}"`);
}

async function isPodAddress(
  scope: RequestScope,
  pods: ServedResource,
  ip: string,
  { name, namespace }: ReturnType<typeof object>,
): Promise<boolean> {
  if (text(name) === "" || text(namespace) !== scope.namespace) return false;
  try {
    const { status } = await readObject(scope, pods, text(name));
    return [object(status).podIP, ...objects(object(status).podIPs).map((one) => one.ip)].some(
      (one) => text(one) === ip,
    );
  } catch {
    return false;
  }
}

/** The address that a pod has first; "" before it has one. */
export const podAddress = ({ status }: KubeObject): string =>
  text(objects(object(status).podIPs)[0]?.ip) || text(object(status).podIP);

/** All of them, beginning with any. */
function fromAny<T>(all: readonly T[], random: Random): readonly T[] {
  const first = new DataView(random.bytes(4).buffer).getUint32(0) % Math.max(all.length, 1);
  return [...all.slice(first), ...all.slice(0, first)];
}
