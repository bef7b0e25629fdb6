import { afterAll, beforeAll } from "vitest";
import {
  openTestKv,
  postgresMissing,
  type PostgresServer,
  startPostgres,
  tellPostgresMissing,
} from "../helpers/postgres.js";
import type { ManualTime } from "../helpers/manual-time.js";
import { modelTest } from "./runner.js";
import type { StoreUnderTest } from "./store-under-test.js";

let server: PostgresServer;

tellPostgresMissing("the model test of PostgreSQL");

beforeAll(async () => {
  if (postgresMissing === undefined) server = await startPostgres();
});
afterAll(() => server?.dispose());

modelTest("postgres", {
  operations: 5_000,
  killable: true,
  skip: postgresMissing,
  open: async ({ time }) => postgresStore(server, `model_${++stores}`, time),
});

let stores = 0;

/** A database: every user has connections of its own, as servers of one database do. */
function postgresStore(postgres: PostgresServer, name: string, time: ManualTime): StoreUnderTest {
  let running = true;
  return {
    async start() {
      if (!running) await postgres.restart();
      running = true;
    },
    connect: () => openTestKv(postgres, { clock: time, timers: time }, name),
    async stop() {},
    async kill() {
      running = false;
      await postgres.kill();
    },
    async dispose() {
      await this.start(false);
    },
  };
}
