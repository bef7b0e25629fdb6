import { type Clock, systemClock } from "../base/time/clock.js";
import { pause } from "../base/time/pause.js";
import { type Timers, workTimers } from "../base/time/timers.js";

/** The parts of the process that an action uses when it waits or makes timestamps. Default: the process's own. */
export interface ActionSurroundings {
  /** Ages and stamps of objects. */
  readonly clock?: Clock | undefined;
  /** Pauses, retries and time limits. The process's own keep it alive while the action runs. */
  readonly timers?: Timers | undefined;
}

/** Completes the surroundings given to an action. */
export function actionSurroundings({ clock, timers }: ActionSurroundings): {
  readonly clock: Clock;
  readonly timers: Timers;
} {
  return { clock: clock ?? systemClock, timers: timers ?? workTimers };
}

/** Pauses so many milliseconds by the process's own timers, or until `signal` aborts, and keeps the process alive meanwhile. */
export const awaitedPause = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  pause(workTimers, milliseconds, signal);
