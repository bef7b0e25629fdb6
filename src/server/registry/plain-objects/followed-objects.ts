import type { CancellationToken } from "../../../base/async/cancellation.js";
import type { Clock } from "../../../base/time/clock.js";
import type { Timers } from "../../../base/time/timers.js";
import type { GroupResource, StatusError } from "../../../machinery/errors/status-error.js";
import { createStorage } from "../../storage/create-storage.js";
import { type KeyValue, type Kv, KeyExistsError, RevisionMismatchError } from "../../storage/kv.js";
import { openMemoryKv } from "../../storage/memory/memory-kv.js";
import type { ObjectCodec, ObjectStore, StoredObject } from "../../storage/store.js";
import type { CheckedObject } from "./check-answer.js";

/** A change that the source's own watch has reported. */
export interface CheckedEvent {
  readonly isGone: boolean;
  readonly key: string;
  /** Absent where the object is gone. */
  readonly object?: CheckedObject;
}

export interface FollowedConfig {
  readonly resource: GroupResource;
  /** What keys begin with, ending in "/". */
  readonly prefix: string;
  readonly codec: ObjectCodec;
  readonly clock: Clock;
  readonly timers: Timers;
  /** All objects of the source, by key. Rejects with a StatusError, which it has reported. */
  readonly list: () => Promise<ReadonlyMap<string, CheckedObject>>;
  /** Calls `apply` with each change until the source's watch ends. Rejects with a StatusError, which it has reported. */
  readonly watch?: ((apply: (event: CheckedEvent) => Promise<void>, signal: AbortSignal) => Promise<void>) | undefined;
  readonly pollMilliseconds?: number | undefined;
}

/** A watch of the source that ends is begun anew after this time. */
const RESTART_MILLISECONDS = 1000;

/** Ends with the reason when following fails. */
type Follower = (reason: StatusError) => void;

/**
 * The objects of a source as the server saw them last, in a memory store of their own, whose history serves watches. The source is polled or
 * watched while there are followers. Every read and write of the source is noted here, so that an object has one version everywhere.
 */
export class FollowedObjects {
  readonly objects: ObjectStore;
  readonly #kv: Kv;
  readonly #close: () => Promise<void>;
  readonly #followers = new Set<Follower>();
  /** The list that runs, and the one that begins behind it, for those who came while it ran. */
  #round: Promise<ReadonlyMap<string, CheckedObject>> | undefined;
  #next: Promise<ReadonlyMap<string, CheckedObject>> | undefined;
  /** Settles when the first list of the present loop is there. Undefined while nothing runs. */
  #synced: Promise<unknown> | undefined;
  #ending = new AbortController();
  #cancelTimer = (): void => {};

