import { afterAll, beforeAll, describe } from "vitest";
import {
  postgresMissing,
  type PostgresServer,
  postgresUnderTest,
  startPostgres,
  tellPostgresMissing,
} from "../../helpers/postgres.js";
import { listWatchSuite } from "../../suites/list-watch/runner/suite.js";

tellPostgresMissing("the suite of lists and watches over PostgreSQL");

describe.skipIf(postgresMissing !== undefined)("lists and watches on PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(["fsync=off"]);
  });
  afterAll(() => server.dispose());

  listWatchSuite("postgres", () => postgresUnderTest(() => server));
});
