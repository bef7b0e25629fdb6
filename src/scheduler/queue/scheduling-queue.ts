import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import type { PodInfo } from "../cache/pod-info.js";
import { ANY_EVENT, type ClusterEvent } from "../framework/cluster-event.js";
import { type QueueingRules, type Strategy, strategyFor } from "./queueing-rules.js";
import { KeyedHeap } from "../../base/collections/keyed-heap.js";
import { backoffEnd, isBackingOff, type PodBackoff, type QueuedPod, queuedPod } from "./queued-pod.js";

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly rules: QueueingRules;
  readonly backoff: PodBackoff;
  /** Called when {@link SchedulingQueue.pop} may have a pod. */
  readonly onReady: () => void;
}

/** After this long without an event that moves it a rejected pod is tried again. */
const MAX_UNSCHEDULABLE_MS = 5 * 60_000;

interface RecordedEvent {
  readonly event: ClusterEvent;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * The pods that wait for a node. Active ones are tried in the order of the profile; those in backoff come when it ends or nothing else is
 * active; rejected and gated ones wait for an event that one of the plugins that rejected them has registered. No timer runs while all are
 * active or none is there.
 */
export class SchedulingQueue {
  readonly #active: KeyedHeap<QueuedPod>;
  /** Pods that plugins rejected, and pods whose attempt failed: the latter are never tried before their backoff ends. */
  readonly #backoff: KeyedHeap<QueuedPod>;
  readonly #errorBackoff: KeyedHeap<QueuedPod>;
  readonly #unschedulable = new Map<string, QueuedPod>();
  readonly #gated = new Map<string, QueuedPod>();
  /** What happened while a popped pod was tried. */
  readonly #inFlight = new Map<string, RecordedEvent[]>();
  #wakeAt: number | undefined;
  #cancelWake = (): void => {};

  constructor(private readonly options: SchedulingQueueOptions) {
    const { rules, backoff } = options;
    const uid = ({ info }: QueuedPod): string => info.uid;
    this.#active = new KeyedHeap(uid, rules.compare);
    const byEnd = (a: QueuedPod, b: QueuedPod): number =>
      backoffEnd(backoff, a) - backoffEnd(backoff, b) || rules.compare(a, b);
    this.#backoff = new KeyedHeap(uid, byEnd);
    this.#errorBackoff = new KeyedHeap(uid, byEnd);
  }

  /** How many pods wait, by where. */
  get sizes(): {
    readonly active: number;
    readonly backoff: number;
    readonly unschedulable: number;
    readonly gated: number;
  } {
    return {
      active: this.#active.size,
      backoff: this.#backoff.size + this.#errorBackoff.size,
      unschedulable: this.#unschedulable.size,
      gated: this.#gated.size,
    };
  }

  add(info: PodInfo): void {
    this.#toActive(queuedPod(info, this.options.clock.now()));
  }

