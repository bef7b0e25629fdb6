/**
 * The worker thread that owns the database. The build emits this file as an entry point named sqlite-worker.js, beside the
 * modules that start it.
 */
import { once } from "node:events";
import { type MessagePort, parentPort, receiveMessageOnPort, Worker, workerData } from "node:worker_threads";
import { errorMessage } from "../../../base/text/error-message.js";
import { checkStore, UnreadableObjectError } from "./check-store.js";
import { Commits } from "./commits.js";
import { DataDirectoryError, damagedDirectory, failedWrite } from "./data-directory-error.js";
import { SqliteDatabase } from "./database.js";
import { type HeldDirectory, holdDirectory, inspectWithLog } from "./directory.js";
import { loadDriver } from "./driver.js";
import type {
  PackedValues,
  Calls,
  CheckReport,
  Failure,
  Greeting,
  InspectSettings,
  Refusal,
  Request,
  Response,
  WorkerSettings,
} from "./protocol.js";
import { speaksOfDamage, type Verdict } from "./schema.js";

/** The writes of one commit at most. */
const BATCH = 500;
/** A write-ahead log larger than this is checkpointed even while writes wait. */
const LOG_BYTES = 4 * 2 ** 20;
/** A log of this size is checkpointed when the thread is idle, so that a write rarely waits for it. */
const IDLE_FOLD_BYTES = 256 * 1024;
const IDLE_MILLISECONDS = 1000;

type WriteCall = Extract<Request, { name: "write" }>;

async function start(port: MessagePort, settings: WorkerSettings): Promise<void> {
  try {
    const held = await holdDirectory(settings.directory, {
      open: await loadDriver(settings.libsql),
      processId: settings.processId,
      inspectApart: (file) => inspectApart(settings, file),
      inspectAll: settings.check,
    });
    if (settings.check) check(port, held);
    else serve(port, held, settings);
  } catch (error) {
    if (!(error instanceof DataDirectoryError)) throw error;
    const refusal: Refusal = { kind: "refused", problem: error.problem, message: error.message };
    port.postMessage(refusal);
  }
}

function serve(port: MessagePort, held: HeldDirectory, { maxBytes }: WorkerSettings): void {
  if (maxBytes !== undefined) held.db.prepare(`PRAGMA max_page_count = ${Math.ceil(maxBytes / 4096)}`).get();
  const database = new SqliteDatabase(held.db);
  recover(database, held);
  const greeting: Greeting = { kind: "opened", revision: database.revision, expiring: database.expiring() };
  port.postMessage(greeting);
  const server = new DatabaseServer(port, database, held);
  port.on("message", (first: Request) => server.serve([first, ...queued(port)]));
}

function check(port: MessagePort, held: HeldDirectory): void {
  const database = new SqliteDatabase(held.db);
  const lost = recover(database, held);
  let report: CheckReport;
  try {
    report = checkStore(database, held, lost);
  } catch (error) {
    held.release({ settled: false });
    throw problemOf(held, error);
  }
  held.release({ settled: true });
  port.postMessage(report);
}

function problemOf(held: HeldDirectory, error: unknown): DataDirectoryError {
  const message = errorMessage(error);
  return error instanceof UnreadableObjectError || speaksOfDamage(message)
    ? damagedDirectory(held.path, message)
    : failedWrite(held.path, message);
}

async function inspectApart({ location, libsql }: WorkerSettings, file: string): Promise<Verdict> {
  const settings: InspectSettings = { inspect: file, libsql };
  const worker = new Worker(new URL(location), { workerData: settings, execArgv: ["--no-warnings"] });
  const [[verdict]] = await Promise.all([once(worker, "message"), once(worker, "exit")]);
  return verdict as Verdict;
}

/**
 * Skips the revisions of acknowledged writes that a truncated log has lost, so that they are not given out again. Returns
 * the last lost revision.
 */
function recover(database: SqliteDatabase, held: HeldDirectory): number | undefined {
  const acknowledged = held.acknowledged.read();
  const lost = acknowledged > database.revision ? acknowledged : undefined;
  try {
    database.skip(acknowledged);
  } catch (error) {
    held.release({ settled: false });
    throw failedWrite(held.path, errorMessage(error));
  }
  held.acknowledged.write(database.revision);
  return lost;
}

