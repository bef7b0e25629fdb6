import type { CronJob } from "../../api/types/batch/v1.js";
import type { Schedule } from "../../machinery/text/cron/calendar-schedule.js";

/** More starts than this missed is worth an event. */
const MANY = 100;

export interface DueTimes {
  /** When the CronJob last had a start, or was created. Milliseconds, as all times here. */
  readonly since: number;
  /** The last start after that and up to now; undefined when there was none. */
  readonly due: number | undefined;
  readonly missed: "none" | "few" | "many";
}

/**
 * Returns the start of a CronJob that is due. `withinDeadline`: only if startingDeadlineSeconds still allows it. Throws for a
 * schedule that never matches ("0 0 31 2 *").
 */
export function dueTimes(cronJob: CronJob, schedule: Schedule, now: number, withinDeadline: boolean): DueTimes {
  const { spec, status, metadata } = cronJob;
  const last = status?.lastScheduleTime ?? metadata?.creationTimestamp;
  let since = last == null ? now : Date.parse(last);
  if (withinDeadline && spec.startingDeadlineSeconds !== undefined) {
    since = Math.max(since, now - Number(spec.startingDeadlineSeconds) * 1000);
  }
  const first = schedule.next(since);
  if (first !== undefined && now < first) return { since, due: undefined, missed: "none" };
  const second = first === undefined ? undefined : schedule.next(first);
  if (second !== undefined && now < second) return { since, due: first, missed: "none" };
  if (first === undefined || second === undefined) {
    throw new Error("time difference between two schedules is less than 1 second");
  }
  const between = second - first;
  const count = Math.floor((now - first) / between) + 1;
  // A schedule need not be regular: from one interval before the last start that there would be if it were.
  let due: number | undefined;
  let next = schedule.next(first + (count - 2) * between);
  while (next !== undefined && next <= now) {
    due = next;
    next = schedule.next(next);
  }
  return { since, due, missed: count > MANY ? "many" : "few" };
}

/** The milliseconds until the next start after now; undefined when there is none. */
export function nextStartIn(cronJob: CronJob, schedule: Schedule, now: number): number | undefined {
  const next = schedule.next(lastStart(cronJob, schedule, now));
  return next === undefined ? undefined : Math.max(0, next - now);
}

function lastStart(cronJob: CronJob, schedule: Schedule, now: number): number {
  try {
    const { since, due, missed } = dueTimes(cronJob, schedule, now, false);
    return due ?? (missed === "none" ? since : now);
  } catch {
    return now;
  }
}
