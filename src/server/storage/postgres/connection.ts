import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { installHint, isInExecutable } from "../../../base/files/own-program.js";
import type { StorageUrl } from "../../../component/storage-url.js";
import { StorageError } from "../storage-schemes.js";

export type Pg = typeof pg;

/** How long a connection may take, in milliseconds. */
const CONNECT = 10_000;
/** How long the database works on a statement, in milliseconds. */
const STATEMENT = 30_000;

/** Loads the package pg, an optional peer dependency. Throws an error with the install command where it is not installed. */
export function loadPg(): Pg {
  const file = fileURLToPath(import.meta.url);
  try {
    // The package is CommonJS, and no build takes it in.
    return createRequire(file)("pg") as Pg;
  } catch (error) {
    const remedy = isInExecutable(file)
      ? "which the executable does not have; install kubets by npm, with pg beside it"
      : installHint(file, "pg");
    throw new StorageError(`the storage "postgres" needs the package pg: ${remedy}`, { cause: error });
  }
}

/** The options of a connection: those of the URL, then those of the environment variables PGHOST, PGPASSWORD, PGPASSFILE and so on. */
export const connectionOptions = (url: StorageUrl): pg.ClientConfig => ({
  connectionString: url,
  application_name: "kubets",
  connectionTimeoutMillis: CONNECT,
  statement_timeout: STATEMENT,
  // The database ends a statement first, unless the line to it is dead.
  query_timeout: STATEMENT + 5000,
  keepAlive: true,
  types: { getTypeParser: (oid: number) => parserOf(oid) },
});

/** How the types of the statements' columns are read, by their numbers in pg_type; all else stays text. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  /** bool */
  16: (text) => text === "t",
  /** bytea, in hexadecimal digits after \x: pg cannot read binary answers without damage to them. */
  17: (text) => Buffer.from(text.slice(2), "hex"),
  /** int8: revisions and milliseconds, all of them safe integers. */
  20: Number,
  /** int2 */
  21: Number,
  /** int4 */
  23: Number,
};

const parserOf = (oid: number): ((text: string) => unknown) => PARSERS[oid] ?? ((text) => text);
