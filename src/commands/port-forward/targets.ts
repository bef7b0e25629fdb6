import { attachablePod } from "../../actions/attachable-pod.js";
import { parsePorts } from "../../actions/forward-ports/port-spec.js";
import type { PodConnection } from "../../actions/forward-ports/port-forwarder.js";
import { PODS } from "../../actions/selected-pods.js";
import { resourcePath } from "../../client/dynamic/resource-path.js";
import { encodeQuery } from "../../client/rest/encode-query.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { openPortForward } from "../../client/streaming/port-forward.js";
import { object, text, number, type ReadonlyFields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import {
  containerPortByName,
  containerPorts,
  servicePortByName,
  servicePorts,
  targetPort,
} from "../../polymorphic-helpers/named-ports.js";

/** The operands of port-forward, as given. */
export interface TargetOperands {
  /** POD or TYPE/NAME. */
  readonly name: string;
  /** `[LOCAL:]REMOTE`, at least one. */
  readonly ports: readonly string[];
}

/** Splits the operands: every TYPE/NAME after the first begins another target, because no port has a slash. */
export function splitTargets(args: readonly string[]): readonly TargetOperands[] {
  const targets: { readonly name: string; readonly ports: string[] }[] = [];
  for (const arg of args) {
    const current = targets.at(-1);
    if (current === undefined || (arg.includes("/") && current.ports.length > 0))
      targets.push({ name: arg, ports: [] });
    else current.ports.push(arg);
  }
  return targets;
}

export interface ForwardHost {
  readonly client: RestClient;
  /** In force: where the pod is looked for. */
  readonly namespace: string;
  /** Milliseconds to wait for a first pod. */
  readonly podTimeout: number;
  /** Whether WebSockets are tried before SPDY. */
  readonly webSockets: boolean;
  /** --request-timeout in milliseconds, which the server hears of; 0 is none. */
  readonly requestTimeout: number;
  /** Finds what an operand names. */
  readonly find: (name: string) => Promise<Info>;
}

/** A target whose pod is found. */
export interface FoundTarget {
  readonly info: Info;
  readonly pod: KubeObject;
  /** `[LOCAL:]REMOTE` in numbers. */
  readonly ports: readonly string[];
}

/** Finds the pod of a target, and the numbers of its ports. Throws in kubectl's words. */
export async function findTarget(
  { name, ports }: TargetOperands,
  host: ForwardHost,
  signal: AbortSignal,
): Promise<FoundTarget> {
  const info = await host.find(name);
  const pod = await attachablePod(info, { client: host.client, timeout: host.podTimeout, signal });
  const { group, kind } = info.mapping.kind;
  const service = kind === "Service" && group === "" ? info.object : undefined;
  return { info, pod, ports: targetPorts(ports, pod, service) };
}

/** Connects to the pod of a target. Throws where the server refuses the connection, as it does for a pod that is not running. */
export async function connectTarget(
  { pod, ports }: Pick<FoundTarget, "pod" | "ports">,
  { client, namespace, webSockets, requestTimeout }: ForwardHost,
  signal: AbortSignal,
): Promise<PodConnection> {
  const remotePorts = parsePorts(ports).map(({ remote }) => remote);
  const timeout = requestTimeout === 0 ? undefined : goDurationText(requestTimeout);
  const path = `${resourcePath(PODS, namespace, pod.metadata?.name ?? "", "portforward")}${encodeQuery({ timeout })}`;
  try {
    return { connection: await openPortForward(client, path, { signal, webSockets }), remotePorts };
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(`error upgrading connection: ${(error as Error).message}`, { cause: error });
  }
}

/** Reads the pod again by its name. Throws where it is not running. */
export async function requireRunning(
  pod: KubeObject,
  { client, namespace }: ForwardHost,
  signal: AbortSignal,
): Promise<KubeObject> {
  const found = await new Helper(client, PODS, { typed: true, signal }).get(namespace, pod.metadata?.name ?? "");
  const phase = text(object(found.status).phase);
  if (phase !== "Running") {
    throw new Error(`unable to forward port because pod is not running. Current status=${phase}`);
  }
  return found;
}

/**
 * The operands `[LOCAL:]REMOTE` with the pod's numbers in place of names and of the ports of a service. Throws in kubectl's words for
 * a name or a port that there is not, and for UDP.
 */
function targetPorts(texts: readonly string[], pod: KubeObject, service: KubeObject | undefined): readonly string[] {
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
