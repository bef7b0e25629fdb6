import type { Worker } from "node:worker_threads";
import type { RuntimeConfig } from "../../api/facts/index.js";
import type { Clock } from "../../base/clock.js";
import { type Deferred, deferred } from "../../base/deferred.js";
import { BODY_LIMIT } from "../endpoints/negotiation/request-body.js";
import type { StorageMediaType } from "../endpoints/serializers/serializer.js";
import type { LongBodies } from "../generic/director.js";
import type { ApiRequest, Handler } from "../request/api-request.js";
import type { Exchange } from "../request/exchange.js";
import type { Kv } from "../storage/kv.js";
import { workerLocation } from "../threads/worker-location.js";
import { isLongWork, mayBeLong } from "./many-parts.js";
import type { FromThread, Outcome, Task, ThreadSettings, ToThread } from "./protocol.js";
import { answerStoreCall } from "./store-service.js";

/** A thread that nobody needed for so long ends; it takes some tens of megabytes. */
const IDLE_MILLISECONDS = 10_000;

export interface LongBodiesConfig {
  readonly kv: Kv;
  readonly clock: Clock;
  readonly runtimeConfig: RuntimeConfig;
  /** As {@link StorageOptions.upgrades}. */
  readonly upgrades: boolean;
  /** As {@link ThreadSettings.foreign}. */
  readonly foreign: boolean;
  readonly storageMediaType: StorageMediaType;
  readonly reportError: (error: unknown) => void;
}

/**
 * Writes whose bodies hold very many values are decoded, checked and encoded in a thread of their own, so that nobody
 * else waits for them. The thread is another API server over the same store: what one of them writes, the other sees, and what
 * both change at once, one of them changes again.
 */
export class LongBodiesThread implements LongBodies {
  readonly #tasks = new Map<number, Deferred<Outcome>>();
  #worker: Promise<Worker> | undefined;
  /** Of {@link #worker}, once it is made: one that was let go says nothing about the tasks of the next. */
  #current: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #nextId = 1;

  constructor(private readonly config: LongBodiesConfig) {}

  mayTake({ exchange }: ApiRequest): boolean {
    return mayBeLong(exchange, BODY_LIMIT);
  }

  /** Answers a write: by `handle`, unless its body is long work. */
  async answer(request: ApiRequest, handle: Handler): Promise<void> {
    const { exchange } = request;
    const body = await exchange.body(BODY_LIMIT);
    if (!isLongWork(body, exchange)) return handle(request.with({ exchange: withBody(exchange, body) }));
    const outcome = await this.#perform(request, body);
    await exchange.respond(outcome.status, outcome.headers).end(outcome.body);
  }

  /** Ends the thread. Nothing may be under way any more. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#current = undefined;
    await (await worker)?.terminate();
  }

  async #perform({ exchange, user }: ApiRequest, bytes: Uint8Array): Promise<Outcome> {
    const id = this.#nextId++;
    const task = deferred<Outcome>();
    this.#tasks.set(id, task);
    clearTimeout(this.#idle);
    try {
      const worker = await (this.#worker ??= this.#start().catch((error: unknown) => {
        this.#worker = undefined;
        throw error;
      }));
      worker.ref();
      const { method, query } = exchange;
      const path = query.size === 0 ? exchange.path : `${exchange.path}?${query}`;
      const body = new Uint8Array(bytes);
      const now = this.config.clock.now();
      const headers = ofTheBody(exchange.headers);
      worker.postMessage({ kind: "task", id, method, path, headers, user, now, body } satisfies ToThread & Task, [
        body.buffer,
      ]);
      return await task.promise;
    } finally {
      this.#tasks.delete(id);
      if (this.#tasks.size === 0) this.#rest();
    }
  }

  #rest(): void {
    void this.#worker?.then((worker) => worker.unref()).catch(() => {});
    this.#idle = setTimeout(() => void this.close(), IDLE_MILLISECONDS);
    this.#idle.unref();
  }

  async #start(): Promise<Worker> {
    const { kv, reportError, clock, ...kept } = this.config;
    const settings: ThreadSettings = { ...kept, freshness: kv.freshness, now: clock.now() };
    const { Worker } = await import("node:worker_threads");
    const location = await workerLocation("long-bodies-worker", "long-bodies/long-bodies-worker");
    const worker = new Worker(location, { workerData: settings, execArgv: ["--no-warnings"] });
    worker.on("message", (message: FromThread) => {
      if (message.kind === "store") void answerStoreCall(kv, message).then((answer) => worker.postMessage(answer));
      else if (message.kind === "outcome") this.#tasks.get(message.id)?.resolve(message);
      else if (message.kind === "failed") this.#tasks.get(message.id)?.reject(new Error(message.message));
      else reportError(message.error);
    });
    const fail = (error: Error) => {
      if (this.#current !== worker) return;
      this.#worker = undefined;
      this.#current = undefined;
      for (const task of this.#tasks.values()) task.reject(error);
    };
    worker.on("error", (error) => fail(error instanceof Error ? error : new Error(String(error))));
    worker.on("exit", () => fail(new Error("the thread for long bodies ended")));
    this.#current = worker;
    return worker;
  }
}

/** What says how the body is to be read and the answer written; who asks is known. */
function ofTheBody(headers: Exchange["headers"]): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !/^(authorization|impersonate-|connection$|transfer-encoding$)/.test(name)) {
      kept[name] = value;
    }
  }
  return kept;
}

/** An exchange whose body was read. */
function withBody(exchange: Exchange, body: Uint8Array): Exchange {
  const { method, path, headers, clientCertificate, remoteAddress, webSocket } = exchange;
  return {
    method,
    path,
    get query() {
      return exchange.query;
    },
    headers,
    clientCertificate,
    remoteAddress,
    webSocket,
    get signal() {
      return exchange.signal;
    },
    body: () => Promise.resolve(body),
    respond: (status, head) => exchange.respond(status, head),
    get responded() {
      return exchange.responded;
    },
  };
}
