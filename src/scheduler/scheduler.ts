import type { Node, Pod } from "../api/types/core/v1.js";
import type { Clock } from "../base/time/clock.js";
import { resizeSumsOf } from "../api/pods/pod-total.js";
import type { Random } from "../base/numbers/random.js";
import { nextSlice, sliceIsSpent } from "../base/async/time-slice.js";
import type { Timers } from "../base/time/timers.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../client/events/index.js";
import type { EventHandler, InformerFactory } from "../client/informers/index.js";
import type { PodInfo } from "./cache/pod-info.js";
import { SchedulerCache } from "./cache/scheduler-cache.js";
import { createProfiles } from "./create-profiles.js";
import { FollowedKinds } from "./followed-kinds.js";
import { Action } from "./framework/cluster-event.js";
import type { SchedulerHandle } from "./framework/plugin.js";
import { nodeChanges } from "./framework/object-changes.js";
import type { Profile } from "./framework/profile.js";
import { WaitingPods } from "./framework/waiting-pods.js";
import { NodePicker } from "./node-picker.js";
import { DEFAULT_SCHEDULER, type SchedulerOptions } from "./options.js";
import { PodAttempts } from "./pod-attempt.js";
import { PodEvents } from "./pod-events.js";
import { type PodReport, reportPod } from "./pod-status.js";
import { Nominator } from "./queue/nominator.js";
import { DEFAULT_BACKOFF, type PodBackoff, type QueuedPod } from "./queue/queued-pod.js";
import { rulesOf } from "./queue/queueing-rules.js";
import type { SchedulerMeasuring } from "./scheduler-metrics.js";
import { SchedulingQueue } from "./queue/scheduling-queue.js";

export interface SchedulerSurroundings {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly recorder: EventRecorder;
  readonly informers: InformerFactory;
  /** Whether the server has a kind. Default: it has all. */
  readonly serves?: ((apiVersion: string, kind: string) => boolean) | undefined;
  /** Ends everything. */
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
  /** Where attempts are counted. Default: nowhere. */
  readonly measuring?: SchedulerMeasuring | undefined;
  /** The version of Kubernetes that it is of. Default: the oldest that there is. */
  readonly release?: SchedulerHandle["release"];
}

/** A scheduler that its caller feeds with the events about pods and nodes. */
export class Scheduler {
  readonly #surroundings: SchedulerSurroundings;
  readonly #cache = new SchedulerCache();
  readonly #nominator = new Nominator();
  readonly #waiting: WaitingPods;
  readonly #picker: NodePicker;
  readonly #kinds: FollowedKinds;
  readonly #profiles: ReadonlyMap<string, Profile>;
  readonly #queue: SchedulingQueue;
  readonly #podEvents: PodEvents;
  readonly #attempts: PodAttempts;
  /** What is written in the background. */
  readonly #working = new Set<Promise<void>>();
  #hasBegun = false;
  #isRunning = false;

