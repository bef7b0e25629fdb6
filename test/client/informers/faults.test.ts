import { describe, test } from "vitest";
import { playHistory } from "../../faults/informers/play-history.js";
import { memoryStage, sqliteStage } from "../../faults/informers/stages.js";

const BUSY_MACHINE = 180_000;

// The short form of test/faults/informers.test.ts.
describe("informers whose server fails at random moments hold the server's objects, and call handlers in a legal sequence", () => {
  test("on memory storage, where a restart loses the history of changes", { timeout: BUSY_MACHINE }, () =>
    playHistory(memoryStage(), {
      seed: "memory, short",
      events: 4000,
      eventsPerRound: 1000,
      disasters: ["none", "clock forward", "lost history", "clock back"],
    }),
  );

  test("on SQLite storage, with a restart, and with an older backup put back", { timeout: BUSY_MACHINE }, () =>
    playHistory(sqliteStage(), {
      seed: "SQLite, short",
      events: 4000,
      eventsPerRound: 1000,
      disasters: ["restart", "none", "lost history", "clock forward"],
    }),
  );
});
