import { expect } from "vitest";
import { measurePace } from "../../tools/calibrated-work.mjs";
import { TurnProbe } from "../hostile/turn-probe.js";

/** Calibrated milliseconds of CPU time that a turn of the event loop may take. */
const LONGEST_TURN = 50;
/** How often `work` must hold the event loop for longer before it is work that does. */
const TRIALS = 10;

/**
 * Does `work` and expects that no turn of the event loop took longer than 50 ms of calibrated work (tools/calibrated-work.mjs)
 * meanwhile; answers what it answers.
 *
 * The limit grows with what a loop of a fixed amount of work takes in the same thread just before and after, so that it is the same
 * on a slow machine and on a busy one. A hypervisor that takes a core away in the middle of a turn, or the collection of garbage of
 * earlier tests, lengthens that turn alone: so the best of several trials counts, which is what the work cannot do without. What
 * `work` itself expects must hold in each trial; it makes what it needs anew.
 */
export async function inShortTurns<T>(work: () => Promise<T>): Promise<T> {
  const tried: string[] = [];
  for (;;) {
    const before = measurePace();
    const probe = new TurnProbe();
    try {
      const result = await work();
      const { longest } = probe.read();
      // A machine that is faster than the reference machine answers no later for a turn of 50 ms.
      const limit = LONGEST_TURN * Math.max(1, before, measurePace());
      if (longest < limit) return result;
      tried.push(`${longest.toFixed()} of at most ${limit.toFixed()}`);
    } finally {
      probe.stop();
    }
    if (tried.length === TRIALS)
      expect.fail(`each trial had a turn that held the event loop too long, in ms of CPU time: ${tried.join(", ")}`);
  }
}
