import { parseGoDuration } from "../base/text/go-literals.js";
import type { ManualClock } from "../base/time/manual-clock.js";
import { pause } from "../base/time/pause.js";
import { startStopwatch, systemTimers } from "../base/time/timers.js";
import { turn, quiet, TooManyTurnsError } from "../base/async/turns.js";

export interface AdvanceOptions {
  /** How many turns of the event loop one moment may take. Default 5,000,000: some 100,000 writes. */
  readonly mostTurns?: number;
}

/** Drives the time of a cluster. */
export interface ClusterClock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Lets time pass: a Go duration ("24h", "1m30s") or milliseconds. Everything that falls due happens at its own time and in order,
   * each with all that follows from it. Resolves when the cluster is at rest. Rejects with a NotAtRestError that says what is busy
   * when it does not come to rest, and with a RangeError for what is no duration of 0 or more.
   */
  advance(duration: string | number, options?: AdvanceOptions): Promise<void>;
  /**
   * Resolves when nothing is left to do at this moment: no request is under way, controllers and their caches have seen every change,
   * and no timer is due. Rejects as {@link advance} does.
   */
  atRest(options?: AdvanceOptions): Promise<void>;
}

/** Thrown when a cluster still has work to do at a moment of a manual clock and does not finish it. */
export class NotAtRestError extends Error {
  override readonly name = "NotAtRestError";
}

const MOST_TURNS = 5_000_000;
/** For how many turns a cluster that does not come to rest is observed. */
const OBSERVED_TURNS = 200;
/** How long work is waited for, in real time, that no turn of the event loop and no timer of the clock stands for. */
const PATIENCE_MS = 30_000;

export function clusterClock(clock: ManualClock): ClusterClock {
  let driving = false;
  const drive = async (until: number, options: AdvanceOptions): Promise<void> => {
    if (driving) throw new Error("the clock is already being advanced: await that call before the next one");
    driving = true;
    try {
      await passTime(clock, until, options.mostTurns ?? MOST_TURNS);
    } finally {
      driving = false;
    }
  };
  return {
    now: () => clock.now(),
    advance: async (duration, options = {}) => drive(clock.now() + millisecondsOf(duration), options),
    atRest: async (options = {}) => drive(clock.now(), options),
  };
}

/** How much time may pass while a cluster closes: what waits ends by its own limit, a request after a minute. */
const CLOSING_MS = 120_000;

/** Resolves when the cluster has closed. It advances the clock only where closing waits for it. */
export async function closeDriven(clock: ManualClock, closing: Promise<void>): Promise<void> {
  const until = clock.now() + CLOSING_MS;
  const closed = closing.then(() => true);
  const later = () => false;
  const idle = () => quiet(MOST_TURNS).then(later, later);
  while (!(await Promise.race([closed, idle()]))) if (!clock.fireNext(until)) break;
  await closing;
}

async function passTime(clock: ManualClock, until: number, mostTurns: number): Promise<void> {
  await settle(clock, mostTurns);
  let [moment, fired] = [clock.now(), 0];
  while (clock.fireNext(until)) {
    if (clock.now() !== moment) [moment, fired] = [clock.now(), 0];
    fired += 1;
    if (fired > mostTurns) throw notAtRest(clock, `${fired} timers fired`, await busyDuring(clock));
    await settle(clock, mostTurns);
  }
  clock.moveTo(until);
}

/** Resolves when nothing happens any more unless time passes. */
async function settle(clock: ManualClock, mostTurns: number): Promise<void> {
  const elapsed = startStopwatch();
  for (;;) {
    try {
      await quiet(mostTurns);
    } catch (error) {
      if (!(error instanceof TooManyTurnsError)) throw error;
      throw notAtRest(clock, `${mostTurns} turns of the event loop were taken`, await busyDuring(clock));
    }
    const busy = clock.untimed();
    if (busy.length === 0) return;
    if (elapsed() > PATIENCE_MS) throw notAtRest(clock, `${PATIENCE_MS / 1000} seconds passed`, busy);
    await pause(systemTimers, 1);
  }
}

/** What is under way in the next turns, the most frequent first: what begins again and again is what keeps a cluster busy. */
async function busyDuring(clock: ManualClock): Promise<readonly string[]> {
  const seen = new Map<string, number>();
  const stop = clock.observe((description) => seen.set(description, (seen.get(description) ?? 0) + 1));
  for (let left = OBSERVED_TURNS; left > 0; left--) await turn();
  stop();
  return [...seen].sort(([, a], [, b]) => b - a).map(([description]) => description);
}

function notAtRest(clock: ManualClock, what: string, busy: readonly string[]): NotAtRestError {
  const time = new Date(clock.now()).toISOString();
  const under = busy.length === 0 ? "" : `; under way: ${busy.slice(0, 5).join(", ")}`;
  return new NotAtRestError(`the cluster does not come to rest at ${time}: ${what}${under}`);
}

function millisecondsOf(duration: string | number): number {
  const milliseconds = typeof duration === "number" ? duration : parseGoDuration(duration);
  if (milliseconds !== undefined && milliseconds >= 0 && Number.isFinite(milliseconds)) return milliseconds;
  throw new RangeError(`the duration is ${JSON.stringify(duration)}; give milliseconds or a text like "1h30m"`);
}
