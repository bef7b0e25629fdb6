import { pause } from "../../base/pause.js";
import { number, object, type ReadonlyFields } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ProbeQuestion } from "../container-runtime.js";
import { ContainerEvents } from "./container-events.js";
import type { ContainerRecord } from "./container-record.js";
import type { PodWorkerParts } from "./pod-worker.js";
import { answeredFailure, lateFailure, probedPort, probeOnce, type ProbeOutcome, type ProbeTarget } from "./probe.js";

const DEFAULT_PERIOD_SECONDS = 10;
const DEFAULT_FAILURES = 3;

/** As events name the probes. */
const TITLES = { startup: "Startup", readiness: "Readiness", liveness: "Liveness" } as const;

/** The probes of a running container. Without a readiness probe it is ready as soon as it has started. */
export class ContainerProbes {
  readonly #stopped = new AbortController();

  constructor(
    private readonly record: ContainerRecord,
    private readonly pod: KubeObject,
    private readonly parts: Pick<PodWorkerParts, "runtime" | "timers" | "event"> & { readonly podIp: string },
    private readonly changed: () => void,
  ) {}

  start(): void {
    const { startupProbe, readinessProbe, livenessProbe } = this.record.spec;
    if (startupProbe === undefined && readinessProbe === undefined)
      this.record.ready = this.record.kind !== "ephemeral";
    void this.#run(object(startupProbe), readinessProbe, livenessProbe, startupProbe !== undefined);
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #run(startup: ReadonlyFields, readiness: unknown, liveness: unknown, waits: boolean): Promise<void> {
    if (waits && !(await this.#until(startup))) return this.#restart("Startup");
    if (this.#stopped.signal.aborted) return;
    if (readiness === undefined) this.#setReady(true);
    await Promise.all([
      readiness !== undefined && this.#watch("readiness", object(readiness), (success) => this.#setReady(success)),
      liveness !== undefined &&
        this.#watch("liveness", object(liveness), (success) => (success ? undefined : this.#restart("Liveness"))),
    ]);
  }

  #setReady(ready: boolean): void {
    if (this.#stopped.signal.aborted || this.record.ready === ready || this.record.kind === "ephemeral") return;
    this.record.ready = ready;
    this.changed();
  }

  #restart(probe: string): void {
    const id = this.record.running?.id;
    if (id === undefined || this.#stopped.signal.aborted) return;
    this.#events.killing(`Container ${this.record.name} failed ${probe.toLowerCase()} probe, will be restarted`);
    void this.parts.runtime.signal(id, "SIGTERM");
    this.parts.timers.start(
      number(object(this.pod.spec).terminationGracePeriodSeconds) * 1000,
      () => void this.parts.runtime.signal(id, "SIGKILL"),
    );
  }

  /** True when the startup probe succeeds before it has failed too often. */
  async #until(probe: ReadonlyFields): Promise<boolean> {
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
  async #watch(
    kind: ProbeQuestion["kind"],
    probe: ReadonlyFields,
    decide: (success: boolean) => boolean | void,
  ): Promise<void> {
    const { signal } = this.#stopped;
    const seconds = (field: unknown, fallback: number): number => (number(field) > 0 ? number(field) : fallback);
    await pause(this.parts.timers, number(probe.initialDelaySeconds) * 1000, signal);
    const port = probedPort(probe, this.record.spec);
    let [successes, failures] = [0, 0];
    while (!signal.aborted) {
      const { success, output } = await this.#ask(kind, probe, port, seconds(probe.timeoutSeconds, 1));
      if (!success && !signal.aborted) this.#events.unhealthy(TITLES[kind], output);
      [successes, failures] = success ? [successes + 1, 0] : [0, failures + 1];
      if (success && successes >= seconds(probe.successThreshold, 1) && decide(true) === true) return;
      if (!success && failures >= seconds(probe.failureThreshold, DEFAULT_FAILURES) && decide(false) === true) return;
      await pause(this.parts.timers, seconds(probe.periodSeconds, DEFAULT_PERIOD_SECONDS) * 1000, signal);
    }
  }

  get #events(): ContainerEvents {
    return new ContainerEvents(this.pod, this.record, this.parts.event);
  }

  /** The runtime's answer where it knows one, else the container's. */
  async #ask(
    kind: ProbeQuestion["kind"],
    probe: ReadonlyFields,
    port: number | undefined,
    timeoutSeconds: number,
  ): Promise<ProbeOutcome> {
    const { runtime, podIp } = this.parts;
    const target: ProbeTarget = {
      runtime,
      podUid: this.pod.metadata?.uid ?? "",
      podIp,
      containerId: this.record.running?.id ?? "",
      container: this.record.spec,
    };
    const known = runtime.answerProbe?.(target.containerId, { kind, ...(port !== undefined && { port }) });
    if (known === undefined) return this.#probe(probe, target, timeoutSeconds);
    return known ? { success: true, output: "" } : answeredFailure(probe, target);
  }

  async #probe(probe: ReadonlyFields, target: ProbeTarget, timeoutSeconds: number): Promise<ProbeOutcome> {
    const limit = new AbortController();
    const cancel = this.parts.timers.start(timeoutSeconds * 1000, () => limit.abort());
    const late = new Promise<ProbeOutcome>((resolve) =>
      limit.signal.addEventListener("abort", () => resolve(lateFailure(probe, target, timeoutSeconds)), { once: true }),
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
