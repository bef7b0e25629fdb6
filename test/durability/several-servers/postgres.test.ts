import { postgresMissing, startPostgres, tellPostgresMissing } from "../../helpers/postgres.js";
import { threeServersTest } from "./three-servers.js";

tellPostgresMissing("several servers on one PostgreSQL");

threeServersTest({
  name: "PostgreSQL",
  missing: postgresMissing,
  seconds: 25,
  async start() {
    const postgres = await startPostgres();
    return {
      settings: { storage: await postgres.database("servers") },
      async disturb() {
        const kubets = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kubets'";
        await postgres.query("postgres", kubets);
      },
      dispose: () => postgres.dispose(),
    };
  },
});