  constructor(private readonly config: FollowedConfig) {
    const { clock, timers, prefix, resource, codec } = config;
    // Versions of an earlier process are below, so that its watches are told to list anew.
    this.#kv = openMemoryKv({ clock, timers, revision: clock.now() });
    const storage = createStorage({ kv: this.#kv, clock, timers, maxObjectBytes: 0, compactionSeconds: 0 });
    this.objects = storage.storeFor({ prefix, resource, codec });
    this.#close = () => storage.close();
  }

  /** True while a loop keeps the objects current. */
  get isCurrent(): boolean {
    return this.#synced !== undefined;
  }

  /** The version of the present state: what is noted as of it is ignored where something newer is known. */
  revision(): Promise<number> {
    return this.#kv.currentRevision();
  }

  /** Lists the source in a list that begins after the call, and notes what has changed. */
  refresh(): Promise<ReadonlyMap<string, CheckedObject>> {
    if (this.#round === undefined) return this.#begin();
    this.#next ??= this.#round
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#begin();
      });
    return this.#next;
  }

  #begin(): Promise<ReadonlyMap<string, CheckedObject>> {
    const round = this.#list().finally(() => {
      if (this.#round === round) this.#round = undefined;
    });
    this.#round = round;
    return round;
  }

  async #list(): Promise<ReadonlyMap<string, CheckedObject>> {
    const { prefix, list } = this.config;
    const began = await this.revision();
    const found = await list();
    for (const { key } of (await this.#kv.list(prefix)).items) {
      const short = key.slice(prefix.length);
      if (!found.has(short)) await this.forget(short, began);
    }
    for (const object of found.values()) await this.#put(object, began);
    return found;
  }

  /** Notes an object that was read from the source when the revision was `since`, or that was written. Returns it as it is known now. */
  async note(checked: CheckedObject, since = Number.POSITIVE_INFINITY): Promise<StoredObject> {
    await this.#put(checked, since);
    return this.objects.get(checked.key);
  }

  async #put({ key, object, bytes }: CheckedObject, since: number): Promise<void> {
    const path = this.config.prefix + key;
    for (;;) {
      const { kv: known } = await this.#kv.get(path);
      if (known !== undefined && (known.revision > since || Buffer.compare(known.value, bytes) === 0)) return;
      try {
        if (known === undefined) await this.#kv.create(path, bytes);
        else if (this.#isSame(known, object.metadata?.uid)) await this.#kv.update(path, bytes, known.revision);
        else await this.#kv.delete(path, known.revision);
        if (known === undefined || this.#isSame(known, object.metadata?.uid)) return;
      } catch (error) {
        if (!(error instanceof KeyExistsError || error instanceof RevisionMismatchError)) throw error;
      }
    }
  }

  /** Whether the object that is known is the one with this uid, and not an earlier one of its name. */
  #isSame(known: KeyValue, uid: string | undefined): boolean {
    return this.config.codec.decode(known.value).metadata?.uid === uid;
  }

  /** Notes that there is no such object. */
  async forget(key: string, since = Number.POSITIVE_INFINITY): Promise<void> {
    const { kv: known } = await this.#kv.get(this.config.prefix + key);
    if (known === undefined || known.revision > since) return;
    try {
      await this.#kv.delete(known.key, known.revision);
    } catch (error) {
      if (!(error instanceof RevisionMismatchError)) throw error;
    }
  }

  /**
   * Keeps the objects current until the returned function is called. Resolves when they are. `failed` is called, once, when the source's watch
   * has failed. Rejects with the error of the first list.
   */
  async follow(token: CancellationToken | undefined, failed: Follower): Promise<() => void> {
    this.#followers.add(failed);
    const stop = (): void => {
      if (this.#followers.delete(failed) && this.#followers.size === 0) this.#stop();
    };
    try {
      this.#synced ??= this.#start();
      await orEnd(this.#synced, token);
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  #start(): Promise<unknown> {
    const ending = new AbortController();
    this.#ending = ending;
    const { watch, pollMilliseconds } = this.config;
    if (watch !== undefined) void this.#watch(watch, ending.signal);
    const synced = this.refresh();
    if (watch === undefined && pollMilliseconds !== undefined) this.#poll(pollMilliseconds, ending.signal);
    synced.catch(() => {
      if (this.#ending === ending) this.#stop();
    });
    return synced;
  }

  #poll(milliseconds: number, signal: AbortSignal): void {
    if (signal.aborted) return;
    this.#cancelTimer = this.config.timers.start(milliseconds, () => {
      // The list has reported its failure. Those who follow keep what they know, and the next list may succeed.
      void this.refresh().then(
        () => this.#poll(milliseconds, signal),
        () => this.#poll(milliseconds, signal),
      );
    });
  }

  async #watch(watch: NonNullable<FollowedConfig["watch"]>, signal: AbortSignal): Promise<void> {
    const apply = async ({ isGone, key, object }: CheckedEvent): Promise<void> => {
      if (isGone) await this.forget(key);
      else if (object !== undefined) await this.#put(object, Number.POSITIVE_INFINITY);
    };
    try {
      await watch(apply, signal);
      if (signal.aborted) return;
      this.#cancelTimer = this.config.timers.start(RESTART_MILLISECONDS, () => {
        void this.#watch(watch, signal);
        this.refresh().catch((error: StatusError) => this.#fail(error, signal));
      });
    } catch (error) {
      this.#fail(error as StatusError, signal);
    }
  }

  #fail(reason: StatusError, signal: AbortSignal): void {
    if (signal.aborted) return;
    const followers = [...this.#followers];
    this.#followers.clear();
    this.#stop();
    for (const failed of followers) failed(reason);
  }

  #stop(): void {
    this.#synced = undefined;
    this.#cancelTimer();
    this.#ending.abort();
  }

  /** Ends whatever follows. */
  async close(): Promise<void> {
    this.#followers.clear();
    this.#stop();
    await this.#close();
  }
}

/** Resolves with `promise`, or rejects when the work of `token` is over. */
export function orEnd<T>(promise: Promise<T>, token: CancellationToken | undefined): Promise<T> {
  if (token === undefined) return promise;
  const { signal } = token;
  return new Promise<T>((resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}
