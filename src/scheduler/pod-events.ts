import type { Pod } from "../api/types/core/v1.js";
import type { EventHandler } from "../client/informers/handler-queue.js";
import type { ResizeSums } from "../api/pods/pod-total.js";
import { podInfo, type PodInfo } from "./cache/pod-info.js";
import type { SchedulerCache } from "./cache/scheduler-cache.js";
import { Action, type ClusterEvent } from "./framework/cluster-event.js";
import { podChanges } from "./framework/object-changes.js";
import type { WaitingPods } from "./framework/waiting-pods.js";
import type { Nominator } from "./queue/nominator.js";
import type { SchedulingQueue } from "./queue/scheduling-queue.js";

export interface PodEventsParts {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly nominator: Nominator;
  readonly waiting: WaitingPods;
  /** Whether a profile has the scheduler name. */
  readonly isOurs: (schedulerName: string) => boolean;
  readonly resizes: ResizeSums;
}

const ADDED: ClusterEvent = { resource: "AssignedPod", action: Action.add };
const DELETED: ClusterEvent = { resource: "AssignedPod", action: Action.delete };

/** Updates the cache and the queue from the API's events about pods. Pods of other schedulers count once they have a node. */
export class PodEvents implements EventHandler<Pod> {
  /** The pods of our profiles that have no node, in their newest state. */
  readonly #pending = new Map<string, PodInfo>();

  constructor(private readonly parts: PodEventsParts) {}

  pending(uid: string): PodInfo | undefined {
    return this.#pending.get(uid);
  }

  added(pod: Pod): void {
    const info = podInfo(pod, this.parts.resizes);
    if (nodeOf(pod) !== "") this.#placed(info);
    else if (this.#isOurs(pod)) this.#wait(info);
  }

  updated(before: Pod, after: Pod): void {
    // One was deleted and another made by its name, and the watch did not show it.
    if (before.metadata?.uid !== after.metadata?.uid) {
      this.deleted(before);
      return this.added(after);
    }
    if (before.metadata?.resourceVersion === after.metadata?.resourceVersion) return;
    const { cache, queue, nominator, resizes } = this.parts;
    const info = podInfo(after, resizes);
    if (nodeOf(before) !== "") {
      cache.setPod(info, nodeOf(after));
      for (const event of podChanges(before, after, resizes)) queue.move(event, before, after);
    } else if (nodeOf(after) !== "") {
      this.#pending.delete(info.uid);
      nominator.delete(info.uid);
      this.#placed(info);
      queue.delete(info.uid);
    } else if (this.#isOurs(after)) this.#changed(before, info);
  }

  deleted(pod: Pod): void {
    const { cache, queue, nominator } = this.parts;
    const uid = pod.metadata?.uid ?? "";
    if (nodeOf(pod) !== "") {
      cache.removePod(uid);
      queue.move(DELETED, pod, undefined);
      return;
    }
    if (!this.#pending.delete(uid)) return;
    queue.delete(uid);
    nominator.delete(uid);
    if (cache.isAssumed(uid)) this.#forget(pod);
    else if (nominatedNodeOf(pod) !== "") this.#freeNomination(pod);
  }

  #isOurs({ spec }: Pod): boolean {
    return this.parts.isOurs(spec?.schedulerName ?? "");
  }

  #placed(info: PodInfo): void {
    const { cache, queue } = this.parts;
    cache.setPod(info, nodeOf(info.pod));
    queue.move(ADDED, undefined, info.pod);
  }

  #wait(info: PodInfo): void {
    this.#pending.set(info.uid, info);
    const nominated = nominatedNodeOf(info.pod);
    if (nominated !== "") this.parts.nominator.set(info, nominated);
    this.parts.queue.add(info);
  }

  #changed(before: Pod, info: PodInfo): void {
    const { cache, queue, nominator } = this.parts;
    const known = this.#pending.get(info.uid);
    if (known === undefined) return this.#wait(info);
    this.#pending.set(info.uid, info);
    if (cache.isAssumed(info.uid)) {
      if (info.isTerminating && !known.isTerminating) this.#forget(info.pod);
      return;
    }
    const [was, is] = [nominatedNodeOf(before), nominatedNodeOf(info.pod)];
    // A nomination that the API does not show yet stays.
    nominator.set(info, was === "" && is === "" ? (nominator.nodeOf(info.uid) ?? "") : is);
    queue.update(known, info, podChanges(before, info.pod, this.parts.resizes));
    if (was !== "" && was !== is) this.#freeNomination(before);
  }

  /** A pod that is on its way to a node is deleted: what it took is free. */
  #forget(pod: Pod): void {
    const { cache, queue, waiting } = this.parts;
    const uid = pod.metadata?.uid ?? "";
    if (!waiting.reject(uid, "", "the pod was deleted")) cache.forget(uid);
    queue.move(DELETED, pod, undefined);
  }

  /** Pods that are no more important may go where the pod was nominated. */
  #freeNomination(pod: Pod): void {
    const priority = pod.spec?.priority ?? 0;
    this.parts.queue.move(DELETED, pod, undefined, (info) => info.priority <= priority);
  }
}

const nodeOf = ({ spec }: Pod): string => spec?.nodeName ?? "";
const nominatedNodeOf = ({ status }: Pod): string => status?.nominatedNodeName ?? "";
