import { Backoff } from "../base/time/backoff.js";
import type { Surroundings } from "./surroundings.js";

/** The waits between attempts to reach a server: 0.8 to 30 seconds, up to twice as long at random (client-go's Reflector). */
export function faultBackoff({ random, stopwatch }: Pick<Surroundings, "random" | "stopwatch">): Backoff {
  return new Backoff({
    first: 800,
    longest: 30_000,
    factor: 2,
    jitter: { share: 1, random },
    reset: { after: 120_000, stopwatch },
  });
}
