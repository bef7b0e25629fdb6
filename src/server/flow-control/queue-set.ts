import type { Timers } from "../../base/time/timers.js";
import type { FlowControlObserver, VirtualTimes } from "./observer.js";
import { type Arrival, Queue, SeatedRequest } from "./queue.js";
import { QueueOrder } from "./queue-order.js";
import type { SeatDemand } from "./seat-demand.js";
import type { TurnBudget } from "./turn-budget.js";
import { dealHand, flowHash } from "./shuffle-sharding.js";
import { mostSeats, nanosecondsPerSeat, seatSeconds, workOf } from "./work.js";

/** How long a request is expected to take before durations are known, in nanoseconds; kube-apiserver's guess. */
const EXPECTED_DURATION = 3e6;
/** The share of a new duration in what is expected of the next request. */
const NEWEST = 1 / 16;
/** Virtual time goes back by {@link EPOCH} when it reaches this, so that numbers stay exact. */
const HIGHEST_WORK = 2 ** 52;
const EPOCH = 2 ** 51;
/** How many flows' hands are kept. */
const KEPT_HANDS = 1000;

/** The queue settings of a priority level. */
export interface Queuing {
  /** 0: requests beyond the limit are rejected. Infinity seats have no queues. */
  readonly queues: number;
  readonly handSize: number;
  readonly queueLengthLimit: number;
}

export const NO_QUEUES: Queuing = { queues: 0, handSize: 0, queueLengthLimit: 0 };

/** The clocks, timers and observer of a set of queues. */
export interface QueueSetSurroundings {
  /** Monotonic, in nanoseconds. */
  readonly elapsed: () => number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly timers: Timers;
  readonly observer: FlowControlObserver | undefined;
  /**
   * Whether the duration that is expected of a request follows those of earlier ones. kube-apiserver always expects 3 ms and corrects that when a
   * request ends. Where requests take seconds, as in a flood of long lists on one thread, the queues of the flood are seconds of work behind then, and
   * whoever comes waits until they have caught up. Default false.
   */
  readonly learnsDurations?: boolean;
  /**
   * Limits how many requests begin in a turn of the event loop; those beyond it wait in their queues. Seats that are free meanwhile do no work, so that
   * virtual time follows the seats in use. Default: no limit, and virtual time follows the seats that are wanted, as in kube-apiserver.
   */
  readonly budget?: TurnBudget;
}

/** The counts of a set's requests and seats. */
export interface QueueSetCounts {
  waiting: number;
  executing: number;
  seatsInUse: number;
  seatsWaiting: number;
  dispatched: number;
  rejected: number;
  cancelled: number;
}

/**
 * The queues and seats of a priority level. Requests of a flow go to the emptiest queue of the flow's hand. Each queue has a virtual time at which its
 * next request is due, which advances by the work that its requests do, and the request that would end first gets the next free seats.
 * Source: k8s.io/apiserver's queueset, "fair queuing for server requests".
 */
export class QueueSet {
  readonly counts: QueueSetCounts = {
    waiting: 0,
    executing: 0,
    seatsInUse: 0,
    seatsWaiting: 0,
    dispatched: 0,
    rejected: 0,
    cancelled: 0,
  };
  /** More than the level wants while those beyond drain. */
  readonly queues: Queue[] = [];
  /** Requests that execute without having been in a queue. */
  readonly unqueued = new Set<SeatedRequest>();
  #queuing: Queuing = NO_QUEUES;
  /** Infinite for an exempt level. */
  #limit = 0;
  #order = new QueueOrder(1);
  /** The queue that was dispatched from last. */
  #last = 0;
  #enqueued = 0;
  /** Virtual time: the work that each active queue was entitled to so far. */
  #work = 0;
  /** The moment of the change that is made now: each begins with {@link #advance}. */
  #since: number;
  #activeQueues = 0;
  #expected = EXPECTED_DURATION;
  /** Seats that queued requests occupy or wait for. */
  #queuedSeats = 0;
  readonly #hands = new Map<string, readonly number[]>();

  constructor(
    readonly level: string,
    private readonly demand: SeatDemand,
    private readonly surroundings: QueueSetSurroundings,
  ) {
    this.#since = surroundings.elapsed();
  }

  get isIdle(): boolean {
    return this.counts.waiting === 0 && this.counts.executing === 0;
  }

