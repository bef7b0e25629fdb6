import {
  containerPortByName,
  containerPorts,
  servicePortByName,
  servicePorts,
  targetPort,
} from "../../kinds/named-ports.js";
import { number, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/**
 * The operands `[LOCAL:]REMOTE` with the pod's numbers in place of names and of the ports of a service. Throws in kubectl's words for
 * a name or a port that there is not, and for UDP.
 */
export function targetPorts(
  texts: readonly string[],
  pod: KubeObject,
  service: KubeObject | undefined,
): readonly string[] {
  if (service === undefined) {
    refuseUdp(texts, containerPorts(pod, "containers"), "containerPort", (name) => containerPortByName(pod, name));
    return texts.map((port) => podPort(port, pod));
  }
  refuseUdp(texts, servicePorts(service), "port", (name) => servicePortByName(service, name));
  return texts.map((port) => portBehindService(port, service, pod));
}

function podPort(text: string, pod: KubeObject): string {
  const [local, remote] = split(text);
  if (remote === "") throw new Error("remote port cannot be empty");
  const target = isInteger(remote) ? remote : String(containerPortByName(pod, remote));
  return local === remote ? target : `${local}:${target}`;
}

function portBehindService(text: string, service: KubeObject, pod: KubeObject): string {
  const [local, remote] = split(text);
  const port = isInteger(remote) ? Number(remote) : servicePortByName(service, remote);
  const from = local === remote ? (isInteger(remote) ? local : String(port)) : local;
  const target = String(targetPort(service, pod, port));
  return from === target ? target : `${from}:${target}`;
}

/** kubectl takes what has not exactly one colon for a port alone. */
function split(text: string): readonly [local: string, remote: string] {
  const [first = "", second = "", ...more] = text.split(":");
  return text.includes(":") && more.length === 0 ? [first, second] : [first, first];
}

const isInteger = (text: string): boolean => /^[+-]?\d{1,18}$/.test(text);

/** A port that is served over UDP alone cannot be forwarded. */
function refuseUdp(
  texts: readonly string[],
  ports: readonly ReadonlyFields[],
  field: "port" | "containerPort",
  byName: (name: string) => number,
): void {
  const numbersOf = (protocol: string): ReadonlySet<number> =>
    new Set(ports.filter((port) => text(port.protocol) === protocol).map((port) => number(port[field])));
  const [udp, tcp] = [numbersOf("UDP"), numbersOf("TCP")];
  for (const [, remote] of texts.map(split)) {
    const port = isInteger(remote) ? Number(remote) : byName(remote);
    if (udp.has(port) && !tcp.has(port)) throw new Error(`UDP protocol is not supported for ${remote}`);
  }
}
