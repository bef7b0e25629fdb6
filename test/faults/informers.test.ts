import { describe, test } from "vitest";
import { etcdMissing, tellEtcdMissing } from "../helpers/etcd.js";
import { playHistory } from "./informers/play-history.js";
import { etcdStage, memoryStage, sqliteStage } from "./informers/stages.js";

tellEtcdMissing("The informers' history on etcd");

const LONG = 900_000;

/** CI plays 20,000 events, with every disaster once; KUBETS_WHOLE_HISTORY=1 plays 200,000, in six minutes of one core. */
const [SHARE, EVENTS_PER_ROUND] = process.env.KUBETS_WHOLE_HISTORY === undefined ? [0.1, 1000] : [1, 2000];

describe("informers whose server fails at random moments hold the server's objects, and call handlers in a legal sequence", () => {
  test("on memory storage, where a restart loses the history of changes", { timeout: LONG }, () =>
    playHistory(memoryStage(), {
      seed: "memory",
      events: 100_000 * SHARE,
      eventsPerRound: EVENTS_PER_ROUND,
      disasters: ["none", "clock forward", "lost history", "clock back"],
    }),
  );

  test("on SQLite storage, with restarts, and with an older backup put back", { timeout: LONG }, () =>
    playHistory(sqliteStage(), {
      seed: "SQLite",
      events: 60_000 * SHARE,
      eventsPerRound: EVENTS_PER_ROUND,
      disasters: ["restart", "lost history", "clock forward", "none", "clock back"],
    }),
  );

  test.skipIf(etcdMissing !== undefined)("on etcd, with restarts of the server", { timeout: LONG }, async () =>
    playHistory(await etcdStage(), {
      seed: "etcd",
      events: 40_000 * SHARE,
      eventsPerRound: EVENTS_PER_ROUND,
      disasters: ["restart", "clock forward", "none", "clock back"],
    }),
  );
});
