import { fileURLToPath, pathToFileURL } from "node:url";
import { installHint } from "../../../base/files/own-program.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { DataDirectoryError } from "./data-directory-error.js";

/** The part of better-sqlite3's API that node:sqlite and libsql share. */
export interface SqlDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqlStatement;
  close(): void;
}

export type SqlValue = number | string | Uint8Array | null;

export interface SqlStatement {
  run(...values: SqlValue[]): unknown;
  get(...values: SqlValue[]): SqlRow | undefined;
  all(...values: SqlValue[]): SqlRow[];
}

export type SqlRow = Readonly<Record<string, unknown>>;

/** Opens a database file. With `readOnly` neither the file nor its log changes, not even on close. */
export type SqlOpener = (file: string, options?: { readonly readOnly?: boolean }) => SqlDatabase;

type DatabaseClass = new (file: string, options?: object) => SqlDatabase;

/** Loads Node's own SQLite, or else the `libsql` package from the given URL. */
export async function loadDriver(libsql: string | undefined): Promise<SqlOpener> {
  const builtin = (await importIfThere("node:sqlite")) as { DatabaseSync?: DatabaseClass } | undefined;
  const Builtin = builtin?.DatabaseSync;
  if (Builtin !== undefined) {
    return (file, { readOnly = false } = {}) => (readOnly ? new Builtin(file, { readOnly }) : new Builtin(file));
  }
  if (libsql === undefined) throw noDriver(installHint(fileURLToPath(import.meta.url), "libsql"));
  try {
    const { default: Libsql } = (await import(libsql)) as { default: DatabaseClass };
    // libsql ignores the option `readOnly`, but not the URL parameter.
    return (file, options) => new Libsql(options?.readOnly === true ? `${pathToFileURL(file).href}?mode=ro` : file);
  } catch (error) {
    const [reason = ""] = errorMessage(error).split("\n");
    throw noDriver(`the package libsql cannot be loaded (${reason}); install it anew`);
  }
}

const noDriver = (remedy: string): DataDirectoryError =>
  new DataDirectoryError(
    "no-driver",
    `disk storage needs SQLite, which Node.js ${process.versions.node} does not have: ${remedy}, use Node.js 22.13 or newer, or keep objects in memory (--storage=memory), where they last as long as the cluster runs`,
  );

async function importIfThere(specifier: string): Promise<unknown> {
  try {
    return (await import(specifier)) as unknown;
  } catch {
    return undefined;
  }
}

/** Drivers return blobs as Uint8Array, Buffer or ArrayBuffer. The result is a copy. */
export function blob(value: unknown): Uint8Array {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof Uint8Array) {
    return value.byteLength === value.buffer.byteLength
      ? new Uint8Array(value.buffer, 0, value.byteLength)
      : Uint8Array.from(value);
  }
  return new Uint8Array();
}

export function integer(row: SqlRow | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" ? value : 0;
}
