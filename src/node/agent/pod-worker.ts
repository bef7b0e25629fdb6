import { pause } from "../../base/pause.js";
import type { Clock } from "../../base/clock.js";
import type { Timers } from "../../base/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ObjectReference } from "../../client/events/object-reference.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { number, object, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatTime } from "../../machinery/meta/time.js";
import { type ContainerRuntime, RuntimeError } from "../container-runtime.js";
import { ConfigError } from "./container-environment.js";
import type { ContainerRecord } from "./container-record.js";
import { type PodFailure, podStatus } from "./pod-status.js";
import { withOwnStatus } from "./own-status.js";
import { ContainerProbes } from "./container-probes.js";
import { ContainerEvents, type EventType } from "./container-events.js";
import { containerRecord, containerRecords } from "./container-records.js";
import { containerSpec } from "./container-spec.js";
import { backoffText, RestartBackoff } from "./restart-backoff.js";
import { StatusWriter } from "./status-writer.js";

/** What a worker needs of its node. */
export interface PodWorkerParts {
  readonly client: KubernetesClient;
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly hostIp: string;
  readonly report: (error: unknown) => void;
  readonly event: (about: KubeObject | ObjectReference, type: EventType, reason: string, message: string) => void;
}

const RETRY_MS = 10_000;
const DEADLINE = "Pod was active on the node longer than the specified deadline";
const DEFAULT_GRACE_SECONDS = 30;

type RestartPolicy = "Always" | "OnFailure" | "Never";

/** Runs the containers of one pod from its binding to its end, and keeps its status. */
export class PodWorker {
  #pod: KubeObject;
  readonly #records: ContainerRecord[];
  #initialized = false;
  #ended = false;
  /** Why the node ended the pod before its containers did. */
  #failure: PodFailure | undefined;
  readonly #startTime: string;
  /** Aborts when nothing of the pod is to be started any more. */
  readonly #stopping = new AbortController();
  /** Aborts when the worker is to leave everything as it is. */
  readonly #abandoned = new AbortController();
  readonly #supervised = new Set<Promise<unknown>>();
  readonly #writer: StatusWriter;
  #terminating: Promise<void> | undefined;
  #kill: (() => void) | undefined;
  readonly #previous = new Map<ContainerRecord, string>();

