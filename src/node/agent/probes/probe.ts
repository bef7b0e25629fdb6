import { list, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { type ContainerRuntime, RuntimeError } from "../../container-runtime.js";
import { portNumber } from "../container-port.js";
import { httpGet } from "./http-get.js";
import { programOutput } from "../program-output.js";

/** What a probe asks. */
export interface ProbeTarget {
  readonly runtime: ContainerRuntime;
  readonly podUid: string;
  readonly podIp: string;
  readonly containerId: string;
  readonly container: ReadonlyFields;
}

export interface ProbeResult {
  readonly success: boolean;
  /** What was wrong, in the kubelet's words; "" where nothing was. */
  readonly output: string;
}

const SUCCESS: ProbeResult = { success: true, output: "" };
const failure = (output: string): ProbeResult => ({ success: false, output });

/** Runs a probe once: a command that succeeds, a port that answers, or an HTTP answer from 200 to 399. */
export async function probeOnce(probe: ReadonlyFields, target: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const { runtime, podUid, containerId } = target;
  try {
    if (probe.exec !== undefined) {
      const { code, output } = await programOutput(runtime, containerId, commandOf(probe), signal);
      return code === 0 ? SUCCESS : failure(output);
    }
    const connection = await runtime.dial(podUid, probedPort(probe, target.container) ?? 0);
    try {
      if (probe.httpGet === undefined) return SUCCESS;
      const status = await httpGet(connection, object(probe.httpGet), addressOf(probe, target));
      if (status !== undefined && status >= 200 && status < 400) return SUCCESS;
      return failure(status === undefined ? `${request(probe, target)}: EOF` : badStatus(status));
    } finally {
      connection.destroy();
    }
  } catch (error) {
    if (error instanceof RuntimeError && probe.exec !== undefined) return failure(error.message);
    return failure(refused(probe, target));
  }
}

/** A probe that has not ended in time. */
export function lateProbe(probe: ReadonlyFields, target: ProbeTarget, seconds: number): ProbeResult {
  if (probe.exec !== undefined)
    return failure(`command timed out: ${JSON.stringify(commandOf(probe).join(" "))} timed out after ${seconds}s`);
  if (probe.httpGet === undefined) return failure(`dial tcp ${addressOf(probe, target)}: i/o timeout`);
  const reason = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  return failure(`${request(probe, target)}: ${reason}`);
}

/** A probe whose result the runtime knows without asking the container. */
export function knownResult(success: boolean, probe: ReadonlyFields, target: ProbeTarget): ProbeResult {
  if (success) return SUCCESS;
  if (probe.exec !== undefined) return failure("");
  return failure(probe.httpGet === undefined ? refused(probe, target) : badStatus(503));
}

/** The port that a probe connects to; undefined for a command. */
export function probedPort(probe: ReadonlyFields, container: ReadonlyFields): number | undefined {
  if (probe.exec !== undefined) return undefined;
  return portNumber(object(probe.httpGet ?? probe.tcpSocket ?? probe.grpc).port, container);
}

const commandOf = ({ exec }: ReadonlyFields): readonly string[] => list(object(exec).command).map(text);

const badStatus = (status: number): string => `HTTP probe failed with statuscode: ${status}`;

function addressOf(probe: ReadonlyFields, { podIp, container }: ProbeTarget): string {
  const { host } = object(probe.httpGet ?? probe.tcpSocket);
  return `${text(host) || podIp}:${probedPort(probe, container) ?? 0}`;
}

function request(probe: ReadonlyFields, target: ProbeTarget): string {
  const { scheme, path } = object(probe.httpGet);
  const url = `${(text(scheme) || "HTTP").toLowerCase()}://${addressOf(probe, target)}${text(path) || "/"}`;
  return `Get ${JSON.stringify(url)}`;
}

function refused(probe: ReadonlyFields, target: ProbeTarget): string {
  const address = addressOf(probe, target);
  const dial = `dial tcp ${address}: connect: connection refused`;
  if (probe.grpc !== undefined)
    return `timeout: failed to connect service ${JSON.stringify(address)} within 1s: context deadline exceeded`;
  return probe.httpGet === undefined ? dial : `${request(probe, target)}: ${dial}`;
}
