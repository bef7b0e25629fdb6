import type { Node, Pod } from "../api/types/core/v1.js";
import type { Clock } from "../base/clock.js";
import type { Random } from "../base/random.js";
import { nextSlice, sliceIsSpent } from "../base/time-slice.js";
import type { Timers } from "../base/timers.js";
import type { KubernetesClient } from "../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../client/events/index.js";
import type { EventHandler, InformerFactory } from "../client/informers/index.js";
import type { PodInfo } from "./cache/pod-info.js";
import { SchedulerCache } from "./cache/scheduler-cache.js";
import { createProfiles } from "./create-profiles.js";
import { FollowedKinds } from "./followed-kinds.js";
import { Action } from "./framework/cluster-event.js";
import type { SchedulerHandle } from "./framework/handle.js";
import { nodeChanges } from "./framework/object-changes.js";
import type { Profile } from "./framework/profile.js";
import { WaitingPods } from "./framework/waiting-pods.js";
import { NodePicker } from "./node-picker.js";
import { DEFAULT_SCHEDULER, type SchedulerOptions } from "./options.js";
import { PodAttempts } from "./pod-attempt.js";
import { PodEvents } from "./pod-events.js";
import { type PodReport, reportPod } from "./pod-status.js";
import { Nominator } from "./queue/nominator.js";
import { DEFAULT_BACKOFF } from "./queue/pod-backoff.js";
import type { QueuedPod } from "./queue/queued-pod.js";
import { rulesOf } from "./queue/queueing-rules.js";
import { SchedulingQueue } from "./queue/scheduling-queue.js";

export interface SchedulerSurroundings {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly recorder: EventRecorder;
  readonly informers: InformerFactory;
  /** Ends everything. */
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
}

/** A scheduler that is given what happens to pods and nodes. */
export interface Scheduler {
  readonly pods: EventHandler<Pod>;
  readonly nodes: EventHandler<Node>;
  /** Begins to schedule: the handlers have seen what there was at first. */
  begin(): void;
  sizes(): SchedulingQueue["sizes"];
  /** Resolves when no pod is being bound any more. */
  stop(): Promise<void>;
}

export function createScheduler(options: SchedulerOptions, surroundings: SchedulerSurroundings): Scheduler {
  const { client, clock, timers, random, recorder, informers, signal, report } = surroundings;
  const cache = new SchedulerCache();
  const nominator = new Nominator();
  const waiting = new WaitingPods(timers);
  const picker = new NodePicker(cache, nominator, random);
  const working = new Set<Promise<void>>();
  const inBackground = (work: Promise<void>): void => {
    const tracked = work.catch(report).finally(() => working.delete(tracked));
    working.add(tracked);
  };
  const writeReport = (info: PodInfo, said: PodReport): Promise<void> =>
    reportPod({ client, clock, signal }, info.pod, said);
  const kinds = new FollowedKinds(informers, signal, (event, before, after) => queue.move(event, before, after));
  const handleOf = (profile: () => Profile): SchedulerHandle => ({
    client,
    clock,
    timers,
    random,
    recorder,
    nodes: cache,
    kinds,
    signal,
    report,
    nominatedOn: (node) => nominator.on(node),
    async clearNomination(info) {
      nominator.delete(info.uid);
      await writeReport(info, { nominatedNode: "" });
    },
    podOf: (uid) => podEvents.pending(uid),
    fits: (state, info, node) => picker.fits(profile(), state, info, node),
    addPod: (state, info, added, node) => profile().addPod(state, info, added, node),
    removePod: (state, info, removed, node) => profile().removePod(state, info, removed, node),
    activate: (uid) => queue.activate(uid),
    rejectWaiting: (uid, plugin, message) => waiting.reject(uid, plugin, message),
    allowWaiting: (uid, plugin) => waiting.allow(uid, plugin),
  });
  const profiles = createProfiles(options, handleOf);
  const { podInitialBackoffSeconds, podMaxBackoffSeconds } = options;
  const queue: SchedulingQueue = new SchedulingQueue({
    clock,
    timers,
    rules: rulesOf(profiles),
    backoff: {
      initial: podInitialBackoffSeconds === undefined ? DEFAULT_BACKOFF.initial : podInitialBackoffSeconds * 1000,
      max: podMaxBackoffSeconds === undefined ? DEFAULT_BACKOFF.max : podMaxBackoffSeconds * 1000,
    },
    onReady: wake,
  });
  const isOurs = (schedulerName: string): boolean => profiles.has(schedulerName || DEFAULT_SCHEDULER);
  const podEvents: PodEvents = new PodEvents({ cache, queue, nominator, waiting, isOurs });
  const attempts = new PodAttempts({
    cache,
    queue,
    nominator,
    picker,
    waiting,
    recorder,
    report,
    pendingPod: (uid) => podEvents.pending(uid),
    reportPod: (info, said) => inBackground(writeReport(info, said)),
  });
  let hasBegun = false;
  let isRunning = false;

  function wake(): void {
    if (!hasBegun || isRunning || signal.aborted) return;
    isRunning = true;
    // What comes with the same events is queued first, so that the order of the queue holds among it.
    queueMicrotask(() => inBackground(run()));
  }

  async function run(): Promise<void> {
    try {
      for (let next = queue.pop(); next !== undefined && !signal.aborted; next = queue.pop()) {
        const profile = profiles.get(next.info.pod.spec?.schedulerName || DEFAULT_SCHEDULER);
        if (profile === undefined || isSkipped(next)) queue.done(next.info.uid);
        else await schedule(profile, next);
        if (sliceIsSpent()) await nextSlice();
      }
    } finally {
      isRunning = false;
    }
  }

  async function schedule(profile: Profile, queued: QueuedPod): Promise<void> {
    const { uid } = queued.info;
    const ready = profile.prepare(queued.info);
    if (ready !== undefined) {
      await ready.catch(report);
      // It may have gone meanwhile, or have changed.
      if (signal.aborted || !queue.isInFlight(uid)) return;
      queued.info = podEvents.pending(uid) ?? queued.info;
    }
    const placement = attempts.place(profile, queued);
    if (placement !== undefined) inBackground(attempts.bind(profile, placement));
  }

  function isSkipped({ info }: QueuedPod): boolean {
    if (info.isTerminating) {
      const message = `skip schedule deleting pod: ${info.key}`;
      recorder.event(info.pod, "Warning", "FailedScheduling", message, { action: "Scheduling" });
      return true;
    }
    return cache.isAssumed(info.uid);
  }

  return {
    pods: {
      added: (pod) => podEvents.added(pod),
      updated: (before, after) => podEvents.updated(before, after),
      deleted: (pod) => podEvents.deleted(pod),
    },
    nodes: {
      added(node) {
        cache.setNode(node);
        queue.move({ resource: "Node", action: Action.add }, undefined, node);
      },
      updated(before, after) {
        if (before.metadata?.resourceVersion === after.metadata?.resourceVersion) return;
        const events = nodeChanges(before, after);
        cache.setNode(after);
        for (const event of events) queue.move(event, before, after);
      },
      deleted(node) {
        cache.removeNode(node.metadata?.name ?? "");
        queue.move({ resource: "Node", action: Action.delete }, node, undefined);
      },
    },
    begin() {
      hasBegun = true;
      wake();
    },
    sizes: () => queue.sizes,
    async stop() {
      queue.stop();
      waiting.clear();
      while (working.size > 0) await Promise.all(working);
    },
  };
}
