import { afterAll, beforeAll, describe } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemTimers } from "../../../src/base/time/timers.js";
import type { Kv } from "../../../src/server/storage/kv.js";
import {
  openTestKv,
  postgresMissing,
  type PostgresServer,
  startPostgres,
  tellPostgresMissing,
} from "../../helpers/postgres.js";
import { lend } from "../../model/lent-kv.js";
import { listWatchSuite } from "../../suites/list-watch/runner/suite.js";

tellPostgresMissing("the suite of lists and watches over PostgreSQL");

describe.skipIf(postgresMissing !== undefined)("PostgreSQL", () => {
  let server: PostgresServer;
  let kv: Kv;
  beforeAll(async () => {
    server = await startPostgres(["fsync=off"]);
    kv = await openTestKv(server, { clock: systemClock, timers: systemTimers });
  });
  afterAll(async () => {
    await kv.close();
    await server.dispose();
  });

  // One store for all: connections cost more than most of the tests.
  listWatchSuite("postgres", () => ({
    open: async () => lend(kv),
    async dispose() {
      const { items } = await kv.list("");
      await Promise.all(items.map(({ key, revision }) => kv.delete(key, revision).catch(() => {})));
    },
  }));
});
