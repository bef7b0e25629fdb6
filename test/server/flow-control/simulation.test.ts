import { expect, test } from "vitest";
import type { Timers } from "../../../src/base/time/timers.js";
import { QueueSet } from "../../../src/server/flow-control/queue-set.js";
import type { SeatedRequest } from "../../../src/server/flow-control/queue.js";
import { SeatDemand } from "../../../src/server/flow-control/seat-demand.js";
import { randomBelow } from "../../../src/base/numbers/random-below.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { type Decisions, DescribedFairQueuing, type Job, type Scheduler } from "./fair-queuing-reference.js";

const SHAPE = { queues: 16, handSize: 3, lengthLimit: 6 };

interface Plan {
  readonly job: Job;
  /** Milliseconds: since the arrival before it, of its work, and until it gives up. */
  readonly gap: number;
  readonly takes: number;
  readonly patience: number;
  /** The seats that there are from this arrival on. */
  readonly seats: number | undefined;
}

/** Time that passes from one callback to the next. Callbacks of one moment come in the order in which they were asked for. */
class Agenda implements Timers {
  now = 0;
  #order = 0;
  /** A heap by moment, then order. */
  readonly #heap: { readonly at: number; readonly order: number; callback: (() => void) | undefined }[] = [];

  start(milliseconds: number, callback: () => void): () => void {
    const entry: (typeof this.heap)[number] = { at: this.now + milliseconds, order: this.#order++, callback };
    const heap = this.#heap;
    let place = heap.push(entry) - 1;
    while (place > 0 && this.#isBefore(place, (place - 1) >> 1)) place = this.#swap(place, (place - 1) >> 1);
    return () => {
      entry.callback = undefined;
    };
  }

  get heap() {
    return this.#heap;
  }

  run(): void {
    const heap = this.#heap;
    while (heap.length > 0) {
      const [next] = heap;
      const last = heap.pop();
      if (heap.length > 0 && last !== undefined) {
        heap[0] = last;
        for (let place = 0; ; ) {
          let least = place;
          for (const child of [2 * place + 1, 2 * place + 2])
            if (child < heap.length && this.#isBefore(child, least)) least = child;
          if (least === place) break;
          place = this.#swap(place, least);
        }
      }
      if (next === undefined) return;
      if (next.callback === undefined) continue;
      this.now = next.at;
      next.callback();
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (a === undefined || b === undefined) return false;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(from: number, to: number): number {
    const [a, b] = [this.#heap[from], this.#heap[to]];
    if (a !== undefined && b !== undefined) [this.#heap[from], this.#heap[to]] = [b, a];
    return to;
  }
}

/** A greedy flow, some that come and go, and many small ones. */
function plans(count: number): readonly Plan[] {
  const random = seededRandom("fair queuing");
  const below = (limit: number): number => randomBelow(random, limit);
  return Array.from({ length: count }, (_, id) => {
    const isGreedy = below(2) === 0;
    const flow = isGreedy ? "greedy" : `flow-${below(id % 2000 < 1000 ? 5 : 200)}`;
    const isWide = below(20) === 0;
    const isTold = below(10) === 0;
    return {
      job: {
        id,
        flow,
        initialSeats: isWide ? 1 + below(12) : 1,
        finalSeats: isTold ? 1 + below(10) : 0,
        additionalLatency: isTold ? 1e6 * (1 + below(20)) : 0,
      },
      gap: below(4) / 4,
      takes: isGreedy ? 2 + below(40) / 4 : below(24) / 4,
      patience: 20 + below(400),
      seats: id % 5000 === 4999 ? 6 + below(30) : undefined,
    };
  });
}

type Made = (agenda: Agenda, decisions: Decisions) => Scheduler;

/** Returns what happened: "12 at 3.25" for a request that ran, "12 not" for one that did not. */
function simulate(jobs: readonly Plan[], make: Made): readonly string[] {
  const agenda = new Agenda();
  const happened: string[] = [];
  const takes = new Map(jobs.map(({ job, takes: time }) => [job, time]));
  const giveUps = new Map<Job, () => void>();
  const scheduler = make(agenda, {
    run(job) {
      happened.push(`${job.id} at ${agenda.now}`);
      giveUps.get(job)?.();
      agenda.start(takes.get(job) ?? 0, () => scheduler.finish(job));
    },
    reject(job) {
      happened.push(`${job.id} not`);
      giveUps.get(job)?.();
    },
  });
  const arrive = (index: number): void => {
    const plan = jobs[index];
    if (plan === undefined) return;
    agenda.start(plan.gap, () => {
      if (plan.seats !== undefined) scheduler.resize(plan.seats);
      giveUps.set(
        plan.job,
        agenda.start(plan.patience, () => scheduler.leave(plan.job)),
      );
      scheduler.arrive(plan.job);
      arrive(index + 1);
    });
  };
  arrive(0);
  agenda.run();
  return happened;
}

const described: Made = (agenda, decisions) =>
  new DescribedFairQueuing(SHAPE, 20, () => Math.round(agenda.now * 1e6), agenda, decisions);

const ours: Made = (agenda, decisions) => queueSet(agenda, decisions, false);

function queueSet(agenda: Agenda, decisions: Decisions, learnsDurations: boolean): Scheduler {
  const elapsed = (): number => Math.round(agenda.now * 1e6);
  const queuing = { queues: SHAPE.queues, handSize: SHAPE.handSize, queueLengthLimit: SHAPE.lengthLimit };
  const surroundings = { elapsed, now: () => agenda.now, timers: agenda, observer: undefined, learnsDurations };
  const set = new QueueSet("level", new SeatDemand(0), surroundings);
  set.configure(queuing, 20);
  const seated = new Map<Job, SeatedRequest>();
  return {
    arrive(job) {
      const [flowSchema = "", distinguisher = ""] = job.flow.split("\0");
      const onSeats = (): void => decisions.run(job);
      const request = set.start({ flowSchema, distinguisher, estimate: job, request: undefined, onSeats });
      if (request === undefined) decisions.reject(job);
      else seated.set(job, request);
    },
    leave(job) {
      const request = seated.get(job);
      if (request?.state !== "waiting") return;
      set.cancel(request);
      decisions.reject(job);
    },
    finish(job) {
      const request = seated.get(job);
      if (request !== undefined) set.finish(request);
    },
    resize: (seats) => set.configure(queuing, seats),
  };
}

test("priority and fairness runs 100,000 requests in the order that the published description of fair queuing gives", () => {
  const jobs = plans(100_000).map((plan) => ({ ...plan, job: { ...plan.job, flow: `schema\0${plan.job.flow}` } }));
  const happened = simulate(jobs, ours);
  expect(happened).toHaveLength(jobs.length);
  expect(happened.filter((text) => text.endsWith(" not")).length).toBeGreaterThan(1000);
  const expected = simulate(jobs, described);
  const first = expected.findIndex((text, place) => happened[place] !== text);
  expect(happened.slice(first, first + 5)).toEqual(first < 0 ? [] : expected.slice(first, first + 5));
});

/** How long, in milliseconds, requests of a quiet flow wait that come every second beside a flood of requests that take two seconds each. */
function waitsBesideFlood(learnsDurations: boolean): readonly number[] {
  const agenda = new Agenda();
  const waits: number[] = [];
  const came = new Map<Job, number>();
  let ids = 0;
  const job = (flow: string, initialSeats: number): Job => ({
    id: ids++,
    flow: `schema\0${flow}`,
    initialSeats,
    finalSeats: 0,
    additionalLatency: 0,
  });
  const isOver = (): boolean => agenda.now > 60_000;
  const scheduler = queueSet(
    agenda,
    {
      run(one) {
        const isQuiet = came.has(one);
        if (isQuiet) waits.push(agenda.now - (came.get(one) ?? 0));
        agenda.start(isQuiet ? 1 : 2000, () => {
          scheduler.finish(one);
          if (!isQuiet && !isOver()) scheduler.arrive(job("flood", 4));
        });
      },
      reject(one) {
        if (!came.has(one) && !isOver()) agenda.start(1000, () => scheduler.arrive(job("flood", 4)));
      },
    },
    learnsDurations,
  );
  scheduler.resize(200);
  for (let count = 0; count < 65; count++) agenda.start(count * 30, () => scheduler.arrive(job("flood", 4)));
  for (let second = 10; second < 60; second++) {
    agenda.start(second * 1000, () => {
      const one = job("quiet", 1);
      came.set(one, agenda.now);
      scheduler.arrive(one);
    });
  }
  agenda.run();
  return waits;
}

test("beside a flood of long requests, another flow waits only for the next free seats", () => {
  const [guessing, learning] = [waitsBesideFlood(false), waitsBesideFlood(true)];
  expect(learning).toHaveLength(50);
  // Fifty requests of the flood run at a time, for two seconds each: one ends every 40 ms.
  expect(Math.max(...learning)).toBeLessThan(50);
  expect(Math.max(...guessing)).toBeGreaterThan(100);
});
