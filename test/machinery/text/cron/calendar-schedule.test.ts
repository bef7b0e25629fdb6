import { describe, expect, test } from "vitest";
import { parseSchedule, scheduleError } from "../../../../src/machinery/text/cron/parse-schedule.js";

/** The next start after a time, both as the zone's clocks would show them in RFC 3339. */
function next(schedule: string, after: string, zone?: string): string {
  const time = parseSchedule(schedule, zone).next(Date.parse(after));
  return time === undefined ? "never" : `${new Date(time).toISOString().slice(0, 19)}Z`;
}

const same = (time: string) => `${new Date(time).toISOString().slice(0, 19)}Z`;

describe("the next time of a cron schedule", () => {
  test.each([
    ["* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"],
    ["* * * * *", "2026-01-01T00:00:59.999Z", "2026-01-01T00:01:00Z"],
    ["* * * * *", "2026-12-31T23:59:30Z", "2027-01-01T00:00:00Z"],
    ["*/15 * * * *", "2026-01-01T00:14:59Z", "2026-01-01T00:15:00Z"],
    ["*/15 * * * *", "2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z"],
    ["*/15 * * * *", "2026-01-01T00:45:00Z", "2026-01-01T01:00:00Z"],
    ["5/20 * * * *", "2026-01-01T00:06:00Z", "2026-01-01T00:25:00Z"],
    ["20-35/15 * * * *", "2026-01-01T00:20:00Z", "2026-01-01T00:35:00Z"],
    ["0 9-17 * * mon-fri", "2026-01-02T17:00:00Z", "2026-01-05T09:00:00Z"],
    ["0 9 * * MON", "2026-01-01T00:00:00Z", "2026-01-05T09:00:00Z"],
    ["30 6-16/4 * * 1-5", "2026-01-01T14:30:00Z", "2026-01-02T06:30:00Z"],
    ["0 0 1 jan,jul *", "2026-01-01T00:00:00Z", "2026-07-01T00:00:00Z"],
    ["0 0 31 * *", "2026-01-31T00:00:00Z", "2026-03-31T00:00:00Z"],
    ["0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"],
    ["0 0 31 2 *", "2026-01-01T00:00:00Z", "never"],
    ["0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
    ["0 0 13 * 5", "2026-01-09T00:00:00Z", "2026-01-13T00:00:00Z"],
    ["0 0 13 * */2", "2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"],
    ["0 0 ? * 0", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"],
    ["1,,3 * * * *", "2026-01-01T00:01:00Z", "2026-01-01T00:03:00Z"],
    ["@yearly", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["@annually", "2026-05-01T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["@monthly", "2026-01-31T12:00:00Z", "2026-02-01T00:00:00Z"],
    ["@weekly", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"],
    ["@daily", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
    ["@midnight", "2026-01-01T23:59:59Z", "2026-01-02T00:00:00Z"],
    ["@hourly", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"],
    ["@every 90s", "2026-01-01T00:00:10.5Z", "2026-01-01T00:01:40Z"],
    ["@every 1h30m", "2026-01-01T00:00:10Z", "2026-01-01T01:30:10Z"],
    ["@every 10ms", "2026-01-01T00:00:10Z", "2026-01-01T00:00:11Z"],
    ["TZ=Asia/Kolkata 0 9 * * *", "2026-01-01T00:00:00Z", "2026-01-01T03:30:00Z"],
    ["CRON_TZ=UTC 0 9 * * *", "2026-01-01T00:00:00Z", "2026-01-01T09:00:00Z"],
  ])("of %s after %s is %s", (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });

  test.each([
    ["0 9 * * *", "Europe/Paris", "2026-01-01T12:00:00+01:00", "2026-01-02T09:00:00+01:00"],
    ["0 9 * * *", "Europe/Paris", "2026-03-28T12:00:00+01:00", "2026-03-29T09:00:00+02:00"],
    // Clocks go from 02:00 to 03:00.
    ["30 2 * * *", "America/New_York", "2012-03-10T12:00:00-05:00", "2012-03-12T02:30:00-04:00"],
    ["30 2 11 3 *", "America/New_York", "2012-03-11T00:00:00-05:00", "2013-03-11T02:30:00-04:00"],
    ["0 * * * *", "America/New_York", "2012-03-11T01:00:00-05:00", "2012-03-11T03:00:00-04:00"],
    ["*/30 * * * *", "America/New_York", "2012-03-11T01:30:00-05:00", "2012-03-11T03:00:00-04:00"],
    ["0 4 * * *", "America/New_York", "2012-03-10T12:00:00-05:00", "2012-03-11T04:00:00-04:00"],
    // Clocks go from 02:00 back to 01:00.
    ["0 1 * * *", "America/New_York", "2012-11-04T00:00:00-04:00", "2012-11-04T01:00:00-04:00"],
    ["0 1 * * *", "America/New_York", "2012-11-04T01:00:00-04:00", "2012-11-04T01:00:00-05:00"],
    ["0 1 * * *", "America/New_York", "2012-11-04T01:00:00-05:00", "2012-11-05T01:00:00-05:00"],
    ["0 * * * *", "America/New_York", "2012-11-04T00:00:00-04:00", "2012-11-04T01:00:00-04:00"],
    ["30 1 4 11 *", "America/New_York", "2012-11-04T00:00:00-04:00", "2012-11-04T01:30:00-04:00"],
    ["0 2 * * *", "America/New_York", "2012-11-04T00:00:00-04:00", "2012-11-04T02:00:00-05:00"],
    // Clocks go from midnight to 01:00: the day has no midnight.
    ["0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00-03:00", "2018-11-05T00:00:00-02:00"],
    ["0 2 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00-03:00", "2018-11-04T02:00:00-02:00"],
    ["0 0 15 * *", "Asia/Kathmandu", "2026-01-01T00:00:00+05:45", "2026-01-15T00:00:00+05:45"],
    ["15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00+10:30", "2026-10-05T02:15:00+11:00"],
  ])("of %s in %s after %s is %s", (schedule, zone, after, expected) => {
    expect(next(schedule, after, zone)).toBe(same(expected));
  });

  test.each([
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["@every", "unrecognized descriptor: @every"],
    ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["TZ=Mars/Base 0 0 * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"],
  ])("cannot be computed for the invalid %s: %s", (schedule, error) => {
    expect(scheduleError(schedule)).toBe(error);
    expect(() => parseSchedule(schedule)).toThrow(error);
  });

  test("is each minute of a day once for * * * * *", () => {
    const schedule = parseSchedule("* * * * *", "Europe/Paris");
    const begin = Date.UTC(2026, 2, 28, 23);
    const times = [begin];
    while (times.length <= 23 * 60) times.push(schedule.next(times.at(-1) ?? 0) ?? 0);
    expect(times).toEqual(times.map((_, minute) => begin + minute * 60_000));
  });
});
