import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import type { Timers } from "../../../base/time/timers.js";
import { internalError } from "../../../machinery/errors/status-error.js";
import type { Expiring } from "../expiry.js";
import {
  type ApplyOutsideEdit,
  ClosedError,
  CompactedError,
  type KeyValue,
  type Kv,
  type KvEvent,
  type ListOptions,
  type ListResult,
  RevisionMismatchError,
  type StorageCheck,
  UnreadableValue,
  type WatchBatch,
} from "../kv.js";
import { identity, type Transformed, type Transformer, TransformError } from "./transformer.js";

/** The keys that a {@link EncryptedKv} encrypts. */
export interface KeyTransformers {
  /** What makes of the key's values what is stored; undefined where they are stored as they are. */
  of(key: string): Transformer | undefined;
  /** The key in etcd, which is part of what is encrypted: "/registry/secrets/default/a". */
  pathOf(key: string): string;
}

/** How long a value is left alone that could not be read for a reason that may pass. */
const AGAIN_MILLISECONDS = 10_000;

/**
 * A key-value store that encrypts values before they reach `kv`, and decrypts those that it reads. A value that cannot be
 * decrypted becomes an {@link UnreadableValue}. Closing the store closes `kv`.
 */
export class EncryptedKv implements Kv {
  readonly freshness: Kv["freshness"];
  readonly requestProgress?: () => Promise<void>;
  readonly recent?: NonNullable<Kv["recent"]>;
  readonly expiring?: () => Promise<readonly Expiring[]>;
  readonly outsideEdits?: (apply: ApplyOutsideEdit) => Promise<void>;
  /** What was encrypted, by what was stored of it: a store of this process hands out the same bytes, which need not be decrypted. */
  #written = new WeakMap<Uint8Array, Uint8Array>();
  /** Keys whose values could not be read, and whether that may pass. */
  readonly #unread = new Map<string, boolean>();
  readonly #watches = new Set<() => void>();
  #stopRetry: (() => void) | undefined;
  /** Values that are not in the store yet. */
  readonly #encrypting = new Set<Promise<Uint8Array>>();
  #isClosed = false;

  constructor(
    private readonly kv: Kv,
    private transformers: KeyTransformers,
    private readonly timers: Timers,
  ) {
    this.freshness = kv.freshness;
    if (kv.requestProgress !== undefined) this.requestProgress = async () => kv.requestProgress?.();
    if (kv.recent !== undefined) this.recent = async (limits) => (await kv.recent?.(limits)) ?? 1;
    if (kv.expiring !== undefined) this.expiring = async () => (await kv.expiring?.()) ?? [];
    if (kv.outsideEdits !== undefined) this.outsideEdits = async (apply) => kv.outsideEdits?.(apply);
  }

  /**
   * Goes on with other transformers. Where they read what could not be read before, watches end with {@link CompactedError}, so that their
   * readers read the store again.
   */
  async replace(transformers: KeyTransformers): Promise<void> {
    this.transformers = transformers;
    this.#written = new WeakMap();
    await this.#readAgain([...this.#unread.keys()]);
  }

  async create(key: string, value: Uint8Array, options?: { ttlSeconds?: number }): Promise<{ revision: number }> {
    return this.#write(key, value, (stored) => this.kv.create(key, stored, options));
  }

