import { type ChildProcess, fork } from "node:child_process";
import { type Deferred, deferred } from "../../src/base/async/deferred.js";
import type { Kv, WatchBatch } from "../../src/server/storage/kv.js";
import { buildWriter } from "../durability/writer-process.js";
import type { ManualTime } from "../helpers/manual-time.js";
import { type ChildMessage, type OwnersKv, type ParentMessage, unpackError } from "./kv-protocol.js";

let built: ReturnType<typeof buildWriter> | undefined;

/** Removes the built program of the owners, if there is one. */
export async function removeKvOwner(): Promise<void> {
  await (await built)?.remove();
  built = undefined;
}

/** A SQLite store in a process of its own. After `kill` whatever is under way fails. */
export async function startKvOwner(
  settings: { readonly directory: string; readonly historyRevisions: number },
  time: ManualTime,
): Promise<{ kv: Kv; kill(): Promise<void> }> {
  built ??= buildWriter("kv-owner", "test/model");
  const { script } = await built;
  const args = [settings.directory, String(settings.historyRevisions), String(time.now())];
  const child = fork(script, args, {
    serialization: "advanced",
    execArgv: ["--no-warnings"],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const owner = new OwnedKv(child, time);
  return { kv: owner.kv(await owner.ready), kill: () => owner.kill() };
}

/** Our end of the owner: a call is a message and its answer, a watch is a message and many. */
class OwnedKv {
  readonly #calls = new Map<number, Deferred<unknown>>();
  readonly #watches = new Map<number, (batch: WatchBatch) => void>();
  readonly #ready = deferred<OwnersKv>();
  readonly #exited: Promise<unknown>;
  #nextId = 1;
  #gone: Error | undefined;
  /** The time that the owner knows. */
  #told: number;

  constructor(
    private readonly child: ChildProcess,
    private readonly time: ManualTime,
  ) {
    this.#told = time.now();
    let errors = "";
    child.stderr?.on("data", (data: Buffer) => (errors += data.toString()));
    child.on("message", (message: ChildMessage) => this.#receive(message));
    // A message to a process that was just killed cannot be sent; its end says the rest.
    child.on("error", () => {});
    this.#exited = new Promise((resolve) => child.on("close", resolve)).then(() => {
      this.#gone = new Error(`the process that owns the store is gone ${errors}`);
      this.#ready.reject(this.#gone);
      for (const call of this.#calls.values()) call.reject(this.#gone);
    });
  }

  get ready(): Promise<OwnersKv> {
    return this.#ready.promise;
  }

  kv({ freshness, lacks }: OwnersKv): Kv {
    const forward =
      (name: string) =>
      (...args: unknown[]): Promise<unknown> =>
        this.#call(name, args);
    const watch: Kv["watch"] = (prefix, from, { signal }) => this.#watch(prefix, from, signal);
    return new Proxy({} as Kv, {
      get: (_, name) => {
        if (name === "freshness") return freshness;
        if (name === "watch") return watch;
        // Without a method `then`, or a promise would mistake this for one.
        return name === "then" || lacks.includes(String(name)) ? undefined : forward(String(name));
      },
    });
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#exited;
  }

  #send(message: ParentMessage): void {
    if (this.child.connected) this.child.send(message);
  }

  async #call(name: string, args: readonly unknown[]): Promise<unknown> {
    if (this.#gone !== undefined) throw this.#gone;
    const id = this.#nextId++;
    const answer = deferred<unknown>();
    this.#calls.set(id, answer);
    if (this.#told !== this.time.now()) {
      this.#told = this.time.now();
      this.#send({ kind: "time", now: this.#told });
    }
    this.#send({ kind: "call", id, name, args });
    const value = await answer.promise;
    if (name === "close") await this.#exited;
    return value;
  }

  async *#watch(prefix: string, from: number, signal: AbortSignal): AsyncGenerator<WatchBatch> {
    if (this.#gone !== undefined) throw this.#gone;
    const id = this.#nextId++;
    const batches: WatchBatch[] = [];
    let wake = (): void => {};
    const end = deferred<unknown>();
    let ended: { error?: unknown } | undefined;
    end.promise
      .then(
        () => (ended = {}),
        (error: unknown) => (ended = { error }),
      )
      .finally(() => wake());
    this.#calls.set(id, end);
    this.#watches.set(id, (batch) => {
      batches.push(batch);
      wake();
    });
    const abort = (): void => {
      this.#send({ kind: "unwatch", id });
      wake();
    };
    signal.addEventListener("abort", abort);
    this.#send({ kind: "watch", id, prefix, from });
    try {
      while (!signal.aborted) {
        const batch = batches.shift();
        if (batch !== undefined) yield batch;
        else if (ended !== undefined) {
          if (ended.error !== undefined) throw ended.error;
          return;
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", abort);
      this.#watches.delete(id);
      abort();
    }
  }

  #receive(message: ChildMessage): void {
    switch (message.kind) {
      case "ready":
        this.#ready.resolve(message);
        return;
      case "batch":
        this.#watches.get(message.id)?.(message.batch);
        return;
      case "answer":
        this.#calls.get(message.id)?.resolve(message.value);
        break;
      case "failed":
        this.#calls.get(message.id)?.reject(unpackError(message.error));
    }
    this.#calls.delete(message.id);
  }
}
