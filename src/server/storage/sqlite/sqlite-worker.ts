/**
 * The thread that owns the database. A build emits this file as an entry point named sqlite-worker.js, beside the
 * module that holds worker-location.ts.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { DataDirectoryError } from "./data-directory-error.js";
import { SqliteDatabase } from "./database.js";
import { type HeldDirectory, holdDirectory } from "./directory.js";
import { loadDriver } from "./driver.js";
import type { Calls, Greeting, Request, Response, WorkerSettings } from "./protocol.js";

/** A write-ahead log larger than this is folded into the database. */
const LOG_BYTES = 4 * 2 ** 20;

async function start(port: MessagePort, settings: WorkerSettings): Promise<void> {
  let held: HeldDirectory;
  try {
    held = holdDirectory(settings.directory, await loadDriver(settings.libsql), settings.processId);
  } catch (error) {
    if (!(error instanceof DataDirectoryError)) throw error;
    greet(port, { kind: "refused", problem: error.problem, message: error.message });
    return;
  }
  if (settings.maxBytes !== undefined) {
    held.db.prepare(`PRAGMA max_page_count = ${Math.ceil(settings.maxBytes / 4096)}`).get();
  }
  const database = new SqliteDatabase(held.db);
  greet(port, { kind: "opened", revision: database.revision, expiring: database.expiring() });
  port.on("message", (request: Request) => {
    port.postMessage(respond(database, held, request));
    if (request.name === "close") port.close();
    else if (held.logBytes() > LOG_BYTES) database.fold();
  });
}

function greet(port: MessagePort, greeting: Greeting): void {
  port.postMessage(greeting);
}

function respond(database: SqliteDatabase, held: HeldDirectory, request: Request): Response {
  const { id } = request;
  try {
    return { id, answer: serve(database, held, request) };
  } catch (error) {
    return { id, failure: error instanceof Error ? error.message : String(error) };
  }
}

function serve(database: SqliteDatabase, held: HeldDirectory, request: Request): Calls[keyof Calls]["answer"] {
  switch (request.name) {
    case "write":
      return database.write(request.ask);
    case "get":
      return { kv: database.get(request.ask), revision: database.revision };
    case "list":
      return database.list(request.ask);
    case "count":
      return database.count(request.ask);
    case "events":
      return database.events(request.ask);
    case "compact":
      return database.compact(request.ask);
    case "close":
      database.fold();
      held.release();
      return undefined;
  }
}

if (parentPort !== null) await start(parentPort, workerData as WorkerSettings);
