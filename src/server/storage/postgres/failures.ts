import type { DatabaseError } from "pg";
import { errorMessage } from "../../../base/text/error-message.js";
import { UnavailableError } from "../kv.js";

/** Classes of SQLSTATE by which PostgreSQL says that the connection or the server is going or gone. */
const LOST = /^(?:08|57P)/;
/** Deadlocks and lost races of transactions: nothing was done, and another try may succeed. */
const AGAIN: readonly string[] = ["40001", "40P01"];
const READ_ONLY = "25006";
/** Names of a function or a table that somebody removed. */
const UNDEFINED: readonly string[] = ["42P01", "42883"];

const sqlState = (error: unknown): string | undefined => {
  const { code } = error as Partial<DatabaseError>;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
};

/** Whether the database's answer was lost, so that the statement may have been executed. */
export function isLost(error: unknown): boolean {
  const code = sqlState(error);
  return code === undefined || LOST.test(code);
}

/** Whether PostgreSQL has rolled back, and another attempt may succeed. */
export const mayTryAgain = (error: unknown): boolean => AGAIN.includes(sqlState(error) ?? "");

/** The error for callers. `outcome` is "unknown" where a write may have been executed. */
export function unavailable(error: unknown, outcome: UnavailableError["outcome"] = "not-done"): UnavailableError {
  if (error instanceof UnavailableError) return error;
  return new UnavailableError(`PostgreSQL: ${reasonOf(error)}`, outcome);
}

/** Describes a database error, and what to do about it where that is known. */
export function reasonOf(error: unknown): string {
  const code = sqlState(error);
  const message = errorMessage(error);
  if (code === READ_ONLY) return `${message}: the server is a standby in recovery; use the address of the primary`;
  if (code === "3F000") return `${message}: make it with CREATE SCHEMA, or grant the user USAGE on it`;
  if (code === "42501") return `${message}: grant the user CREATE and USAGE on the schema`;
  if (code === "3D000") return `${message}: make it with: createdb`;
  if (code !== undefined && UNDEFINED.includes(code)) return `${message}: the tables of this cluster were removed`;
  if (message !== "") return message;
  // A host name with several addresses, none of which answers.
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return first === undefined ? "the connection failed" : errorMessage(first);
}
