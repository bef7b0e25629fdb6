import { systemTimers, type Timers } from "../../src/base/time/timers.js";

/** Timers whose waits are `factor` times shorter: a test sees waits of minutes, in their order and proportion, in a second. */
export function fasterTimers(factor: number): Timers {
  return { start: (milliseconds, callback) => systemTimers.start(Math.max(1, milliseconds / factor), callback) };
}
