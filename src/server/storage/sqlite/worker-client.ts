import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { type Deferred, deferred } from "../../../base/async/deferred.js";
import { DataDirectoryError } from "./data-directory-error.js";
import { outside } from "../../../base/async/turns.js";
import type { CallName, Calls, Greeting, Response, WorkerSettings } from "./protocol.js";
import { workerLocation } from "../../threads/worker-location.js";

/** The main thread's client of the database thread. */
export class WorkerClient {
  #nextId = 1;
  #failure: Error | undefined;
  readonly #calls = new Map<number, Deferred<Response>>();
  readonly exited: Promise<void>;

  private constructor(private readonly worker: Worker) {
    const exited = deferred<void>();
    this.exited = exited.promise;
    worker.on("message", (responses: readonly Response[]) => this.#settle(responses));
    worker.on("error", (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", (code) => {
      this.#fail(new Error(`the storage thread ended (code ${code})`));
      exited.resolve();
    });
  }

  /** Resolves when the database is open. Throws {@link DataDirectoryError} when it cannot be opened. */
  static async start(
    settings: Omit<WorkerSettings, "libsql" | "processId" | "location" | "check">,
  ): Promise<{ client: WorkerClient; opened: Extract<Greeting, { kind: "opened" }> }> {
    const worker = await startWorker({ ...settings, check: false });
    const greeting = await firstMessage<Greeting>(worker);
    if (greeting.kind === "refused") {
      await worker.terminate();
      throw new DataDirectoryError(greeting.problem, greeting.message);
    }
    return { client: new WorkerClient(worker), opened: greeting };
  }

  /** Makes a call. The thread serves calls in order. */
  async call<N extends CallName>(name: N, ask: Calls[N]["ask"]): Promise<Calls[N]["answer"]> {
    if (this.#failure !== undefined) throw this.#failure;
    const id = this.#nextId++;
    const call = deferred<Response>();
    this.#calls.set(id, call);
    this.worker.postMessage({ id, name, ask });
    const response = await outside(call.promise);
    if (!("failure" in response)) return response.answer;
    const { message, problem } = response.failure;
    throw problem === undefined ? new Error(message) : new DataDirectoryError(problem, message);
  }

  #settle(responses: readonly Response[]): void {
    for (const response of responses) {
      this.#calls.get(response.id)?.resolve(response);
      this.#calls.delete(response.id);
    }
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const call of this.#calls.values()) call.reject(this.#failure);
    this.#calls.clear();
  }
}

/** Starts the thread for one answer and resolves when the thread has ended. */
export async function askOnce<T>(settings: Omit<WorkerSettings, "libsql" | "processId" | "location">): Promise<T> {
  const worker = await startWorker(settings);
  const exited = new Promise((resolve) => worker.once("exit", resolve));
  const answer = await firstMessage<T>(worker);
  await exited;
  return answer;
}

async function startWorker(settings: Omit<WorkerSettings, "libsql" | "processId" | "location">): Promise<Worker> {
  const location = await workerLocation("sqlite-worker", "storage/sqlite/sqlite-worker");
  const workerData: WorkerSettings = {
    ...settings,
    libsql: findLibsql(),
    processId: process.pid,
    location: location.href,
  };
  // Without it Node prints a warning that its SQLite is experimental.
  return new Worker(location, { workerData, execArgv: ["--no-warnings"] });
}

function firstMessage<T>(worker: Worker): Promise<T> {
  return new Promise((resolve, reject) => {
    worker.once("message", (message: T) => {
      worker.off("error", reject);
      resolve(message);
    });
    worker.once("error", reject);
  });
}

function findLibsql(): string | undefined {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve("libsql")).href;
  } catch {
    return undefined;
  }
}
