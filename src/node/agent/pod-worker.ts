import type { Pod, PodStatus } from "../../api/types/core/v1.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import {
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
  absent,
  number,
} from "../../machinery/meta/received.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatTime } from "../../machinery/meta/time.js";
import { changeContainers } from "./change-containers.js";
import { type ContainerRecord, containerRecord, containerRecords } from "./container-record.js";
import type { Condition } from "./status/pod-conditions.js";
import { limitLocalStorage } from "./volumes/local-storage.js";
import { withOwnStatus } from "./status/own-status.js";
import type { PodContext, PodWorkerParts } from "./pod-context.js";
import { PodRounds } from "./pod-rounds.js";
import { type PodFailure, podStatus } from "./status/pod-status.js";
import { ResizeEvents } from "./status/resize-events.js";
import { MARKED_MS, MOST_INTERRUPTIONS, runsPrograms } from "./run-marks.js";
import { StatusWriter } from "./status/status-writer.js";
import { killContainers, stopContainers } from "./stop-containers.js";

const DEFAULT_GRACE_SECONDS = 30;
const EVICTION_GRACE_SECONDS = 1;
/** The reason why the containers of a pod wait that has stopped the server. */
const NOT_RUN_AGAIN = "NotRunAgain";

/** Runs the containers of one pod from its binding to its end, and keeps its status. */
export class PodWorker {
  #pod: ReceivedObject<Pod>;
  readonly #records: ContainerRecord[];
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
  /** The node's part of the status, as it was computed last. */
  #own: Received<PodStatus> | undefined;
  readonly #context: PodContext;
  readonly #rounds: PodRounds;
  #terminating: Promise<void> | undefined;
  /** Why a resize of the pod is not done. */
  #resize: Condition | undefined;
  readonly #resizeEvents: ResizeEvents;
  #graceSeconds = Number.POSITIVE_INFINITY;
  #cancelMark = (): void => {};