/** Yields the requests that arrived while the thread was busy. */
function* queued(port: MessagePort): Generator<Request> {
  for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
    yield next.message as Request;
  }
}

/** Serves requests in order. Consecutive writes share a commit. */
class DatabaseServer {
  readonly #commits: Commits;
  #idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly port: MessagePort,
    private readonly database: SqliteDatabase,
    private readonly held: HeldDirectory,
  ) {
    this.#commits = new Commits(database, held);
  }

  serve(requests: readonly Request[]): void {
    let writes: WriteCall[] = [];
    let size = 0;
    const commit = (): void => {
      if (writes.length > 0) this.#write(writes);
      [writes, size] = [[], 0];
    };
    for (const request of requests) {
      if (request.name !== "write") {
        commit();
        this.#answer(request);
        if (request.name === "close") {
          clearTimeout(this.#idle);
          return;
        }
        continue;
      }
      if (size + request.ask.length > BATCH) commit();
      writes.push(request);
      size += request.ask.length;
    }
    commit();
    this.#foldInTime();
  }

  /** Checkpoints now when the log is too large, or else when the thread is idle. */
  #foldInTime(): void {
    const unfolded = this.#commits.unfolded;
    if (unfolded > LOG_BYTES) this.#commits.fold();
    else if (unfolded > IDLE_FOLD_BYTES && this.#idle === undefined) {
      this.#idle = setTimeout(() => {
        this.#idle = undefined;
        this.#commits.fold();
      }, IDLE_MILLISECONDS);
    } else this.#idle?.refresh();
  }

  #write(calls: readonly WriteCall[]): void {
    let responses: readonly Response[];
    try {
      const results = this.#commits.write(calls.flatMap(({ ask }) => ask));
      let from = 0;
      responses = calls.map(({ id, ask }) => ({ id, answer: results.slice(from, (from += ask.length)) }));
    } catch (error) {
      const failure = this.#failure(error);
      responses = calls.map(({ id }) => ({ id, failure }));
    }
    this.port.postMessage(responses);
  }

  #answer(request: Exclude<Request, WriteCall>): void {
    const { id } = request;
    let response: Response;
    try {
      response = { id, answer: this.#ask(request) };
    } catch (error) {
      response = { id, failure: this.#failure(error) };
    }
    this.port.postMessage([response], buffers(response));
    if (request.name === "close") this.port.close();
  }

  #ask(request: Exclude<Request, WriteCall>): Calls[keyof Calls]["answer"] {
    switch (request.name) {
      case "get":
        return { kv: this.database.get(request.ask), revision: this.database.revision };
      case "page":
        return this.database.page(request.ask);
      case "count":
        return this.database.count(request.ask);
      case "events":
        return this.database.events(request.ask);
      case "recent":
        return this.database.recent(request.ask);
      case "compact":
        return this.#commits.compact(request.ask);
      case "expiring":
        return this.database.expiring();
      case "restore":
        this.#commits.restore(request.ask);
        return undefined;
      case "check":
        this.#commits.check();
        return undefined;
      case "close":
        this.#commits.release();
        return undefined;
    }
  }

  #failure(error: unknown): Failure {
    let reason = error;
    const message = errorMessage(error);
    if (!(reason instanceof DataDirectoryError) && speaksOfDamage(message)) {
      reason = damagedDirectory(this.held.path, message);
    }
    if (!(reason instanceof DataDirectoryError)) return { message: `storage: ${message}`, problem: undefined };
    if (reason.problem === "damaged") this.held.distrust();
    return { message: reason.message, problem: reason.problem };
  }
}

/** The buffers to transfer rather than copy. */
function buffers(response: Response): ArrayBuffer[] {
  if (!("answer" in response) || typeof response.answer !== "object" || !("kind" in response.answer)) return [];
  const { answer } = response;
  const of = ({ slabs }: PackedValues): ArrayBuffer[] => slabs.map(({ buffer }) => buffer);
  if (answer.kind === "page") return of(answer.values);
  return answer.kind === "events" ? [...of(answer.values), ...of(answer.previousValues)] : [];
}

async function work(port: MessagePort, settings: WorkerSettings | InspectSettings): Promise<void> {
  if (!("inspect" in settings)) return start(port, settings);
  port.postMessage(inspectWithLog(settings.inspect, await loadDriver(settings.libsql)));
}

if (parentPort !== null) void work(parentPort, workerData as WorkerSettings | InspectSettings);
