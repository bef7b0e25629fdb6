import type { MessagePort } from "node:worker_threads";
import { type Deferred, deferred } from "../../base/deferred.js";
import type { Kv } from "../storage/kv.js";
import type { StoreAnswer, StoreCall, StoreCalls } from "./protocol.js";
import { storeError } from "./store-failure.js";

/** The store of another thread. It can be read and written, not watched: nobody watches here. */
export class RemoteKv implements Kv {
  readonly #calls = new Map<number, Deferred<unknown>>();
  #nextId = 1;

  constructor(
    private readonly port: MessagePort,
    readonly freshness: Kv["freshness"],
  ) {}

  /** Takes what the other thread answers. */
  settle(answer: StoreAnswer): void {
    const call = this.#calls.get(answer.id);
    this.#calls.delete(answer.id);
    if ("failure" in answer) call?.reject(storeError(answer.failure));
    else call?.resolve(answer.answer);
  }

  create(...given: Parameters<Kv["create"]>): ReturnType<Kv["create"]> {
    return this.#call("create", given);
  }

  get(...given: Parameters<Kv["get"]>): ReturnType<Kv["get"]> {
    return this.#call("get", given);
  }

  list(...given: Parameters<Kv["list"]>): ReturnType<Kv["list"]> {
    return this.#call("list", given);
  }

  update(...given: Parameters<Kv["update"]>): ReturnType<Kv["update"]> {
    return this.#call("update", given);
  }

  delete(...given: Parameters<Kv["delete"]>): ReturnType<Kv["delete"]> {
    return this.#call("delete", given);
  }

  count(...given: Parameters<Kv["count"]>): ReturnType<Kv["count"]> {
    return this.#call("count", given);
  }

  currentRevision(): Promise<number> {
    return this.#call("currentRevision", []);
  }

  check(): Promise<void> {
    return this.#call("check", []);
  }

  watch(): never {
    throw new Error("this store cannot be watched");
  }

  compact(): Promise<void> {
    return Promise.reject(new Error("this store is compacted where it is"));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #call<N extends keyof StoreCalls>(name: N, given: Parameters<StoreCalls[N]>): ReturnType<StoreCalls[N]> {
    const id = this.#nextId++;
    const call = deferred<unknown>();
    this.#calls.set(id, call);
    this.port.postMessage({ kind: "store", id, name, given } satisfies StoreCall);
    return call.promise as ReturnType<StoreCalls[N]>;
  }
}
