import { StorageError } from "../storage-schemes.js";
import type { Database } from "./database.js";
import { CREATE_SCHEMA, SCHEMA_VERSION } from "./schema.js";

/** Servers that start at once make the tables one after the other. The number is this program's own. */
const LOCK = "SELECT pg_advisory_xact_lock(7236845501)";

/** How long a server that starts waits for a database that starts, in milliseconds. */
const PATIENCE = 5000;

/** Creates the tables if they do not exist, unless they `mustExist`. Rejects for a database that cannot be used, and leaves it unchanged. */
export async function makeSchema(database: Database, mustExist = false): Promise<void> {
  const { client } = await database.again(() => database.connect(), PATIENCE);
  try {
    const { rows } = await client.query<{ encoding: string; recovering: boolean; found: string | null }>(
      "SELECT current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS recovering, to_regclass('kubets_state')::text AS found",
    );
    const [{ encoding, recovering, found } = { encoding: "", recovering: false, found: null }] = rows;
    if (encoding !== "UTF8") {
      throw new StorageError(
        `the database has the encoding ${encoding}; make one with UTF8: createdb --encoding=UTF8 --template=template0 NAME`,
      );
    }
    if (found === null) {
      if (mustExist) throw new StorageError("the database has no tables of kubets in the schema of the URL");
      if (recovering) throw new StorageError("the database is a standby in recovery; use the address of the primary");
      await client.query(`BEGIN; ${LOCK}; ${CREATE_SCHEMA}; COMMIT`);
    }
    const { rows: states } = await client.query<{ version: number }>("SELECT version FROM kubets_state");
    const version = states[0]?.version ?? SCHEMA_VERSION;
    if (version !== SCHEMA_VERSION) {
      throw new StorageError(
        `the database has tables of version ${version}, and this kubets knows version ${SCHEMA_VERSION}; use the kubets that made them, or another database`,
      );
    }
  } finally {
    await client.end().catch(() => {});
  }
}
