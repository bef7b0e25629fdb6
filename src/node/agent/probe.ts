import type { ByteStream } from "../../machinery/streaming/byte-stream.js";
import { number, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { ContainerRuntime } from "../container-runtime.js";

/** What a probe asks. */
export interface ProbeTarget {
  readonly runtime: ContainerRuntime;
  readonly podUid: string;
  readonly podIp: string;
  readonly containerId: string;
  readonly container: ReadonlyFields;
}

/** The output is kubelet's text of a failure; "" of a success. */
export interface ProbeOutcome {
  readonly success: boolean;
  readonly output: string;
}

const SUCCESS: ProbeOutcome = { success: true, output: "" };

/** Runs a probe once: a command that succeeds, a port that answers, or an HTTP answer from 200 to 399. */
export async function probeOnce(
  probe: ReadonlyFields,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  try {
    if (probe.exec !== undefined) return await runCommand(probe, target, signal);
    const { port, path } = object(probe.httpGet ?? probe.tcpSocket ?? probe.grpc);
    const connection = await target.runtime.dial(target.podUid, portNumber(port, target.container));
    try {
      if (probe.httpGet === undefined) return SUCCESS;
      const status = await httpStatus(connection, text(path) || "/");
      return status >= 200 && status < 400 ? SUCCESS : failed(statusFailure(status));
    } finally {
      connection.destroy();
    }
  } catch (error) {
    if (probe.exec !== undefined) return failed(error instanceof Error ? error.message : String(error));
    return failed(connectionFailure(probe, target, "connect: connection refused"));
  }
}

async function runCommand(probe: ReadonlyFields, target: ProbeTarget, signal: AbortSignal): Promise<ProbeOutcome> {
  const chunks: Uint8Array[] = [];
  const keep = async (chunk: Uint8Array): Promise<void> => void chunks.push(chunk);
  const streams = { stdout: keep, stderr: keep, tty: false, signal };
  const code = await target.runtime.exec(target.containerId, commandOf(probe), streams);
  return code === 0 ? SUCCESS : failed(Buffer.concat(chunks).toString("utf8"));
}

const failed = (output: string): ProbeOutcome => ({ success: false, output });

const commandOf = (probe: ReadonlyFields): readonly string[] =>
  (object(probe.exec).command as readonly unknown[] | undefined)?.map(text) ?? [];

const statusFailure = (status: number): string => `HTTP probe failed with statuscode: ${status}`;

const UNAVAILABLE = 503;

/** Of a probe that a runtime answered with "not ready" in place of the container. */
export function answeredFailure(probe: ReadonlyFields, target: ProbeTarget): ProbeOutcome {
  if (probe.exec !== undefined) return failed("");
  if (probe.httpGet !== undefined) return failed(statusFailure(UNAVAILABLE));
  return failed(connectionFailure(probe, target, "connect: connection refused"));
}

/** Of a probe that took longer than its limit. */
export function lateFailure(probe: ReadonlyFields, target: ProbeTarget, seconds: number): ProbeOutcome {
  if (probe.exec !== undefined)
    return failed(`command timed out: ${JSON.stringify(commandOf(probe).join(" "))} timed out after ${seconds}s`);
  if (probe.httpGet === undefined) return failed(connectionFailure(probe, target, "i/o timeout"));
  const late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  return failed(`Get ${JSON.stringify(urlOf(probe, target))}: ${late}`);
}

function connectionFailure(probe: ReadonlyFields, target: ProbeTarget, why: string): string {
  const address = addressOf(probe, target);
  if (probe.grpc !== undefined) return `failed to connect service ${JSON.stringify(address)}: ${why}`;
  const dialled = `dial tcp ${address}: ${why}`;
  return probe.httpGet === undefined ? dialled : `Get ${JSON.stringify(urlOf(probe, target))}: ${dialled}`;
}

function addressOf(probe: ReadonlyFields, { podIp, container }: ProbeTarget): string {
  const { host, port } = object(probe.httpGet ?? probe.tcpSocket ?? probe.grpc);
  return `${text(host) || podIp}:${portNumber(port, container)}`;
}

function urlOf(probe: ReadonlyFields, target: ProbeTarget): string {
  const { scheme, path } = object(probe.httpGet);
  return `${(text(scheme) || "HTTP").toLowerCase()}://${addressOf(probe, target)}${text(path)}`;
}

/** The port that a probe connects to; undefined for a command. */
export function probedPort(probe: ReadonlyFields, container: ReadonlyFields): number | undefined {
  if (probe.exec !== undefined) return undefined;
  return portNumber(object(probe.httpGet ?? probe.tcpSocket ?? probe.grpc).port, container);
}

function portNumber(port: unknown, container: ReadonlyFields): number {
  if (typeof port === "number") return port;
  return number(objects(container.ports).find((one) => text(one.name) === text(port))?.containerPort);
}

/** The status of the answer; 0 for what is no HTTP. */
async function httpStatus(connection: ByteStream, path: string): Promise<number> {
  await connection.write(
    Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: kube-probe/1.36\r\nConnection: close\r\n\r\n`),
  );
  let head = "";
  for await (const chunk of connection) {
    head += Buffer.from(chunk).toString("latin1");
    const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(head) ?? [];
    if (status !== undefined) return Number(status);
    if (head.length > 64) return 0;
  }
  return 0;
}