  /** Takes a changed pod; `events` are what changed, as the framework names it. */
  update(before: PodInfo, info: PodInfo, events: readonly ClusterEvent[]): void {
    const { uid } = info;
    const recorded = this.#inFlight.get(uid);
    if (recorded !== undefined) {
      for (const event of events) recorded.push({ event, before: before.pod, after: info.pod });
      return;
    }
    for (const heap of [this.#active, this.#backoff, this.#errorBackoff]) {
      const queued = heap.get(uid);
      if (queued === undefined) continue;
      queued.info = info;
      heap.push(queued);
      return;
    }
    const queued = this.#unschedulable.get(uid) ?? this.#gated.get(uid);
    if (queued === undefined) return this.add(info);
    queued.info = info;
    if (queued.gatedBy !== "") return this.#requeueGated(queued, events, before.pod, info.pod);
    for (const event of events) {
      const strategy = strategyFor(this.options.rules, queued, event, before.pod, info.pod);
      if (strategy === "skip") continue;
      this.#requeue(queued, strategy);
      return;
    }
  }

  delete(uid: string): void {
    this.#active.delete(uid);
    this.#backoff.delete(uid);
    this.#errorBackoff.delete(uid);
    this.#unschedulable.delete(uid);
    this.#gated.delete(uid);
    this.#inFlight.delete(uid);
  }

  /** The next pod to try: call {@link done} or {@link reject} for it. Undefined when none is ready. */
  pop(): QueuedPod | undefined {
    const queued = this.#active.pop() ?? this.#backoff.pop();
    if (queued === undefined) return undefined;
    queued.attempts++;
    queued.rejectedBy = new Set();
    queued.pendingBy = new Set();
    this.#inFlight.set(queued.info.uid, []);
    return queued;
  }

  /** A popped pod is on its way to a node, or gone. */
  done(uid: string): void {
    this.#inFlight.delete(uid);
  }

  /** Whether a popped pod is still tried. */
  isInFlight(uid: string): boolean {
    return this.#inFlight.has(uid);
  }

  /** A popped pod comes back: plugins rejected it (its `rejectedBy`, `pendingBy`), or the attempt failed. */
  reject(queued: QueuedPod): void {
    const { uid } = queued.info;
    const recorded = this.#inFlight.get(uid) ?? [];
    this.#inFlight.delete(uid);
    queued.timestamp = this.options.clock.now();
    queued.backoffUntil = undefined;
    const isError = queued.rejectedBy.size + queued.pendingBy.size === 0;
    if (isError) queued.errors++;
    else {
      queued.errors = 0;
      queued.rejections++;
    }
    let strategy: Strategy = isError ? "after-backoff" : "skip";
    for (const { event, before, after } of recorded) {
      const next = strategyFor(this.options.rules, queued, event, before, after);
      if (next !== "skip" && strategy !== "immediately") strategy = next;
    }
    this.#requeue(queued, strategy);
  }

  /** Moves the pods that the event may have made schedulable, of those that `concerns` leaves. */
  move(event: ClusterEvent, before: unknown, after: unknown, concerns?: (info: PodInfo) => boolean): void {
    if (!this.options.rules.isOfInterest(event)) return;
    for (const recorded of this.#inFlight.values()) recorded.push({ event, before, after });
    for (const queued of this.#gated.values()) {
      if (concerns?.(queued.info) !== false) this.#requeueGated(queued, [event], before, after);
    }
    for (const queued of this.#unschedulable.values()) {
      if (concerns?.(queued.info) === false) continue;
      const strategy = strategyFor(this.options.rules, queued, event, before, after);
      if (strategy !== "skip") this.#requeue(queued, strategy);
    }
  }

  /** Makes a pod active now, whatever it waits for but a gate. */
  activate(uid: string): void {
    const queued =
      this.#unschedulable.get(uid) ?? this.#gated.get(uid) ?? this.#backoff.get(uid) ?? this.#errorBackoff.get(uid);
    if (queued !== undefined) this.#toActive(queued);
    else this.#inFlight.get(uid)?.push({ event: ANY_EVENT, before: undefined, after: undefined });
  }

  /** Ends its timer. */
  stop(): void {
    this.#cancelWake();
    this.#wakeAt = undefined;
  }

  #requeue(queued: QueuedPod, strategy: Strategy): void {
    const { uid } = queued.info;
    if (strategy === "skip") {
      // Last: the map is in the order of the pods' times.
      this.#unschedulable.delete(uid);
      this.#unschedulable.set(uid, queued);
      this.#wakeBy(queued.timestamp + MAX_UNSCHEDULABLE_MS);
    } else if (strategy === "after-backoff" && isBackingOff(this.options.backoff, queued, this.options.clock.now())) {
      this.#toBackoff(queued);
    } else this.#toActive(queued);
  }

  #requeueGated(queued: QueuedPod, events: readonly ClusterEvent[], before: unknown, after: unknown): void {
    const { gatedBy, info } = queued;
    for (const event of events) {
      if (!this.options.rules.registers(gatedBy, event, info.pod)) continue;
      const strategy = strategyFor(this.options.rules, queued, event, before, after);
      if (strategy === "skip") continue;
      this.#requeue(queued, strategy);
      return;
    }
  }

  #toActive(queued: QueuedPod): void {
    if (!this.#passesGates(queued)) return;
    this.#leave(queued.info.uid);
    this.#active.push(queued);
    this.options.onReady();
  }

  #toBackoff(queued: QueuedPod): void {
    if (!this.#passesGates(queued)) return;
    this.#leave(queued.info.uid);
    (queued.errors > 0 ? this.#errorBackoff : this.#backoff).push(queued);
    this.#wakeBy(backoffEnd(this.options.backoff, queued));
    this.options.onReady();
  }

  #passesGates(queued: QueuedPod): boolean {
    const { uid, pod } = queued.info;
    queued.gatedBy = this.options.rules.gatedBy(pod);
    if (queued.gatedBy === "") return true;
    queued.rejectedBy.add(queued.gatedBy);
    // One that is gated already keeps its place: the map may be walked just now.
    if (!this.#gated.has(uid)) {
      this.#leave(uid);
      this.#gated.set(uid, queued);
    }
    return false;
  }

  #leave(uid: string): void {
    this.#unschedulable.delete(uid);
    this.#gated.delete(uid);
    this.#backoff.delete(uid);
    this.#errorBackoff.delete(uid);
  }

  #wakeBy(time: number): void {
    if (this.#wakeAt !== undefined && this.#wakeAt <= time) return;
    this.#cancelWake();
    this.#wakeAt = time;
    const wait = Math.max(0, time - this.options.clock.now());
    this.#cancelWake = this.options.timers.start(wait, () => {
      this.#wakeAt = undefined;
      this.#flush();
    });
  }

  /** Makes those active whose backoff has ended, and those that have waited for an event too long. */
  #flush(): void {
    const { clock, backoff } = this.options;
    const now = clock.now();
    for (const heap of [this.#backoff, this.#errorBackoff]) {
      for (let first = heap.peek(); first !== undefined; first = heap.peek()) {
        if (isBackingOff(backoff, first, now)) {
          this.#wakeBy(backoffEnd(backoff, first));
          break;
        }
        heap.pop();
        this.#toActive(first);
      }
    }
    for (const queued of this.#unschedulable.values()) {
      const due = queued.timestamp + MAX_UNSCHEDULABLE_MS;
      if (due > now) {
        this.#wakeBy(due);
        break;
      }
      this.#requeue(queued, "after-backoff");
    }
  }
}
