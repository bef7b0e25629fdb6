import { expect, test } from "vitest";
import { EventLog, type LoggedEvent } from "../../../src/server/storage/event-log.js";
import { FixedClock } from "../../helpers/fixed-clock.js";

const LIMITS = { events: 1_000_000, bytes: Number.POSITIVE_INFINITY, milliseconds: Number.POSITIVE_INFINITY, keep: 0 };

function openLog(weight = 1): EventLog<LoggedEvent> {
  return new EventLog({ clock: new FixedClock(0), floor: 1, limits: LIMITS, weigh: () => weight });
}

const revisions = (events: readonly LoggedEvent[]): number[] => events.map(({ revision }) => revision);

test("a reader of the storage's event log receives whole revisions, and stands at the head when it has all", () => {
  const log = openLog();
  for (const revision of [2, 3, 4]) {
    log.append([
      { revision, key: "/a/x" },
      { revision, key: "/a/y" },
      { revision, key: "/b/x" },
    ]);
  }
  const reader = log.read("/a/", 1);
  expect([revisions(reader.take(3)), reader.position]).toEqual([[2, 2, 3, 3], 3]);
  expect([revisions(reader.take(3)), reader.position]).toEqual([[4, 4], 4]);
  expect(reader.take(3)).toEqual([]);
  log.append([{ revision: 5, key: "/b/x" }]);
  expect([reader.take(3), reader.position]).toEqual([[], 5]);
  log.append([{ revision: 6, key: "/a/x" }]);
  expect([revisions(reader.take(3)), reader.position]).toEqual([[6], 6]);
});

test("a batch of the storage's event log ends when its events are large, not counting other readers' events", () => {
  const log = openLog(600 * 1024);
  for (let revision = 2; revision < 12; revision++) {
    log.append([{ revision, key: revision % 3 === 0 ? "/a/x" : "/b/x" }]);
  }
  const reader = log.read("/a/", 1);
  expect([revisions(reader.take(100)), reader.position]).toEqual([[3, 6], 6]);
  expect([revisions(reader.take(100)), reader.position]).toEqual([[9], 11]);
});

test("readers of the storage's event log continue after a gap when they need none of the lost events", async () => {
  const log = openLog();
  log.append([{ revision: 5, key: "/a/x" }]);
  const behind = log.read("/a/", 4);
  const ahead = log.read("/a/", 9);
  expect(ahead.take(10)).toEqual([]);
  const next = new EventLog<LoggedEvent>({ clock: new FixedClock(0), floor: 8, limits: LIMITS, weigh: () => 1 });
  const waiting = ahead.wait();
  log.handOver(next);
  await waiting;
  expect(ahead.take(10)).toEqual([]);
  next.append([9, 10].map((revision) => ({ revision, key: "/a/x" })));
  expect([revisions(ahead.take(10)), ahead.position]).toEqual([[10], 10]);
  expect(revisions(behind.take(10))).toEqual([5]);
  expect(() => behind.take(10)).toThrow(expect.objectContaining({ requested: 4, compacted: 8 }));
});