  constructor(options: SchedulerOptions, surroundings: SchedulerSurroundings) {
    const { clock, timers, random, recorder, informers, signal, report } = surroundings;
    this.#surroundings = surroundings;
    this.#waiting = new WaitingPods(timers);
    this.#picker = new NodePicker(this.#cache, this.#nominator, random, surroundings.measuring);
    this.#kinds = new FollowedKinds(
      informers,
      signal,
      (event, before, after) => this.#queue.move(event, before, after),
      surroundings.serves,
    );
    this.#profiles = createProfiles(options, (profile) => this.#handleOf(profile));
    this.#queue = new SchedulingQueue({
      clock,
      timers,
      rules: rulesOf(this.#profiles),
      backoff: backoffOf(options),
      onReady: () => this.#wake(),
    });
    const parts = {
      cache: this.#cache,
      queue: this.#queue,
      nominator: this.#nominator,
      waiting: this.#waiting,
    };
    const isOurs = (schedulerName: string): boolean => this.#profiles.has(schedulerName || DEFAULT_SCHEDULER);
    const { release } = surroundings;
    const resizes = release === undefined ? "by-container" : resizeSumsOf(release);
    this.#podEvents = new PodEvents({ ...parts, isOurs, resizes });
    this.#attempts = new PodAttempts({
      ...parts,
      picker: this.#picker,
      recorder,
      report,
      measuring: surroundings.measuring ?? {},
      pendingPod: (uid) => this.#podEvents.pending(uid),
      reportPod: (info, said) => this.#inBackground(this.#writeReport(info, said)),
    });
  }

  readonly pods: EventHandler<Pod> = {
    added: (pod) => this.#podEvents.added(pod),
    updated: (before, after) => this.#podEvents.updated(before, after),
    deleted: (pod) => this.#podEvents.deleted(pod),
  };

  readonly nodes: EventHandler<Node> = {
    added: (node) => {
      this.#cache.setNode(node);
      this.#queue.move({ resource: "Node", action: Action.add }, undefined, node);
    },
    updated: (before, after) => {
      if (before.metadata?.resourceVersion === after.metadata?.resourceVersion) return;
      const events = nodeChanges(before, after);
      this.#cache.setNode(after);
      for (const event of events) this.#queue.move(event, before, after);
    },
    deleted: (node) => {
      this.#cache.removeNode(node.metadata?.name ?? "");
      this.#queue.move({ resource: "Node", action: Action.delete }, node, undefined);
    },
  };

  /** Begins to schedule: the handlers have seen what there was at first. */
  begin(): void {
    this.#hasBegun = true;
    this.#wake();
  }

  get sizes(): SchedulingQueue["sizes"] {
    return this.#queue.sizes;
  }

  /** Resolves when no pod is being bound any more. */
  async stop(): Promise<void> {
    this.#queue.stop();
    this.#waiting.clear();
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  #handleOf(profile: () => Profile): SchedulerHandle {
    const { client, clock, timers, random, recorder, signal, report, release } = this.#surroundings;
    return {
      release,
      client,
      clock,
      timers,
      random,
      recorder,
      nodes: this.#cache,
      kinds: this.#kinds,
      signal,
      report,
      preempted: (victims) => this.#surroundings.measuring?.on?.preempted(victims),
      nominatedOn: (node) => this.#nominator.on(node),
      clearNomination: async (info) => {
        this.#nominator.delete(info.uid);
        await this.#writeReport(info, { nominatedNode: "" });
      },
      podOf: (uid) => this.#podEvents.pending(uid),
      fits: (state, info, node) => this.#picker.fits(profile(), state, info, node),
      addPod: (state, info, added, node) => profile().addPod(state, info, added, node),
      removePod: (state, info, removed, node) => profile().removePod(state, info, removed, node),
      activate: (uid) => this.#queue.activate(uid),
      rejectWaiting: (uid, plugin, message) => this.#waiting.reject(uid, plugin, message),
      allowWaiting: (uid, plugin) => this.#waiting.allow(uid, plugin),
    };
  }

  #inBackground(work: Promise<void>): void {
    const tracked = work.catch(this.#surroundings.report).finally(() => this.#working.delete(tracked));
    this.#working.add(tracked);
  }

  #writeReport({ pod }: PodInfo, said: PodReport): Promise<void> {
    const { client, clock, signal } = this.#surroundings;
    return reportPod({ client, clock, signal }, pod, said);
  }

  #wake(): void {
    if (!this.#hasBegun || this.#isRunning || this.#surroundings.signal.aborted) return;
    this.#isRunning = true;
    // What comes with the same events is queued first, so that the order of the queue holds among it.
    queueMicrotask(() => this.#inBackground(this.#run()));
  }

  async #run(): Promise<void> {
    const queue = this.#queue;
    try {
      for (let next = queue.pop(); next !== undefined && !this.#surroundings.signal.aborted; next = queue.pop()) {
        const profile = this.#profiles.get(next.info.pod.spec?.schedulerName || DEFAULT_SCHEDULER);
        if (profile === undefined || this.#isSkipped(next)) queue.done(next.info.uid);
        else await this.#schedule(profile, next);
        if (sliceIsSpent()) await nextSlice();
      }
    } finally {
      this.#isRunning = false;
    }
  }

  async #schedule(profile: Profile, queued: QueuedPod): Promise<void> {
    const { uid } = queued.info;
    const ready = profile.prepare(queued.info);
    if (ready !== undefined) {
      const { signal, report } = this.#surroundings;
      await ready.catch(report);
      // It may have gone meanwhile, or have changed.
      if (signal.aborted || !this.#queue.isInFlight(uid)) return;
      queued.info = this.#podEvents.pending(uid) ?? queued.info;
    }
    const placement = this.#attempts.place(profile, queued);
    if (placement !== undefined) this.#inBackground(this.#attempts.bind(profile, placement));
  }

  #isSkipped({ info }: QueuedPod): boolean {
    if (info.isTerminating) {
      const message = `skip schedule deleting pod: ${info.key}`;
      this.#surroundings.recorder.event(info.pod, "Warning", "FailedScheduling", message, { action: "Scheduling" });
      return true;
    }
    return this.#cache.isAssumed(info.uid);
  }
}

/** How long a pod waits that was rejected. Milliseconds. */
function backoffOf({ podInitialBackoffSeconds, podMaxBackoffSeconds }: SchedulerOptions): PodBackoff {
  return {
    initial: podInitialBackoffSeconds === undefined ? DEFAULT_BACKOFF.initial : podInitialBackoffSeconds * 1000,
    max: podMaxBackoffSeconds === undefined ? DEFAULT_BACKOFF.max : podMaxBackoffSeconds * 1000,
  };
}
