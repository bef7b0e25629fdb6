import { errorMessage } from "../base/text/error-message.js";
import type { EventRecorder } from "../client/events/index.js";
import { isConflict, isNotFound } from "../machinery/errors/status-error.js";
import type { PodInfo } from "./cache/pod-info.js";
import type { SchedulerCache } from "./cache/scheduler-cache.js";
import { Action } from "./framework/cluster-event.js";
import { CycleState } from "./framework/cycle-state.js";
import { Diagnosis, fitMessage } from "./framework/diagnosis.js";
import type { Profile } from "./framework/profile.js";
import { isRejected, type Status } from "./framework/status.js";
import type { WaitingPods } from "./framework/waiting-pods.js";
import { type NodePicker, PluginError } from "./node-picker.js";
import { NO_NODES } from "./plugins/names.js";
import type { PodReport } from "./pod-status.js";
import type { Nominator } from "./queue/nominator.js";
import type { QueuedPod } from "./queue/queued-pod.js";
import { runPoint, type SchedulerMeasuring } from "./scheduler-metrics.js";
import type { SchedulingQueue } from "./queue/scheduling-queue.js";

export interface AttemptParts {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly nominator: Nominator;
  readonly picker: NodePicker;
  readonly waiting: WaitingPods;
  readonly recorder: EventRecorder;
  /** The newest state of a pod that has no node; undefined for one that has, or is gone. */
  readonly pendingPod: (uid: string) => PodInfo | undefined;
  /** Writes to the pod's status, in the background. */
  readonly reportPod: (info: PodInfo, report: PodReport) => void;
  readonly measuring: SchedulerMeasuring;
  /** Called with errors of plugins. */
  readonly report: (error: unknown) => void;
}

/** A pod with its chosen node, and the state for its binding cycle. */
export interface Placement {
  readonly queued: QueuedPod;
  readonly state: CycleState;
  readonly node: string;
  /** The plugins that it waits for at permit, and how long in milliseconds. */
  readonly waits: ReadonlyMap<string, number> | undefined;
}

/** Why an attempt came to nothing. */
interface Failure {
  readonly message: string;
  /** Absent: an error, not a rejection. */
  readonly rejectedBy?: Iterable<string>;
  readonly pendingBy?: Iterable<string>;
  /** "" takes the pod's nomination away, undefined leaves it. */
  readonly nominatedNode?: string | undefined;
}

const LONGEST_NOTE = 1024;
const FREED = { resource: "AssignedPod", action: Action.delete } as const;

/** One attempt to schedule a pod: the scheduling cycle, which is synchronous, and the binding cycle. */
export class PodAttempts {
  constructor(private readonly parts: AttemptParts) {}

  /** Finds a node, takes it for the pod, and returns what {@link bind} needs. Undefined when there is none: the pod is back in the queue. */
  place(profile: Profile, queued: QueuedPod): Placement | undefined {
    this.parts.measuring.on?.began(queued);
    try {
      return this.#place(profile, queued);
    } catch (error) {
      this.parts.report(error);
      this.#fail(queued, { message: errorMessage(error), nominatedNode: "" });
      return undefined;
    }
  }

  /** Binds the pod to the node that it has. A pod that cannot be bound is back in the queue. Never rejects. */
  async bind(profile: Profile, { queued, state, node, waits }: Placement): Promise<void> {
    const { queue, waiting } = this.parts;
    const { info } = queued;
    let status: Status | undefined;
    try {
      if (waits !== undefined) status = await waiting.wait(info.uid, waits);
      if (status === undefined) {
        queue.done(info.uid);
        status =
          (await this.#later("PreBind", profile, () => profile.preBind(state, info, node))) ??
          (await this.#later("Bind", profile, () => profile.bind(state, info, node)));
      }
    } catch (error) {
      status = { code: "error", reasons: [errorMessage(error)], plugin: "", error };
    }
    if (status !== undefined) return this.#giveBack(profile, { queued, state, node, waits }, status);
    this.parts.measuring.on?.ended(queued, "scheduled");
    const message = `Successfully assigned ${info.key} to ${node}`;
    this.parts.recorder.event(info.pod, "Normal", "Scheduled", message, { action: "Binding" });
    this.#run(
      "PostBind",
      profile,
      () => profile.postBind(state, info, node),
      () => undefined,
    );
  }

  #run<T>(point: string, profile: Profile, run: () => T, statusOf: (answer: T) => Status["code"] | undefined): T {
    return runPoint(this.parts.measuring, point, profile, run, statusOf);
  }