  constructor(
    pod: ReceivedObject<Pod>,
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
    this.#context = {
      parts,
      podIp,
      pod: () => this.#pod,
      abandoned: this.#abandoned.signal,
      changed: () => this.#changed(),
      evict: (message) => this.#evict(message),
      flushed: () => this.#writer.flushed(),
    };
    this.#resizeEvents = new ResizeEvents(this.#context);
    this.#rounds = new PodRounds(this.#records, this.#context, this.#stopping.signal, (work) => this.#supervise(work));
  }

  /** The pod with the status that the worker knows. */
  get pod(): ReceivedObject<Pod> {
    return withOwnStatus(this.#pod, this.#status());
  }

  /** Resolves when the API knows what became of it at once. */
  async start(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    this.#changed();
    const { signal } = this.#stopping;
    const { terminationGracePeriodSeconds } = object(this.#pod.spec);
    limitActivity(this.#startTime, this.#context, signal, (failure) =>
      this.#fail(failure, terminationGracePeriodSeconds),
    );
    this.#supervise(limitLocalStorage(this.#records, this.#context, signal));
    this.#supervise(this.#run());
    this.update(this.#pod);
    await this.#writer.tried();
  }

  /** The pod has changed in the API. */
  update(pod: ReceivedObject<Pod>): void {
    const hasNewSpec = pod.metadata?.generation !== this.#pod.metadata?.generation;
    this.#pod = this.#own === undefined ? pod : withOwnStatus(pod, this.#own);
    if (pod.metadata?.deletionTimestamp !== undefined) {
      this.#terminate(pod.metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
      return;
    }
    if (this.#ended) return;
    for (const spec of objects(object(pod.spec).ephemeralContainers)) {
      if (this.#records.some((one) => one.kind === "ephemeral" && one.name === text(spec.name))) continue;
      const record = containerRecord(this.#pod, spec, "ephemeral", "ContainerCreating", this.parts.runtime.version);
      this.#records.push(record);
      this.#supervise(this.#rounds.runEphemeral(record));
    }
    if (this.#stopping.signal.aborted) return;
    if (hasNewSpec) {
      const resize = changeContainers(this.#records, this.#context);
      this.#resize = resize.pending;
      this.#resizeEvents.changed(resize, this.#records);
    }
    // Others open its gates.
    const hasGates = objects(object(pod.spec).readinessGates).length > 0;
    if (hasNewSpec || hasGates) this.#changed();
    this.#writer.repair(pod);
  }

  /** The pod is gone from the API: its containers end at once. */
  async vanish(): Promise<void> {
    this.#abandoned.abort();
    this.#stopping.abort();
    await killContainers(this.#records, this.#context);
    await Promise.all(this.#supervised);
    this.#cancelMark();
    const ids = this.#records.flatMap(({ runtimeId, previousId }) => [runtimeId, previousId]);
    await Promise.all(ids.filter((id) => id !== "").map((id) => this.parts.runtime.remove(id)));
    await this.#dropVolumes();
  }

  async #dropVolumes(): Promise<void> {
    await this.parts.runtime.stopPod?.(this.#pod.metadata?.uid ?? "");
  }

  #status(): Received<PodStatus> {
    return podStatus({
      kubeletVersion: this.parts.kubeletVersion,
      pod: this.#pod,
      records: this.#records,
      hostIp: this.parts.hostIp,
      podIp: this.podIp,
      startTime: this.#startTime,
      now: formatTime(this.parts.clock.now()),
      ended: this.#ended,
      failure: this.#failure,
      isRestarting: this.#rounds.isRestarting,
      resize: this.#resize,
    });
  }

  #changed(): void {
    this.#own = this.#status();
    this.#pod = withOwnStatus(this.#pod, this.#own);
    if (!this.#abandoned.signal.aborted) this.#writer.write(this.#own);
    this.#resizeEvents.settle();
  }

  #supervise(work: Promise<unknown>): void {
    const handled = work
      .catch((error: unknown) => this.parts.report(error))
      .finally(() => this.#supervised.delete(handled));
    this.#supervised.add(handled);
  }

  async #run(): Promise<void> {
    if (this.#refuses()) return;
    this.#mark();
    await this.#rounds.run();
    this.#endMark();
    const { terminationGracePeriodSeconds } = object(this.#pod.spec);
    if (!this.#stopping.signal.aborted) await this.#finish(terminationGracePeriodSeconds);
  }

  /** A pod that has stopped the server again and again waits, and says why. */
  #refuses(): boolean {
    const { marks, event } = this.parts;
    const interruptions = marks?.interruptions(this.#pod.metadata?.uid ?? "") ?? 0;
    if (interruptions < MOST_INTERRUPTIONS) return false;
    const message = `the server's process ended ${interruptions} times within ${MARKED_MS / 1000}s of this pod's start, so the pod is not run again; delete it, mend what it runs, and create it anew`;
    for (const record of this.#records) record.wait(NOT_RUN_AGAIN, message);
    event(this.#pod, "Warning", NOT_RUN_AGAIN, message);
    this.#changed();
    return true;
  }

  #mark(): void {
    const { marks, timers } = this.parts;
    if (marks === undefined || !runsPrograms(this.#pod)) return;
    marks.begin(this.#pod.metadata?.uid ?? "");
    this.#cancelMark = timers.start(MARKED_MS, () => this.#endMark());
  }

  /** The pod has run for long enough, or has ended. Where the node stops it, its mark is the node's. */
  #endMark(): void {
    this.#cancelMark();
    if (!this.#abandoned.signal.aborted) this.parts.marks?.end(this.#pod.metadata?.uid ?? "");
  }

  #evict(message: string): void {
    this.parts.event(this.#pod, "Warning", "Evicted", message);
    this.#fail({ reason: "Evicted", message, disrupts: true }, EVICTION_GRACE_SECONDS);
  }

  #fail(failure: PodFailure, graceSeconds: OrAbsent<number | bigint>): void {
    this.#failure = failure;
    this.#supervise(this.#finish(graceSeconds));
  }

  /** All containers have ended for good, or are to end: so do the sidecars. */
  async #finish(graceSeconds: OrAbsent<number | bigint>): Promise<void> {
    this.#stopping.abort();
    await stopContainers(this.#records, Number(graceSeconds ?? DEFAULT_GRACE_SECONDS), this.#context);
    this.#ended = true;
    this.#changed();
    await this.#dropVolumes();
  }

  /** The pod is deleted with this grace. A shorter one than before ends what still runs by then. */
  #terminate(graceSeconds: number): void {
    const { timers, report } = this.parts;
    if (this.#terminating === undefined) {
      this.#terminating = this.#end(graceSeconds).catch(report);
    } else if (graceSeconds < this.#graceSeconds) {
      timers.start(graceSeconds * 1000, () => void killContainers(this.#records, this.#context).catch(report));
    }
    this.#graceSeconds = Math.min(this.#graceSeconds, graceSeconds);
  }

  /** Ends the containers and then the API's object. */
  async #end(graceSeconds: number): Promise<void> {
    this.#stopping.abort();
    await stopContainers(this.#records, graceSeconds, this.#context);
    await Promise.all(this.#supervised);
    if (!this.#ended) {
      this.#ended = true;
      this.#changed();
    }
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
}

const MESSAGE = "Pod was active on the node longer than the specified deadline";

/** Calls `fail` when the pod has been active, since `startTime` (RFC 3339), for as long as its spec allows, unless `stopping` aborts before. */
function limitActivity(
  startTime: string,
  { parts, pod }: PodContext,
  stopping: AbortSignal,
  fail: (failure: PodFailure) => void,
): void {
  const { activeDeadlineSeconds } = object(pod().spec);
  if (absent(activeDeadlineSeconds)) return;
  const { clock, timers, event } = parts;
  const left = Date.parse(startTime) + number(activeDeadlineSeconds) * 1000 - clock.now();
  const cancel = timers.start(Math.max(0, left), () => {
    event(pod(), "Normal", "DeadlineExceeded", MESSAGE);
    fail({ reason: "DeadlineExceeded", message: MESSAGE });
  });
  stopping.addEventListener("abort", cancel, { once: true });
}
