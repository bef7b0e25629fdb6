import { expect } from "vitest";
import { TurnProbe } from "../hostile/turn-probe.js";

/** Milliseconds of CPU time that a turn of the event loop may take. */
const LONGEST_TURN = 50;
/** How often `work` must hold the event loop for longer before it is work that does. */
const TRIALS = 5;

/**
 * Does `work` and expects that no turn of the event loop took longer than 50 ms meanwhile; answers what it answers.
 *
 * A busy machine lengthens a turn's CPU time: cores share their caches, a hypervisor takes what it needs. So the shortest of
 * several trials counts, which is what the work cannot do without. What `work` itself expects must hold in each trial; it makes
 * what it needs anew.
 */
export async function inShortTurns<T>(work: () => Promise<T>): Promise<T> {
  const tried: number[] = [];
  for (;;) {
    const probe = new TurnProbe();
    try {
      const result = await work();
      const { longest } = probe.read();
      if (longest < LONGEST_TURN) return result;
      tried.push(longest);
    } finally {
      probe.stop();
    }
    if (tried.length === TRIALS)
      expect.fail(`each trial had a turn longer than ${LONGEST_TURN} ms: ${tried.join(", ")}`);
  }
}