  #later(point: string, { schedulerName }: Profile, run: () => Promise<Status | undefined>) {
    return this.parts.measuring.on?.later(point, schedulerName, run) ?? run();
  }

  #place(profile: Profile, queued: QueuedPod): Placement | undefined {
    const { cache, picker, nominator } = this.parts;
    const { info } = queued;
    const state = new CycleState();
    const count = cache.list().length;
    if (count === 0) {
      this.#fail(queued, { message: "no nodes available to schedule pods", rejectedBy: [NO_NODES], nominatedNode: "" });
      return undefined;
    }
    const pick = () => picker.pick(profile, state, info);
    const picked = this.parts.measuring.on?.algorithm(pick, isNode) ?? pick();
    if (picked instanceof Diagnosis) {
      const { message, nominatedNode } = this.#run(
        "PostFilter",
        profile,
        () => profile.postFilter(state, info, picked),
        (answer) => (answer.nominatedNode ? undefined : "unschedulable"),
      );
      picked.postFilterMessage = message;
      const { rejectedBy, pendingBy } = picked;
      this.#fail(queued, { message: fitMessage(count, picked), rejectedBy, pendingBy, nominatedNode });
      return undefined;
    }
    cache.assume(info, picked);
    nominator.delete(info.uid);
    const reserved = this.#run("Reserve", profile, () => profile.reserve(state, info, picked), codeOf);
    const permitted = reserved ?? this.#run("Permit", profile, () => profile.permit(state, info, picked), codeOfPermit);
    if (permitted !== undefined && "code" in permitted) {
      if (reserved === undefined) profile.unreserve(state, info, picked);
      cache.forget(info.uid);
      this.#failAt(queued, picked, permitted);
      return undefined;
    }
    return { queued, state, node: picked, waits: permitted };
  }

  /** Takes back what the pod was given on the node. */
  #giveBack(profile: Profile, { queued, state, node }: Placement, status: Status): void {
    const { cache, queue } = this.parts;
    const { info } = queued;
    profile.unreserve(state, info, node);
    if (cache.forget(info.uid)) queue.move(FREED, info.pod, undefined, ({ uid }) => uid !== info.uid);
    this.#failAt(queued, node, status);
  }

  /** The pod had a node, and a plugin rejected it or failed there. */
  #failAt(queued: QueuedPod, node: string, status: Status): void {
    if (!isRejected(status)) {
      const error = new PluginError(status);
      // The pod was bound by another client, or is gone.
      if (!isConflict(status.error) && !isNotFound(status.error)) this.parts.report(error);
      return this.#fail(queued, { message: error.message, nominatedNode: "" });
    }
    const statuses = new Map([[node, status]]);
    const message = fitMessage(1, { statuses, absent: undefined, preFilterMessage: "", postFilterMessage: "" });
    const blamed = status.code === "pending" ? "pendingBy" : "rejectedBy";
    this.#fail(queued, { message, rejectedBy: [], [blamed]: [status.plugin], nominatedNode: "" });
  }

  #fail(queued: QueuedPod, { message, rejectedBy, pendingBy = [], nominatedNode }: Failure): void {
    const { queue, nominator, recorder, reportPod, pendingPod, measuring } = this.parts;
    const { uid } = queued.info;
    measuring.on?.ended(queued, rejectedBy === undefined ? "error" : "unschedulable");
    const current = pendingPod(uid);
    if (current === undefined) return queue.done(uid);
    queued.info = current;
    queued.rejectedBy = new Set(rejectedBy);
    queued.pendingBy = new Set(pendingBy);
    queue.reject(queued);
    if (nominatedNode !== undefined) nominator.set(current, nominatedNode);
    recorder.event(current.pod, "Warning", "FailedScheduling", shortened(message), { action: "Scheduling" });
    const reason = rejectedBy === undefined ? "SchedulerError" : "Unschedulable";
    reportPod(current, { condition: { type: "PodScheduled", status: "False", reason, message }, nominatedNode });
  }
}

const isNode = (picked: string | Diagnosis): boolean => !(picked instanceof Diagnosis);

const codeOf = (status: Status | undefined): Status["code"] | undefined => status?.code;

const codeOfPermit = (answer: ReturnType<Profile["permit"]>): Status["code"] | undefined => {
  if (answer === undefined) return undefined;
  return "code" in answer ? answer.code : "wait";
};

function shortened(message: string): string {
  return message.length <= LONGEST_NOTE ? message : `${message.slice(0, LONGEST_NOTE - 4)} ...`;
}
