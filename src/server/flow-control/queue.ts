import type { ApiRequest } from "../request/api-request.js";
import { mostSeats, type WorkEstimate } from "./work.js";

/** A request that asks for seats. */
export interface Arrival {
  readonly flowSchema: string;
  /** What tells flows of the FlowSchema apart: a user's name, a namespace, or nothing. */
  readonly distinguisher: string;
  readonly estimate: WorkEstimate;
  /** Called when the request gets its seats. */
  readonly onSeats?: () => void;
  /** For those who ask for a dump. */
  readonly request: Pick<ApiRequest, "user" | "info"> | undefined;
}

/** A request that waits for seats, occupies them, or has released them. */
export class SeatedRequest {
  readonly flowSchema: string;
  readonly distinguisher: string;
  readonly request: Arrival["request"];
  /** The queue that it waits in or came from; undefined in a level without queues. */
  readonly queue: Queue | undefined;
  estimate: WorkEstimate;
  /** How long it is expected to take, in nanoseconds: as was known when it arrived, then as was known when it got its seats. */
  expected: number;
  /** Initial and final work, in units of work. */
  readonly totalWork: number;
  /** The virtual time of the arrival. */
  arrivalWork: number;
  /** Milliseconds since the epoch; {@link started} is undefined while it waits. */
  readonly arrived: number;
  started: number | undefined;
  /** The monotonic time when it got its seats, in nanoseconds. */
  startedAt = 0;
  state: "waiting" | "executing" | "over" = "waiting";
  /** Called once, when the request gets its seats. */
  onSeats: (() => void) | undefined;
  /** Its neighbours in the queue. */
  earlier: SeatedRequest | undefined;
  later: SeatedRequest | undefined;

  constructor(
    arrival: Arrival,
    parts: Pick<SeatedRequest, "queue" | "expected" | "totalWork" | "arrivalWork" | "arrived">,
  ) {
    this.flowSchema = arrival.flowSchema;
    this.distinguisher = arrival.distinguisher;
    this.request = arrival.request;
    this.estimate = arrival.estimate;
    this.onSeats = arrival.onSeats;
    this.queue = parts.queue;
    this.expected = parts.expected;
    this.totalWork = parts.totalWork;
    this.arrivalWork = parts.arrivalWork;
    this.arrived = parts.arrived;
  }

  get seats(): number {
    return mostSeats(this.estimate);
  }
}

/** A queue of a priority level: its waiting requests, the oldest first, and those that execute now. */
export class Queue {
  /** Where it stands among the queues of its level; -1 once it is removed. */
  index: number;
  /** The virtual time at which its next request is dispatched. */
  nextDispatch = 0;
  readonly executing = new Set<SeatedRequest>();
  /** Seats of requests that execute or keep seats behind their answers. */
  seatsInUse = 0;
  oldest: SeatedRequest | undefined;
  /** How many requests wait, and what they ask for together. */
  length = 0;
  initialSeats = 0;
  seatsWaiting = 0;
  workWaiting = 0;
  #newest: SeatedRequest | undefined;

  constructor(index: number) {
    this.index = index;
  }

  /** Whether it has requests, waiting or executing. */
  get isActive(): boolean {
    return this.length > 0 || this.executing.size > 0;
  }

  /** When the oldest request would end in virtual time; infinite where none waits. */
  get finish(): number {
    return this.oldest === undefined ? Number.POSITIVE_INFINITY : this.nextDispatch + this.oldest.totalWork;
  }

  append(request: SeatedRequest): void {
    request.earlier = this.#newest;
    if (this.#newest === undefined) this.oldest = request;
    else this.#newest.later = request;
    this.#newest = request;
    this.#count(request, 1);
  }

  remove(request: SeatedRequest): void {
    const { earlier, later } = request;
    if (earlier === undefined) this.oldest = later;
    else earlier.later = later;
    if (later === undefined) this.#newest = earlier;
    else later.earlier = earlier;
    request.earlier = request.later = undefined;
    this.#count(request, -1);
  }

  /** The virtual world dispatches no request before it arrives: a queue that cannot use its seats saves nothing up. */
  keepBehindArrival(): void {
    if (this.oldest !== undefined && this.nextDispatch < this.oldest.arrivalWork)
      this.nextDispatch = this.oldest.arrivalWork;
  }

  *waiting(): Generator<SeatedRequest> {
    for (let request = this.oldest; request !== undefined; request = request.later) yield request;
  }

  #count(request: SeatedRequest, one: 1 | -1): void {
    this.length += one;
    this.initialSeats += one * request.estimate.initialSeats;
    this.seatsWaiting += one * request.seats;
    this.workWaiting += one * request.totalWork;
  }
}
