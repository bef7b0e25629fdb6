import { type Clock, systemClock } from "../base/time/clock.js";
import { type Random, systemRandom } from "../base/numbers/random.js";
import { type StartStopwatch, stopwatchOf, type Timers, workTimers } from "../base/time/timers.js";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of its process that a client uses. */
export interface Surroundings {
  /** Proxy variables, SSL_CERT_FILE and SSL_CERT_DIR, and the environment of credential plugins. */
  readonly env: Environment;
  /** Certificates, tokens and caches expire by it. */
  readonly clock: Clock;
  /** Varies how long watches last, and names temporary files. */
  readonly random: Random;
  /** Delays between retries, renewals and resyncs. They do not follow jumps of the clock, and keep the process alive until they fire or are cancelled. */
  readonly timers: Timers;
  /** Measures durations. They do not follow jumps of the clock. Default: the stopwatch of `timers` where they are driven. */
  readonly stopwatch: StartStopwatch;
}

/** Completes the surroundings given to a public function. The process's own replace what is left out. */
export function surroundingsOf({
  env,
  clock,
  random,
  timers = workTimers,
  stopwatch,
}: Partial<Surroundings>): Surroundings {
  return {
    env: env ?? process.env,
    clock: clock ?? systemClock,
    random: random ?? systemRandom,
    timers,
    stopwatch: stopwatch ?? stopwatchOf(timers),
  };
}
