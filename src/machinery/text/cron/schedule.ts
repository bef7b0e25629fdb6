/** When something is due. */
export interface Schedule {
  /** The first time after `time`, both in milliseconds since the Unix epoch; undefined when there is none within five years. */
  next(time: number): number | undefined;
}

/** Due each time that `milliseconds` have passed, in whole seconds and at least one. */
export function intervalSchedule(milliseconds: number): Schedule {
  const seconds = Math.max(1, Math.trunc(milliseconds / 1000));
  return { next: (time) => (Math.floor(time / 1000) + seconds) * 1000 };
}