  constructor(
    pod: KubeObject,
    private readonly podIp: string,
    private readonly parts: PodWorkerParts,
  ) {
    this.#pod = pod;
    this.#startTime = text(object(pod.status).startTime) || formatTime(parts.clock.now());
    const { initContainers } = object(pod.spec);
    const waiting = objects(initContainers).length > 0 ? "PodInitializing" : "ContainerCreating";
    this.#records = [
      ...containerRecords(pod, "init", waiting, parts.runtime.version),
      ...containerRecords(pod, "main", waiting, parts.runtime.version),
    ];
    const pods = parts.client.of<KubeObject>("v1", "Pod").namespace(pod.metadata?.namespace ?? "");
    this.#writer = new StatusWriter(pods, pod, parts.timers, this.#abandoned.signal, parts.report);
  }

  /** The pod with the status that the worker knows. */
  get pod(): KubeObject {
    return { ...this.#pod, status: { ...object(this.#pod.status), ...this.#status() } } as KubeObject;
  }

  start(): void {
    this.#changed();
    this.#limitActivity();
    this.#supervise(this.#run());
    this.update(this.#pod);
  }

  /** The pod has changed in the API. */
  update(pod: KubeObject): void {
    this.#pod = withOwnStatus(pod, this.#pod);
    if (pod.metadata?.deletionTimestamp !== undefined) {
      const { deletionGracePeriodSeconds = DEFAULT_GRACE_SECONDS } = pod.metadata;
      if (deletionGracePeriodSeconds === 0) this.#kill?.();
      void this.#terminate(deletionGracePeriodSeconds);
      return;
    }
    for (const spec of objects(object(pod.spec).ephemeralContainers)) {
      if (this.#records.some((one) => one.kind === "ephemeral" && one.name === text(spec.name))) continue;
      const record = containerRecord(this.#pod, spec, "ephemeral", "ContainerCreating", this.parts.runtime.version);
      this.#records.push(record);
      if (!this.#ended) this.#supervise(this.#keepRunning(record, "Never"));
    }
  }

  /** The pod is gone from the API: its containers end at once. */
  async vanish(): Promise<void> {
    this.#abandoned.abort();
    this.#stopping.abort();
    await this.#killAll();
    await this.#forget();
  }

  #status(): JsonObject {
    return podStatus({
      pod: this.#pod,
      records: this.#records,
      initialized: this.#initialized,
      hostIp: this.parts.hostIp,
      podIp: this.podIp,
      startTime: this.#startTime,
      now: formatTime(this.parts.clock.now()),
      ended: this.#ended,
      failure: this.#failure,
    });
  }

  #changed(): void {
    const status = this.#status();
    this.#pod = { ...this.#pod, status: { ...object(this.#pod.status), ...status } } as KubeObject;
    if (!this.#abandoned.signal.aborted) this.#writer.write(status);
  }

  #supervise(work: Promise<unknown>): void {
    const handled = work
      .catch((error: unknown) => this.parts.report(error))
      .finally(() => this.#supervised.delete(handled));
    this.#supervised.add(handled);
  }

  async #run(): Promise<void> {
    const policy = (text(object(this.#pod.spec).restartPolicy) || "Always") as RestartPolicy;
    const { signal } = this.#stopping;
    for (const record of this.#records.filter(({ kind }) => kind === "init")) {
      if (record.isSidecar) {
        await this.#startSidecar(record);
        continue;
      }
      const code = await this.#keepRunning(record, policy === "Never" ? "Never" : "OnFailure");
      if (signal.aborted) return;
      if (code !== 0) return this.#finish();
      record.ready = true;
    }
    this.#initialized = true;
    const main = this.#records.filter(({ kind }) => kind === "main");
    await Promise.all(main.map((record) => this.#keepRunning(record, policy)));
    if (!signal.aborted) await this.#finish();
  }

  /** A sidecar is waited for until it runs once. */
  #startSidecar(record: ContainerRecord): Promise<void> {
    return new Promise((resolve) => {
      this.#supervise(this.#keepRunning(record, "Always", resolve).finally(resolve));
    });
  }

  /** Ends the pod when it has been active for as long as its spec allows. */
  #limitActivity(): void {
    const { activeDeadlineSeconds } = object(this.#pod.spec);
    if (activeDeadlineSeconds === undefined) return;
    const { clock, timers, event } = this.parts;
    const left = Date.parse(this.#startTime) + number(activeDeadlineSeconds) * 1000 - clock.now();
    const cancel = timers.start(Math.max(0, left), () => {
      this.#failure = { reason: "DeadlineExceeded", message: DEADLINE };
      event(this.#pod, "Normal", "DeadlineExceeded", DEADLINE);
      this.#supervise(this.#finish());
    });
    this.#stopping.signal.addEventListener("abort", cancel, { once: true });
  }

  /** All containers have ended for good: so do the sidecars. */
  async #finish(): Promise<void> {
    this.#stopping.abort();
    await this.#stopAll(number(object(this.#pod.spec).terminationGracePeriodSeconds) || DEFAULT_GRACE_SECONDS);
    this.#ended = true;
    this.#changed();
  }

  /** Runs a container, again and again as the policy has it; resolves with its last exit code. */
  async #keepRunning(
    record: ContainerRecord,
    policy: RestartPolicy,
    onStart?: () => void,
  ): Promise<number | undefined> {
    const { signal } = this.#stopping;
    const { clock, timers } = this.parts;
    const backoff = new RestartBackoff();
    for (;;) {
      const began = clock.now();
      if (!(await this.#runOnce(record, onStart))) return undefined;
      const { exitCode } = record;
      if (signal.aborted || policy === "Never" || (policy === "OnFailure" && exitCode === 0)) return exitCode;
      const delay = backoff.after(clock.now() - began);
      if (delay > 0) {
        const { name = "", namespace = "", uid = "" } = this.#pod.metadata ?? {};
        const pod = `${name}_${namespace}(${uid})`;
        record.wait(
          "CrashLoopBackOff",
          `back-off ${backoffText(delay)} restarting failed container=${record.name} pod=${pod}`,
        );
        this.#events(record).restartsLater(pod);
        this.#changed();
        await pause(timers, delay, signal);
        if (signal.aborted) return exitCode;
      }
      record.restartCount += 1;
    }
  }

  /** Starts a container, waiting for its image and configuration, and waits for its end. False when the pod was stopped before. */
  async #runOnce(record: ContainerRecord, onStart?: () => void): Promise<boolean> {
    const { signal } = this.#stopping;
    const { clock, timers, runtime } = this.parts;
    const events = this.#events(record);
    const imageBackoff = new RestartBackoff();
    imageBackoff.after(0);
    for (;;) {
      if (signal.aborted) return false;
      try {
        const spec = await containerSpec(record, {
          client: this.parts.client,
          pod: () => this.#pod,
          podIp: this.podIp,
          hostIp: this.parts.hostIp,
          signal,
        });
        if (signal.aborted) return false;
        const container = await runtime.run(spec, signal);
        events.imagePresent();
        if ("terminated" in record.state) record.last = record.state;
        await this.#replace(record, container.id);
        record.started(container);
        events.created();
        events.started();
        const probes = new ContainerProbes(record, this.#pod, { ...this.parts, podIp: this.podIp }, () =>
          this.#changed(),
        );
        probes.start();
        // One that was started while the pod was being stopped is stopped as well.
        if (signal.aborted) await runtime.signal(container.id, "SIGKILL");
        this.#changed();
        onStart?.();
        record.ended(await container.exited);
        probes.stop();
        this.#changed();
        return true;
      } catch (error) {
        if (error instanceof ConfigError) {
          record.wait("CreateContainerConfigError", error.message);
          events.imagePresent();
          events.failed(error.message);
          this.#changed();
          await pause(timers, RETRY_MS, signal);
        } else if (error instanceof RuntimeError && error.reason === "ErrImagePull") {
          await this.#waitForImage(record, error, imageBackoff);
        } else if (error instanceof RuntimeError && error.reason === "CreateContainerError") {
          record.wait(error.reason, error.message);
          events.imagePresent();
          events.failed(error.message);
          this.#changed();
          await pause(timers, RETRY_MS, signal);
        } else if (error instanceof RuntimeError) {
          record.failed(error.reason, error.message, clock.now());
          events.imagePresent();
          events.created();
          events.failed(error.message);
          this.#changed();
          return true;
        } else {
          if (signal.aborted) return false;
          this.parts.report(error);
          await pause(timers, RETRY_MS, signal);
        }
      }
    }
  }

  #events(record: ContainerRecord): ContainerEvents {
    return new ContainerEvents(this.#pod, record, this.parts.event);
  }

  async #waitForImage(record: ContainerRecord, { message }: RuntimeError, backoff: RestartBackoff): Promise<void> {
    const image = text(record.spec.image);
    this.#events(record).pullFailed(message);
    record.wait("ErrImagePull", message);
    this.#changed();
    await this.#writer.flushed();
    const delay = backoff.after(0);
    this.#events(record).pullsLater();
    record.wait("ImagePullBackOff", `Back-off pulling image ${JSON.stringify(image)}: ErrImagePull: ${message}`);
    this.#changed();
    await pause(this.parts.timers, delay, this.#stopping.signal);
  }

  /** The log of the container before stays, for --previous; the one before that goes. */
  async #replace(record: ContainerRecord, id: string): Promise<void> {
    const before = this.#previous.get(record);
    const current = record.id === "" ? undefined : record.id.replace(/^.*:\/\//, "");
    if (before !== undefined && before !== id) await this.parts.runtime.remove(before);
    if (current !== undefined) this.#previous.set(record, current);
  }

  #terminate(graceSeconds: number): Promise<void> {
    this.#terminating ??= this.#end(graceSeconds).catch((error: unknown) => this.parts.report(error));
    return this.#terminating;
  }

  /** Ends the containers and then the API's object. */
  async #end(graceSeconds: number): Promise<void> {
    this.#stopping.abort();
    await this.#stopAll(graceSeconds);
    await Promise.all(this.#supervised);
    this.#ended = true;
    this.#changed();
    await this.#writer.flushed();
    if (this.#abandoned.signal.aborted) return;
    const { name = "", namespace = "", uid = "" } = this.#pod.metadata ?? {};
    try {
      const pods = this.parts.client.of("v1", "Pod").namespace(namespace);
      await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid }, signal: this.#abandoned.signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error) && !this.#abandoned.signal.aborted) throw error;
    }
  }

  /** SIGTERM, and SIGKILL after the grace period. Resolves when no container runs any more. */
  async #stopAll(graceSeconds: number): Promise<void> {
    const { runtime, timers } = this.parts;
    const running = this.#running();
    if (running.length === 0) return;
    const cancel = timers.start(graceSeconds * 1000, () => void this.#killAll());
    this.#kill = () => void this.#killAll();
    await Promise.all(
      running.map(async ({ record, id }) => {
        this.#events(record).killing(`Stopping container ${record.name}`);
        await this.#preStop(record, id);
        await runtime.signal(id, "SIGTERM");
      }),
    );
    await Promise.all(running.map(({ exited }) => exited));
    cancel();
  }

  async #preStop({ spec }: ContainerRecord, id: string): Promise<void> {
    const { command } = object(object(object(spec.lifecycle).preStop).exec) as ReadonlyFields;
    if (!Array.isArray(command)) return;
    try {
      await this.parts.runtime.exec(id, command.map(text), { tty: false, signal: this.#abandoned.signal });
    } catch {
      // A hook that fails does not keep the container.
    }
  }

  async #killAll(): Promise<void> {
    const running = this.#running();
    await Promise.all(running.map(({ id }) => this.parts.runtime.signal(id, "SIGKILL")));
    await Promise.all(running.map(({ exited }) => exited));
  }

  async #forget(): Promise<void> {
    await Promise.all(this.#supervised);
    const ids = [...this.#records.map(({ id }) => id.replace(/^.*:\/\//, "")), ...this.#previous.values()];
    await Promise.all(ids.filter((id) => id !== "").map((id) => this.parts.runtime.remove(id)));
  }

  #running() {
    return this.#records.flatMap((record) => {
      const { running } = record;
      return running === undefined ? [] : [{ record, id: running.id, exited: running.exited }];
    });
  }
}
