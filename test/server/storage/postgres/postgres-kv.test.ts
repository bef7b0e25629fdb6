import { afterAll, beforeAll, describe } from "vitest";
import {
  postgresMissing,
  type PostgresServer,
  postgresUnderTest,
  startPostgres,
  tellPostgresMissing,
} from "../../../helpers/postgres.js";
import { kvSuite } from "../../../suites/kv.js";
import { storeSuite } from "../../../suites/store.js";

tellPostgresMissing("the suite of PostgreSQL storage");

describe.skipIf(postgresMissing !== undefined)("the storage tests on PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(["fsync=off"]);
  });
  afterAll(() => server.dispose());

  kvSuite("postgres", () => postgresUnderTest(() => server));
  storeSuite("postgres", () => postgresUnderTest(() => server));
});
