/** Tells the time. Everything that stamps, expires or prints an age is given one, so that a test can stop it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
