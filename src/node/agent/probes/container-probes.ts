import type { Probe, Container, EphemeralContainer, TCPSocketAction } from "../../../api/types/core/v1.js";
import { pause } from "../../../base/time/pause.js";
import { absent, number, object, type OrAbsent, type Received, list, text } from "../../../machinery/meta/received.js";
import { type ProbeQuestion, type ContainerRuntime, RuntimeError } from "../../container-runtime.js";
import type { ContainerRecord } from "../container-record.js";
import { containerEvent, type PodContext } from "../pod-context.js";
import { stopContainer } from "../stop-containers.js";
import { portNumber, httpGet } from "./http-get.js";
import { programOutput } from "../program-output.js";

const DEFAULT_PERIOD_SECONDS = 10;
const DEFAULT_FAILURES = 3;

type ProbeKind = Exclude<ProbeQuestion["kind"], "hook">;
const NAMES = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" } as const;

/** Runs the probes of a running container. Without a readiness probe it is ready as soon as it has started. */
export class ContainerProbes {
  readonly #stopped = new AbortController();

  constructor(
    private readonly record: ContainerRecord,
    private readonly context: PodContext,
    /** Called when the startup probe has succeeded; at once where there is none. */
    private readonly onStart: () => void,
  ) {}

  start(): void {
    const { startupProbe, readinessProbe, livenessProbe } = this.record.spec;
    if (absent(startupProbe)) {
      this.record.hasStarted = true;
      if (absent(readinessProbe)) this.record.ready = this.#canBeReady;
      this.onStart();
    }
    this.context.changed();
    void this.#run(startupProbe, readinessProbe, livenessProbe);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #run(
    startup: OrAbsent<Received<Probe>>,
    readiness: OrAbsent<Received<Probe>>,
    liveness: OrAbsent<Received<Probe>>,
  ): Promise<void> {
    if (!absent(startup) && !(await this.#until(object(startup)))) return this.#restart("startup", startup);
    if (this.#stopped.signal.aborted) return;
    if (!this.record.hasStarted) {
      this.record.hasStarted = true;
      if (!absent(readiness)) this.context.changed();
      this.onStart();
    }
    if (absent(readiness)) this.#setReady(true);
    await Promise.all([
      !absent(readiness) && this.#watch("readiness", object(readiness), (success) => this.#setReady(success)),
      !absent(liveness) &&
        this.#watch("liveness", object(liveness), (success) => {
          if (!success) this.#restart("liveness", liveness);
          return !success;
        }),
    ]);
  }

  /** An init container is ready when it has done its part, unless it is a sidecar. */
  get #canBeReady(): boolean {
    return this.record.kind === "main" || this.record.isSidecar;
  }

  #setReady(ready: boolean): void {
    if (this.#stopped.signal.aborted || this.record.ready === ready || !this.#canBeReady) return;
    this.record.ready = ready;
    this.context.changed();
  }

  /** Ends the container; the restart policy does the rest. */
  #restart(kind: ProbeKind, probe: OrAbsent<Received<Probe>>): void {
    if (this.#stopped.signal.aborted) return;
    const { report } = this.context.parts;
    const own =
      object(probe).terminationGracePeriodSeconds ?? object(this.context.pod().spec).terminationGracePeriodSeconds;
    const message = `Container ${this.record.name} failed ${kind} probe, will be restarted`;
    stopContainer(this.record, { graceSeconds: number(own), message }, this.context).catch(report);
  }