  /** Takes over how the level queues and how many seats it has. Queues that are too many now drain. */
  configure(queuing: Queuing, limit: number): void {
    this.#advance();
    const { queues, handSize } = this.#queuing;
    if (queuing.queues !== queues || queuing.handSize !== handSize) this.#hands.clear();
    this.#queuing = queuing;
    this.#limit = limit;
    while (this.queues.length < queuing.queues) this.queues.push(new Queue(this.queues.length));
    if (this.#order.capacity < this.queues.length) this.#reorder();
    this.#dispatchAll();
  }

  /** Gives a request its seats, or a place in a queue; undefined for a request that is rejected. */
  start(arrival: Arrival): SeatedRequest | undefined {
    this.#advance();
    const { estimate, flowSchema } = arrival;
    if (this.#queuing.queues > 0) return this.#enqueue(arrival);
    if (this.#limit !== Number.POSITIVE_INFINITY && !this.#hasSeats(mostSeats(estimate))) {
      this.#reject(flowSchema, "concurrency-limit");
      return undefined;
    }
    const request = this.#seated(arrival, undefined);
    this.unqueued.add(request);
    this.#execute(request);
    return request;
  }

  /** Takes a request out of its queue. Without effect for one that has its seats. */
  cancel(request: SeatedRequest): void {
    const { queue } = request;
    if (request.state !== "waiting" || queue === undefined) return;
    this.#advance();
    request.state = "over";
    this.#unqueue(request, queue, false);
    queue.keepBehindArrival();
    this.#settle(queue);
    this.counts.cancelled += 1;
    this.#reject(request.flowSchema, "time-out");
    this.#tellDemand();
  }

  /** Ends a request that has its seats; they may stay taken for a while. */
  finish(request: SeatedRequest): void {
    if (request.state !== "executing") return;
    this.#advance();
    request.state = "over";
    this.counts.executing -= 1;
    const { queue, estimate } = request;
    const duration = this.#since - request.startedAt;
    this.surroundings.observer?.ended?.(this.level, request.flowSchema, duration / 1e6, isWatch(request));
    if (queue === undefined) this.unqueued.delete(request);
    else {
      queue.executing.delete(request);
      if (!queue.isActive) this.#activeQueues -= 1;
      // The guess is replaced by what the request has taken.
      queue.nextDispatch -= workOf(estimate.initialSeats, request.expected - duration);
      queue.keepBehindArrival();
      this.#settle(queue);
    }
    if (this.surroundings.learnsDurations === true) {
      this.#expected = Math.max(EXPECTED_DURATION, this.#expected + NEWEST * (duration - this.#expected));
    }
    if (estimate.additionalLatency <= 0) this.#free(request);
    else {
      this.surroundings.timers.start(estimate.additionalLatency / 1e6, () => {
        this.#advance();
        this.#free(request);
        this.#dispatchAll();
      });
    }
    this.#dispatchAll();
  }

  /** The virtual time now. */
  get work(): number {
    return this.#work;
  }

  #enqueue(arrival: Arrival): SeatedRequest | undefined {
    const { counts, surroundings } = this;
    const queue = this.#chooseQueue(arrival);
    if (counts.seatsInUse >= this.#limit && queue.length >= this.#queuing.queueLengthLimit) {
      this.#reject(arrival.flowSchema, "queue-full");
      return undefined;
    }
    const request = this.#seated(arrival, queue);
    if (!queue.isActive) {
      queue.nextDispatch = this.#work;
      this.#activeQueues += 1;
    }
    const isNext = counts.waiting === 0 && counts.seatsInUse < this.#limit && this.#hasSeats(request.seats);
    if (isNext && this.#mayBegin()) {
      // It would be appended and dispatched at once, not before its arrival.
      queue.nextDispatch = Math.max(queue.nextDispatch, request.arrivalWork);
      surroundings.observer?.enqueued?.(this.level, request.flowSchema, request.seats, queue.length + 1);
      surroundings.observer?.dequeued?.(this.level, request.flowSchema, request.seats, 0, true);
      surroundings.observer?.leaves?.(this.level, () => this.#virtualTimes(queue, [queue]));
      this.#dispatch(request, queue);
      return request;
    }
    queue.append(request);
    counts.waiting += 1;
    counts.seatsWaiting += request.seats;
    this.#queuedSeats += request.seats;
    queue.keepBehindArrival();
    this.#settle(queue);
    surroundings.observer?.enqueued?.(this.level, request.flowSchema, request.seats, queue.length);
    this.#tellDemand();
    this.#dispatchAll();
    return request;
  }

  /** The queue of the flow's hand in which the least work waits; the hand is looked through from another place each time. */
  #chooseQueue(arrival: Arrival): Queue {
    const hand = this.#handOf(arrival);
    const offset = this.#enqueued % hand.length;
    this.#enqueued += 1;
    let best: Queue | undefined;
    for (let place = 0; place < hand.length; place++) {
      const queue = this.queues[hand[(offset + place) % hand.length] ?? 0];
      if (best === undefined || (queue !== undefined && queue.workWaiting < best.workWaiting)) best = queue;
    }
    return best as Queue;
  }

  #handOf({ flowSchema, distinguisher }: Arrival): readonly number[] {
    const flow = `${flowSchema}\0${distinguisher}`;
    let hand = this.#hands.get(flow);
    if (hand === undefined) {
      hand = dealHand(flowHash(flowSchema, distinguisher), this.#queuing.queues, this.#queuing.handSize);
      if (this.#hands.size >= KEPT_HANDS) this.#hands.clear();
      this.#hands.set(flow, hand);
    }
    return hand;
  }

  #seated(arrival: Arrival, queue: Queue | undefined): SeatedRequest {
    const { initialSeats, finalSeats, additionalLatency } = arrival.estimate;
    const expected = this.#expected;
    const totalWork = workOf(initialSeats, expected) + workOf(finalSeats, additionalLatency);
    const arrived = this.surroundings.now();
    return new SeatedRequest(arrival, { queue, expected, totalWork, arrivalWork: this.#work, arrived });
  }

  /** Dispatches at most so many requests, whatever the turn's budget says, and the others in later turns. */
  resume(most: number): void {
    this.#advance();
    for (let left = most; this.#canDispatch(); left--) {
      if (left === 0) return this.surroundings.budget?.waits(this);
      if (!this.#dispatchNext()) return;
    }
  }

  #dispatchAll(): void {
    while (this.#canDispatch() && this.#mayBegin() && this.#dispatchNext());
  }

  #canDispatch(): boolean {
    return this.counts.waiting > 0 && this.counts.seatsInUse < this.#limit;
  }

  /** Whether one more request may begin in this turn of the event loop; else the next turn begins it. */
  #mayBegin(): boolean {
    const { budget } = this.surroundings;
    if (budget === undefined || budget.take()) return true;
    budget.waits(this);
    return false;
  }

  /** Gives seats to the request that would end first. Returns false where its seats are not free: no other request overtakes it. */
  #dispatchNext(): boolean {
    const index = this.#order.next(this.#last);
    const queue = this.queues[index];
    const request = queue?.oldest;
    if (queue === undefined || request === undefined) return false;
    if (!this.#hasSeats(request.seats)) {
      this.surroundings.observer?.notAccommodated?.(this.level, request.flowSchema);
      return false;
    }
    this.surroundings.observer?.leaves?.(this.level, () => {
      const waiting = this.queues.filter(({ length }) => length > 0);
      return this.#virtualTimes(queue, waiting);
    });
    this.#unqueue(request, queue, true);
    this.#dispatch(request, queue);
    return true;
  }

  #virtualTimes({ nextDispatch }: Queue, waiting: readonly Queue[]): VirtualTimes {
    const all = waiting.map((queue) => queue.nextDispatch);
    const discounted = waiting.map((queue) => queue.nextDispatch - workOf(queue.seatsInUse, this.#expected));
    return {
      now: seatSeconds(this.#work),
      dispatched: seatSeconds(nextDispatch),
      earliest: seatSeconds(Math.min(...all)),
      latest: seatSeconds(Math.max(...all)),
      earliestDiscounted: seatSeconds(Math.min(...discounted)),
      latestDiscounted: seatSeconds(Math.max(...discounted)),
    };
  }

  /** Gives seats to a request that is no longer in its queue. */
  #dispatch(request: SeatedRequest, queue: Queue): void {
    this.#last = queue.index;
    this.#capFinalSeats(request);
    queue.executing.add(request);
    queue.seatsInUse += request.seats;
    this.#queuedSeats += request.seats;
    // It may have waited for longer than durations were known.
    const later = workOf(request.estimate.initialSeats, this.#expected - request.expected);
    request.expected = this.#expected;
    queue.nextDispatch += request.totalWork + later;
    queue.keepBehindArrival();
    this.#settle(queue);
    this.#execute(request);
    request.onSeats?.();
  }

  /** Final seats beyond the limit become fewer seats for longer. */
  #capFinalSeats(request: SeatedRequest): void {
    const { finalSeats, additionalLatency } = request.estimate;
    if (finalSeats <= this.#limit) return;
    const longer = nanosecondsPerSeat(workOf(finalSeats, additionalLatency), this.#limit);
    request.estimate = { ...request.estimate, finalSeats: this.#limit, additionalLatency: longer };
  }

  #execute(request: SeatedRequest): void {
    const { counts, surroundings } = this;
    request.state = "executing";
    request.started = surroundings.now();
    request.startedAt = this.#since;
    counts.executing += 1;
    counts.dispatched += 1;
    counts.seatsInUse += request.seats;
    surroundings.observer?.started?.(this.level, request.flowSchema, request.seats);
    this.#tellDemand();
  }

  /** Takes a request out of its queue, and its seats out of those that are waited for. */
  #unqueue(request: SeatedRequest, queue: Queue, executes: boolean): void {
    const { counts, surroundings } = this;
    queue.remove(request);
    if (!executes && !queue.isActive) this.#activeQueues -= 1;
    counts.waiting -= 1;
    counts.seatsWaiting -= request.seats;
    this.#queuedSeats -= request.seats;
    const { observer } = surroundings;
    if (observer?.dequeued === undefined) return;
    observer.dequeued(this.level, request.flowSchema, request.seats, surroundings.now() - request.arrived, executes);
  }

  /** Whether so many seats are free. A request that wants more than there are waits until it is alone. */
  #hasSeats(seats: number): boolean {
    if (seats > this.#limit) return this.counts.executing === 0;
    return this.counts.seatsInUse + seats <= this.#limit;
  }

  #free(request: SeatedRequest): void {
    const { queue, seats } = request;
    this.counts.seatsInUse -= seats;
    this.surroundings.observer?.freed?.(this.level, request.flowSchema, seats);
    this.#tellDemand();
    if (queue === undefined || queue.index < 0) return;
    queue.seatsInUse -= seats;
    this.#queuedSeats -= seats;
    if (this.queues.length > this.#queuing.queues && !queue.isActive) this.#remove(queue);
  }

  #remove(queue: Queue): void {
    const { index } = queue;
    this.queues.splice(index, 1);
    for (const [place, one] of this.queues.entries()) one.index = place;
    queue.index = -1;
    this.#queuedSeats -= queue.seatsInUse;
    if (this.#last >= index) this.#last -= 1;
    this.#reorder();
  }

  #reject(flowSchema: string, reason: "concurrency-limit" | "queue-full" | "time-out"): void {
    this.counts.rejected += 1;
    this.surroundings.observer?.rejected?.(this.level, flowSchema, reason);
  }

  #tellDemand(): void {
    this.demand.set(this.counts.seatsInUse + this.counts.seatsWaiting, this.#since);
  }

  #settle(queue: Queue): void {
    this.#order.set(queue.index, queue.finish);
  }

  #reorder(): void {
    this.#order = new QueueOrder(this.queues.length);
    for (const queue of this.queues) this.#settle(queue);
  }

  /** Advances virtual time by the work that each active queue was entitled to since the last change. */
  #advance(): void {
    const now = this.surroundings.elapsed();
    const passed = now - this.#since;
    this.#since = now;
    if (this.#activeQueues === 0) return;
    const wanted = Math.min(this.#queuedSeats, this.#limit);
    const working = this.surroundings.budget === undefined ? wanted : Math.min(this.counts.seatsInUse, wanted);
    this.#work += workOf(working / this.#activeQueues, passed);
    if (this.#work >= HIGHEST_WORK) this.#endEpoch();
    this.surroundings.observer?.advanced?.(this.level, seatSeconds(this.#work));
  }

  #endEpoch(): void {
    this.#work -= EPOCH;
    for (const queue of this.queues) {
      if (!queue.isActive) queue.nextDispatch = 0;
      else queue.nextDispatch -= EPOCH;
      for (const request of queue.waiting()) request.arrivalWork -= EPOCH;
    }
    this.#reorder();
    this.surroundings.observer?.epochEnded?.(this.level);
  }
}

const isWatch = ({ request }: SeatedRequest): boolean => request?.info.verb === "watch";
