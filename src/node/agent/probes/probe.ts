import type { Container, EphemeralContainer, Probe, TCPSocketAction } from "../../../api/types/core/v1.js";
import { absent, list, object, type Received, text } from "../../../machinery/meta/received.js";
import { type ContainerRuntime, RuntimeError } from "../../container-runtime.js";
import { portNumber, httpGet } from "./http-get.js";
import { programOutput } from "../program-output.js";

/** An action of a probe that connects to a port. */
type Dialed = Received<Pick<TCPSocketAction, "port">>;

/** What a probe asks. */
export interface ProbeTarget {
  readonly runtime: ContainerRuntime;
  readonly podUid: string;
  readonly podIp: string;
  readonly containerId: string;
  readonly container: Received<Container | EphemeralContainer>;
}

export interface ProbeResult {
  readonly success: boolean;
  /** What was wrong, in the kubelet's words; "" where nothing was. */
  readonly output: string;
}

const SUCCESS: ProbeResult = { success: true, output: "" };
const failure = (output: string): ProbeResult => ({ success: false, output });

/** Runs a probe once: a command that succeeds, a port that answers, or an HTTP answer from 200 to 399. */
export async function probeOnce(
  probe: Received<Probe>,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<ProbeResult> {
  const { runtime, podUid, containerId } = target;
  try {
    if (!absent(probe.exec)) {
      const { code, output } = await programOutput(runtime, containerId, commandOf(probe), signal);
      return code === 0 ? SUCCESS : failure(output);
    }
    const connection = await runtime.dial(podUid, probedPort(probe, target.container) ?? 0);
    try {
      if (absent(probe.httpGet)) return SUCCESS;
      const status = await httpGet(connection, object(probe.httpGet), addressOf(probe, target));
      if (status !== undefined && status >= 200 && status < 400) return SUCCESS;
      return failure(status === undefined ? `${request(probe, target)}: EOF` : badStatus(status));
    } finally {
      connection.destroy();
    }
  } catch (error) {
    if (error instanceof RuntimeError && !absent(probe.exec)) return failure(error.message);
    return failure(refused(probe, target));
  }
}

/** A probe that has not ended in time. */
export function lateProbe(probe: Received<Probe>, target: ProbeTarget, seconds: number): ProbeResult {
  if (!absent(probe.exec))
    return failure(`command timed out: ${JSON.stringify(commandOf(probe).join(" "))} timed out after ${seconds}s`);
  if (absent(probe.httpGet)) return failure(`dial tcp ${addressOf(probe, target)}: i/o timeout`);
  const reason = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  return failure(`${request(probe, target)}: ${reason}`);
}

/** A probe whose result the runtime knows without asking the container. */
export function knownResult(success: boolean, probe: Received<Probe>, target: ProbeTarget): ProbeResult {
  if (success) return SUCCESS;
  if (!absent(probe.exec)) return failure("");
  return failure(absent(probe.httpGet) ? refused(probe, target) : badStatus(503));
}

/** The port that a probe connects to; undefined for a command. */
export function probedPort(
  probe: Received<Probe>,
  container: Received<Container | EphemeralContainer>,
): number | undefined {
  if (!absent(probe.exec)) return undefined;
  return portNumber(object<Dialed>(probe.httpGet ?? probe.tcpSocket ?? probe.grpc).port, container);
}

const commandOf = ({ exec }: Received<Probe>): readonly string[] => list(object(exec).command).map(text);

const badStatus = (status: number): string => `HTTP probe failed with statuscode: ${status}`;

function addressOf(probe: Received<Probe>, { podIp, container }: ProbeTarget): string {
  const { host } = object<Received<TCPSocketAction>>(probe.httpGet ?? probe.tcpSocket);
  return `${text(host) || podIp}:${probedPort(probe, container) ?? 0}`;
}

function request(probe: Received<Probe>, target: ProbeTarget): string {
  const { scheme, path } = object(probe.httpGet);
  const url = `${(text(scheme) || "HTTP").toLowerCase()}://${addressOf(probe, target)}${text(path) || "/"}`;
  return `Get ${JSON.stringify(url)}`;
}

function refused(probe: Received<Probe>, target: ProbeTarget): string {
  const address = addressOf(probe, target);
  const dial = `dial tcp ${address}: connect: connection refused`;
  if (!absent(probe.grpc))
    return `timeout: failed to connect service ${JSON.stringify(address)} within 1s: context deadline exceeded`;
  return absent(probe.httpGet) ? dial : `${request(probe, target)}: ${dial}`;
}
