import { createHash } from "node:crypto";
import type { Timers } from "../../../src/base/time/timers.js";

/** A request of a simulation. Durations are nanoseconds, seats whole numbers. */
export interface Job {
  readonly id: number;
  readonly flow: string;
  readonly initialSeats: number;
  readonly finalSeats: number;
  readonly additionalLatency: number;
}

/** What decides when jobs run. */
export interface Scheduler {
  arrive(job: Job): void;
  /** A job that still waits gives up. */
  leave(job: Job): void;
  finish(job: Job): void;
  /** How many seats there are from now on. */
  resize(seats: number): void;
}

export interface Decisions {
  readonly run: (job: Job) => void;
  readonly reject: (job: Job) => void;
}

interface Line {
  nextDispatch: number;
  readonly waiting: { readonly job: Job; readonly arrival: number }[];
  readonly running: Set<Job>;
  seatsInUse: number;
}

const GUESS = 3_000_000;
/** Seat-nanoseconds in hundred millionths of a seat-second, halves away from zero. */
const work = (seats: number, nanoseconds: number): number =>
  Math.sign(seats * nanoseconds) * Math.round(Math.abs(seats * nanoseconds) / 10);
const widest = (job: Job): number => Math.max(job.initialSeats, job.finalSeats);
const workOf = (job: Job): number => work(job.initialSeats, GUESS) + work(job.finalSeats, job.additionalLatency);

/**
 * Fair queuing as KEP-1040 and the package documentation of k8s.io/apiserver's queueset describe it, one loop for each sentence. It is slow and has
 * nothing in common with what it judges.
 */
export class DescribedFairQueuing implements Scheduler {
  readonly #lines: Line[];
  readonly #seatsOf = new Map<Job, { readonly line: Line; readonly seats: number; started: number; later: number }>();
  #virtualTime = 0;
  #last = 0;
  #robin = 0;
  #arrivals = 0;
  #seatsInUse = 0;
  #executing = 0;

  constructor(
    private readonly shape: { readonly queues: number; readonly handSize: number; readonly lengthLimit: number },
    private seats: number,
    private readonly elapsed: () => number,
    private readonly timers: Timers,
    private readonly decisions: Decisions,
  ) {
    this.#lines = Array.from({ length: shape.queues }, () => ({
      nextDispatch: 0,
      waiting: [],
      running: new Set<Job>(),
      seatsInUse: 0,
    }));
  }

  arrive(job: Job): void {
    this.#passTime();
    const line = this.#shuffleShard(job.flow);
    if (this.#seatsInUse >= this.seats && line.waiting.length >= this.shape.lengthLimit) {
      this.decisions.reject(job);
      return;
    }
    if (line.waiting.length === 0 && line.running.size === 0) line.nextDispatch = this.#virtualTime;
    line.waiting.push({ job, arrival: this.#virtualTime });
    this.#noEarlierThanArrival(line);
    this.#dispatch();
  }

  leave(job: Job): void {
    this.#passTime();
    for (const line of this.#lines) {
      const place = line.waiting.findIndex((one) => one.job === job);
      if (place < 0) continue;
      line.waiting.splice(place, 1);
      this.#noEarlierThanArrival(line);
      this.decisions.reject(job);
    }
  }

  finish(job: Job): void {
    this.#passTime();
    const held = this.#seatsOf.get(job);
    if (held === undefined) return;
    const { line, seats, started, later } = held;
    line.running.delete(job);
    this.#executing -= 1;
    line.nextDispatch -= work(job.initialSeats, GUESS - (this.elapsed() - started));
    this.#noEarlierThanArrival(line);
    const release = (): void => {
      line.seatsInUse -= seats;
      this.#seatsInUse -= seats;
    };
    if (later <= 0) release();
    else {
      this.timers.start(later / 1e6, () => {
        this.#passTime();
        release();
        this.#dispatch();
      });
    }
    this.#dispatch();
  }

  resize(seats: number): void {
    this.#passTime();
    this.seats = seats;
    this.#dispatch();
  }

  #passTime(): void {
    const now = this.elapsed();
    const active = this.#lines.filter(({ waiting, running }) => waiting.length > 0 || running.size > 0).length;
    let asked = 0;
    for (const line of this.#lines) {
      asked += line.seatsInUse;
      for (const { job } of line.waiting) asked += widest(job);
    }
    if (active > 0) this.#virtualTime += work(Math.min(asked, this.seats) / active, now - this.#last);
    this.#last = now;
  }

  #shuffleShard(flow: string): Line {
    let hash = createHash("sha256").update(flow).digest().readBigUInt64LE(0);
    const deck = Array.from({ length: this.shape.queues }, (_, queue) => queue);
    const hand: number[] = [];
    for (let dealt = 0; dealt < this.shape.handSize; dealt++) {
      const card = Number(hash % BigInt(deck.length));
      hash /= BigInt(deck.length);
      hand.push(...deck.splice(card, 1));
    }
    const first = this.#arrivals % hand.length;
    this.#arrivals += 1;
    let best: Line | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const queue of [...hand.slice(first), ...hand.slice(0, first)]) {
      const line = this.#lines[queue] as Line;
      const load = line.waiting.reduce((sum, { job }) => sum + workOf(job), 0);
      if (load < least) [best, least] = [line, load];
    }
    return best as Line;
  }

  #dispatch(): void {
    while (this.#seatsInUse < this.seats) {
      let chosen = -1;
      let earliest = Number.POSITIVE_INFINITY;
      for (let step = 1; step <= this.#lines.length; step++) {
        const queue = (this.#robin + step) % this.#lines.length;
        const { waiting, nextDispatch } = this.#lines[queue] as Line;
        const [oldest] = waiting;
        if (oldest === undefined || nextDispatch + workOf(oldest.job) >= earliest) continue;
        [chosen, earliest] = [queue, nextDispatch + workOf(oldest.job)];
      }
      const line = this.#lines[chosen];
      const oldest = line?.waiting[0];
      if (line === undefined || oldest === undefined) return;
      const { job } = oldest;
      const fits = widest(job) > this.seats ? this.#executing === 0 : this.#seatsInUse + widest(job) <= this.seats;
      if (!fits) return;
      line.waiting.shift();
      this.#robin = chosen;
      const isTooWide = job.finalSeats > this.seats;
      const finalSeats = isTooWide ? this.seats : job.finalSeats;
      const later = isTooWide
        ? Math.trunc((work(job.finalSeats, job.additionalLatency) / this.seats) * 10)
        : job.additionalLatency;
      const seats = Math.max(job.initialSeats, finalSeats);
      this.#seatsOf.set(job, { line, seats, started: this.elapsed(), later });
      line.running.add(job);
      line.seatsInUse += seats;
      this.#seatsInUse += seats;
      this.#executing += 1;
      line.nextDispatch += workOf(job);
      this.#noEarlierThanArrival(line);
      this.decisions.run(job);
    }
  }

  #noEarlierThanArrival(line: Line): void {
    const [oldest] = line.waiting;
    if (oldest !== undefined) line.nextDispatch = Math.max(line.nextDispatch, oldest.arrival);
  }
}