  async update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options?: { ttlSeconds?: number },
  ): Promise<{ revision: number }> {
    try {
      return await this.#write(key, value, (stored) => this.kv.update(key, stored, expectedRevision, options));
    } catch (error) {
      throw await this.#readable(error);
    }
  }

  async delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }> {
    try {
      const { revision, previous } = await this.kv.delete(key, expectedRevision);
      this.#unread.delete(key);
      return { revision, previous: await this.#decrypted(previous) };
    } catch (error) {
      throw await this.#readable(error);
    }
  }

  async get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }> {
    const { kv, revision } = await this.kv.get(key);
    return { kv: kv && (await this.#decrypted(kv)), revision };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    const { items, ...rest } = await this.kv.list(prefix, options);
    const decrypted: (KeyValue | Promise<KeyValue>)[] = [];
    for (const item of items) {
      decrypted.push(this.#decrypted(item));
      if (sliceIsSpent()) await nextSlice();
    }
    return {
      ...rest,
      items: decrypted.some(isLate) ? await Promise.all(decrypted.map(later)) : (decrypted as KeyValue[]),
    };
  }

  async *watch(prefix: string, fromRevision: number, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const state = { last: fromRevision, isInterrupted: false };
    const interrupt = (): void => {
      state.isInterrupted = true;
      end();
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    this.#watches.add(interrupt);
    try {
      for await (const { events, revision } of this.kv.watch(prefix, fromRevision, { signal: ending.signal })) {
        if (state.isInterrupted) break;
        yield { events: await Promise.all(events.map((event) => this.#event(event))), revision };
        state.last = revision;
      }
      if (state.isInterrupted) throw new CompactedError(state.last, state.last);
    } finally {
      this.#watches.delete(interrupt);
      signal.removeEventListener("abort", end);
      end();
    }
  }

  async isOutdated(key: string, revision: number): Promise<boolean> {
    const transformer = this.transformers.of(key);
    if (transformer === undefined) return false;
    const { kv } = await this.kv.get(key);
    if (kv === undefined || kv.revision !== revision) return false;
    try {
      return (await transformer.fromStorage(kv.value, this.transformers.pathOf(key))).isStale;
    } catch {
      return false;
    }
  }

  compact(revision: number): Promise<void> {
    return this.kv.compact(revision);
  }

  count(prefix: string): Promise<number> {
    return this.kv.count(prefix);
  }

  currentRevision(): Promise<number> {
    return this.kv.currentRevision();
  }

  check(kind?: StorageCheck): Promise<void> {
    return this.kv.check(kind);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopRetry?.();
    this.#stopRetry = () => {};
    await Promise.allSettled(this.#encrypting);
    await this.kv.close();
  }

  /** A write that was accepted is handed to the store before it closes. */
  async #write<T>(key: string, value: Uint8Array, write: (stored: Uint8Array) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ClosedError();
    const encrypting = this.#encrypted(key, value);
    this.#encrypting.add(encrypting);
    try {
      const stored = await encrypting;
      return await write(stored);
    } finally {
      this.#encrypting.delete(encrypting);
    }
  }

  async #encrypted(key: string, value: Uint8Array): Promise<Uint8Array> {
    const transformer = this.transformers.of(key);
    if (transformer === undefined) return value;
    let stored: Uint8Array;
    try {
      stored = await transformer.toStorage(value, this.transformers.pathOf(key));
    } catch (error) {
      throw internalError(errorMessage(error));
    }
    if (stored !== value) this.#written.set(stored, value);
    return stored;
  }

  #decrypted(kv: KeyValue): KeyValue | Promise<KeyValue> {
    const { key, value } = kv;
    if (value instanceof UnreadableValue) return kv;
    const known = this.#written.get(value);
    if (known !== undefined) return { ...kv, value: known };
    const { transformers } = this;
    const ok = ({ value: read }: Transformed): KeyValue => {
      if (this.#unread.size > 0) this.#unread.delete(key);
      return read === value ? kv : { ...kv, value: read };
    };
    const fail = (error: unknown): KeyValue => {
      const isTransient = error instanceof TransformError && error.isTransient;
      this.#unread.set(key, isTransient);
      if (isTransient) this.#retryLater();
      const problem = `unable to transform key ${goQuote(transformers.pathOf(key))}: ${errorMessage(error)}`;
      return { ...kv, value: new UnreadableValue(problem, internalError(problem)) };
    };
    try {
      const read = (transformers.of(key) ?? identity).fromStorage(value, transformers.pathOf(key));
      return read instanceof Promise ? read.then(ok, fail) : ok(read);
    } catch (error) {
      return fail(error);
    }
  }

  async #event(event: KvEvent): Promise<KvEvent> {
    const { key, revision, value, previous } = event;
    const before = previous && (await this.#decrypted(previous));
    if (value === undefined) {
      this.#unread.delete(key);
      return { ...event, ...(before && { previous: before }) };
    }
    const now = await this.#decrypted({ key, value, revision, createRevision: revision });
    return { ...event, value: now.value, ...(before && { previous: before }) };
  }

  async #readable(error: unknown): Promise<unknown> {
    if (!(error instanceof RevisionMismatchError) || error.current === undefined) return error;
    return new RevisionMismatchError(error.key, await this.#decrypted(error.current));
  }

  #retryLater(): void {
    this.#stopRetry ??= this.timers.start(AGAIN_MILLISECONDS, () => {
      this.#stopRetry = undefined;
      const transient = [...this.#unread].filter(([, isTransient]) => isTransient).map(([key]) => key);
      void this.#readAgain(transient.slice(0, 1)).then(() => {
        if ([...this.#unread.values()].includes(true)) this.#retryLater();
      });
    });
  }

  /** Ends the watches where one of the keys, which could not be read, can be read now. */
  async #readAgain(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      try {
        const { kv } = await this.get(key);
        if (kv?.value instanceof UnreadableValue) continue;
        this.#unread.delete(key);
        if (kv === undefined) continue;
      } catch {
        // The store is unavailable. Those who read it are told so.
        return;
      }
      this.#unread.clear();
      for (const interrupt of this.#watches) interrupt();
      return;
    }
  }
}

const isLate = (one: KeyValue | Promise<KeyValue>): boolean => one instanceof Promise;
const later = (one: KeyValue | Promise<KeyValue>): Promise<KeyValue> => Promise.resolve(one);