  /** True when the startup probe succeeds before it has failed too often. */
  async #until(probe: Received<Probe>): Promise<boolean> {
    let started = false;
    let failed = false;
    await this.#watch("startup", probe, (success) => {
      if (success) started = true;
      else failed = true;
      return started || failed;
    });
    return started || this.#stopped.signal.aborted;
  }

  /** Probes until the container ends, and calls `decide` at the thresholds; true from it ends the watch. */
  async #watch(kind: ProbeKind, probe: Received<Probe>, decide: (success: boolean) => boolean | void): Promise<void> {
    const { signal } = this.#stopped;
    const { runtime, timers } = this.context.parts;
    const seconds = (field: OrAbsent<number | bigint>, fallback: number): number =>
      number(field) > 0 ? number(field) : fallback;
    await pause(timers, number(probe.initialDelaySeconds) * 1000, signal);
    const port = probedPort(probe, this.record.spec);
    const question = { kind, ...(port !== undefined && { port }) };
    let [successes, failures] = [0, 0];
    while (!signal.aborted) {
      const target = this.#target();
      const known = runtime.answerProbe?.(target.containerId, question);
      const { success, output } =
        known === undefined
          ? await this.#probe(probe, target, seconds(probe.timeoutSeconds, 1))
          : knownResult(known, probe, target);
      if (!success && !signal.aborted)
        containerEvent(this.context, this.record, "Warning", "Unhealthy", `${NAMES[kind]} probe failed: ${output}`);
      [successes, failures] = success ? [successes + 1, 0] : [0, failures + 1];
      if (success && successes >= seconds(probe.successThreshold, 1) && decide(true) === true) return;
      if (!success && failures >= seconds(probe.failureThreshold, DEFAULT_FAILURES) && decide(false) === true) return;
      await pause(timers, seconds(probe.periodSeconds, DEFAULT_PERIOD_SECONDS) * 1000, signal);
    }
  }

  #target(): ProbeTarget {
    const { parts, pod, podIp } = this.context;
    const podUid = pod().metadata?.uid ?? "";
    const containerId = this.record.running?.id ?? "";
    return {
      kubeletVersion: parts.kubeletVersion,
      runtime: parts.runtime,
      podUid,
      podIp,
      containerId,
      container: this.record.spec,
    };
  }

  async #probe(probe: Received<Probe>, target: ProbeTarget, timeoutSeconds: number): Promise<ProbeResult> {
    const limit = new AbortController();
    const cancel = this.context.parts.timers.start(timeoutSeconds * 1000, () => limit.abort());
    const late = new Promise<ProbeResult>((resolve) =>
      limit.signal.addEventListener("abort", () => resolve(lateProbe(probe, target, timeoutSeconds)), { once: true }),
    );
    try {
      return await Promise.race([
        probeOnce(probe, target, AbortSignal.any([limit.signal, this.#stopped.signal])),
        late,
      ]);
    } finally {
      cancel();
    }
  }
}

/** An action of a probe that connects to a port. */
type Dialed = Received<Pick<TCPSocketAction, "port">>;

/** What a probe asks. */
interface ProbeTarget {
  readonly kubeletVersion: string;
  readonly runtime: ContainerRuntime;
  readonly podUid: string;
  readonly podIp: string;
  readonly containerId: string;
  readonly container: Received<Container | EphemeralContainer>;
}

interface ProbeResult {
  readonly success: boolean;
  /** What was wrong, in the kubelet's words; "" where nothing was. */
  readonly output: string;
}

const SUCCESS: ProbeResult = { success: true, output: "" };
const failure = (output: string): ProbeResult => ({ success: false, output });

/** Runs a probe once: a command that succeeds, a port that answers, or an HTTP answer from 200 to 399. */
async function probeOnce(probe: Received<Probe>, target: ProbeTarget, signal: AbortSignal): Promise<ProbeResult> {
  const { runtime, podUid, containerId } = target;
  try {
    if (!absent(probe.exec)) {
      const { code, output } = await programOutput(runtime, containerId, commandOf(probe), signal);
      return code === 0 ? SUCCESS : failure(output);
    }
    const connection = await runtime.dial(podUid, probedPort(probe, target.container) ?? 0);
    try {
      if (absent(probe.httpGet)) return SUCCESS;
      const status = await httpGet(connection, object(probe.httpGet), {
        address: addressOf(probe, target),
        kubeletVersion: target.kubeletVersion,
      });
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
function lateProbe(probe: Received<Probe>, target: ProbeTarget, seconds: number): ProbeResult {
  if (!absent(probe.exec))
    return failure(`command timed out: ${JSON.stringify(commandOf(probe).join(" "))} timed out after ${seconds}s`);
  if (absent(probe.httpGet)) return failure(`dial tcp ${addressOf(probe, target)}: i/o timeout`);
  const reason = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  return failure(`${request(probe, target)}: ${reason}`);
}

/** A probe whose result the runtime knows without asking the container. */
function knownResult(success: boolean, probe: Received<Probe>, target: ProbeTarget): ProbeResult {
  if (success) return SUCCESS;
  if (!absent(probe.exec)) return failure("");
  return failure(absent(probe.httpGet) ? refused(probe, target) : badStatus(503));
}

/** The port that a probe connects to; undefined for a command. */
function probedPort(probe: Received<Probe>, container: Received<Container | EphemeralContainer>): number | undefined {
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
