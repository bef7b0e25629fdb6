/** Tells the time. All code that stamps, expires or prints ages is given a clock, so that a test can stop time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
