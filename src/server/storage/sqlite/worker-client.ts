import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { type Deferred, deferred } from "../../../base/deferred.js";
import { DataDirectoryError } from "./data-directory-error.js";
import type { CallName, Calls, Greeting, Response, WorkerSettings } from "./protocol.js";
import { sqliteWorkerLocation } from "./worker-location.js";

/** Our end of the database thread. */
export class WorkerClient {
  #nextId = 1;
  #failure: Error | undefined;
  readonly #calls = new Map<number, Deferred<Response>>();
  readonly exited: Promise<void>;

  private constructor(private readonly worker: Worker) {
    const exited = deferred<void>();
    this.exited = exited.promise;
    worker.on("message", (message: Response) => this.#settle(message));
    worker.on("error", (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", (code) => {
      this.#fail(new Error(`the storage thread ended (code ${code})`));
      exited.resolve();
    });
  }

  /** Resolves when the database is open; throws {@link DataDirectoryError} when it cannot be. */
  static async start(
    settings: Omit<WorkerSettings, "libsql" | "processId">,
  ): Promise<{ client: WorkerClient; opened: Extract<Greeting, { kind: "opened" }> }> {
    const workerData: WorkerSettings = { ...settings, libsql: findLibsql(), processId: process.pid };
    // The runtime's SQLite announces itself as experimental on stderr.
    const worker = new Worker(await sqliteWorkerLocation(), { workerData, execArgv: ["--no-warnings"] });
    const greeting = await firstMessage(worker);
    if (greeting.kind === "refused") {
      await worker.terminate();
      throw new DataDirectoryError(greeting.problem, greeting.message);
    }
    return { client: new WorkerClient(worker), opened: greeting };
  }

  async call<N extends CallName>(name: N, ask: Calls[N]["ask"]): Promise<Calls[N]["answer"]> {
    if (this.#failure !== undefined) throw this.#failure;
    const id = this.#nextId++;
    const call = deferred<Response>();
    this.#calls.set(id, call);
    this.worker.postMessage({ id, name, ask });
    const response = await call.promise;
    if ("failure" in response) throw new Error(`storage: ${response.failure}`);
    return response.answer;
  }

  #settle(response: Response): void {
    const call = this.#calls.get(response.id);
    this.#calls.delete(response.id);
    call?.resolve(response);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const call of this.#calls.values()) call.reject(this.#failure);
    this.#calls.clear();
  }
}

function firstMessage(worker: Worker): Promise<Greeting> {
  return new Promise((resolve, reject) => {
    worker.once("message", (greeting: Greeting) => {
      worker.off("error", reject);
      resolve(greeting);
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
