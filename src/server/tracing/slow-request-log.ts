import { randomBelow } from "../../base/numbers/random-below.js";
import type { Random } from "../../base/numbers/random.js";
import type { Clock } from "../../base/time/clock.js";
import { stopwatchOf, type Timers } from "../../base/time/timers.js";
import type { TimedWork } from "../../machinery/tracing/request-span.js";
import { SlowTrace } from "./slow-trace.js";

/** Where the texts about slow requests go. */
export interface SlowRequestLog {
  readonly write: (text: string) => void;
  /** klog's level: below 2 nothing is measured, and from 4 on a text has every step. */
  readonly verbosity: () => number;
}

/** kube-apiserver logs slow requests from -v=2 on, and all their steps from -v=4 on. */
const LOGGED_FROM = 2;
const ALL_FROM = 4;

/** Whether work is measured now. */
export const isOn = (slow: SlowRequestLog | undefined): boolean =>
  slow !== undefined && slow.verbosity() >= LOGGED_FROM;

/** Writes what is slow in work that has ended. */
export function logSlow(work: SlowTrace, now: number, slow: SlowRequestLog, random: Random): void {
  const number = (): number => randomBelow(random, 2 ** 31);
  for (const text of work.texts(now, slow.verbosity() >= ALL_FROM, number)) slow.write(text);
}

export interface TimedSurroundings {
  readonly slow?: SlowRequestLog | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
}

/** Runs work that belongs to no request, and logs it where it was slow. */
export async function timed<T>(
  { name, fields, threshold }: TimedWork,
  { slow, clock, timers, random }: TimedSurroundings,
  work: () => Promise<T>,
): Promise<T> {
  if (slow === undefined || !isOn(slow)) return work();
  const began = clock.now();
  const elapsed = stopwatchOf(timers)();
  const trace = new SlowTrace(name, fields, began);
  try {
    return await work();
  } finally {
    const ended = began + elapsed();
    trace.end(ended, threshold);
    logSlow(trace, ended, slow, random);
  }
}
