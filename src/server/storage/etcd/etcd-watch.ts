import { append } from "../../../base/collections/append.js";
import { pause } from "../../../base/time/pause.js";
import type { Timers } from "../../../base/time/timers.js";
import { CompactedError, FutureRevisionError, type KvEvent, UnavailableError, type WatchBatch } from "../kv.js";
import { type EtcdClient, pauseBefore } from "./etcd-client.js";
import { eventOf, type KeySpace } from "./key-space.js";
import { isPassing, unavailable } from "./failures.js";
import { GrpcFailure, type GrpcStream } from "./grpc-channel.js";
import type { EtcdEvent, WatchRequest, WatchResponse } from "./messages.js";

/** etcd ignores a progress request while the watch is behind, so the request is repeated at this interval. */
const PROGRESS_REPEAT = 100;

export interface EtcdWatchOptions {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly timers: Timers;
  readonly prefix: string;
  readonly fromRevision: number;
  /** Whether etcd's progress reports are reliable; see {@link Freshness}. */
  readonly progress: boolean;
  /** How long etcd may take to create the watch. */
  readonly timeoutMilliseconds: number;
  /** The current revision of the etcd cluster. Rejects as {@link EtcdClient} does. */
  readonly currentRevision: () => Promise<number>;
}

type Stream = GrpcStream<WatchRequest, WatchResponse>;

/**
 * One watch on a stream of its own. When the stream breaks, the watch resumes at its position on the next endpoint that
 * answers.
 */
export class EtcdWatch {
  #position: number;
  /** The watch must deliver the events up to this revision before it ends with the store. */
  #owed = 0;
  #stream: Stream | undefined;
  #progressAsked = false;
  #cancelRepeat: () => void = () => {};
  readonly #ended = new AbortController();
  #onPosition: () => void = () => {};

  constructor(private readonly options: EtcdWatchOptions) {
    this.#position = options.fromRevision;
  }

  async *batches(): AsyncGenerator<WatchBatch, void> {
    const { client, timers } = this.options;
    for (let round = 1; !this.#ended.signal.aborted; round++) {
      const { stream, failed } = client.openWatch();
      this.#stream = stream;
      try {
        for await (const batch of this.#read(stream)) {
          round = 0;
          this.#position = batch.revision;
          this.#onPosition();
          yield batch;
          if (this.#ended.signal.aborted) return;
        }
      } catch (error) {
        if (this.#ended.signal.aborted) return;
        if (!(error instanceof GrpcFailure)) throw error;
        if (!isPassing(error)) throw unavailable(error);
      } finally {
        this.#stream = undefined;
        stream.cancel();
      }
      failed();
      await pause(timers, pauseBefore(Math.max(1, round)), this.#ended.signal);
    }
  }

  /** Ends the batches. */
  end(): void {
    this.#ended.abort();
    this.#cancelRepeat();
    this.#stream?.cancel();
  }

  /** Requests progress from etcd, repeatedly until it is reported. */
  requestProgress(): void {
    if (this.#progressAsked) return;
    this.#progressAsked = true;
    this.#askProgress();
  }

  /** Records an acknowledged write of this store, which the watch must deliver before it ends. */
  owe(key: string, revision: number): void {
    if (key.startsWith(this.options.prefix)) this.#owed = Math.max(this.#owed, revision);
  }

  /** Resolves when every recorded write is delivered, or when `signal` aborts. */
  async settled(signal: AbortSignal): Promise<void> {
    while (this.#position < this.#owed && !signal.aborted && !this.#ended.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#onPosition = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
        this.#ended.signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  }

  async *#read(stream: Stream): AsyncGenerator<WatchBatch, void> {
    const { timers, timeoutMilliseconds, keys, prefix, progress } = this.options;
    const from = this.#position;
    // Starts at the revision that is already delivered, because etcd then rejects exactly the compacted ones.
    stream.send({
      create: { ...keys.range(prefix), startRevision: from, progressNotify: progress, prevKv: true, fragment: true },
    });
    const giveUp = timers.start(timeoutMilliseconds, () => stream.cancel());
    let fragments: EtcdEvent[] = [];
    try {
      for await (const response of stream.messages) {
        this.#assertAlive(response);
        if (response.created) {
          giveUp();
          await this.#assertReached(from, response);
          if (this.#progressAsked) this.#askProgress();
          continue;
        }
        append(fragments, response.events);
        if (response.fragment) continue;
        const etcdEvents = fragments;
        fragments = [];
        if (etcdEvents.length > 0) yield* this.#batchOf(etcdEvents);
        else yield* this.#progress(response);
      }
    } finally {
      giveUp();
    }
  }

  #assertAlive({ canceled, compactRevision, cancelReason }: WatchResponse): void {
    if (!canceled) return;
    if (compactRevision > 0) throw new CompactedError(this.#position, compactRevision);
    throw new UnavailableError(cancelReason === "" ? "etcd cancelled the watch" : cancelReason, "not-done");
  }

  /**
   * etcd would silently wait for a future revision. A member that lags behind the others reports an old revision, so the
   * cluster is asked.
   */
  async #assertReached(from: number, { header }: WatchResponse): Promise<void> {
    if (header !== undefined && from <= header.revision) return;
    const current = await this.options.currentRevision();
    if (from > current) throw new FutureRevisionError(from, current);
  }

  *#batchOf(etcdEvents: readonly EtcdEvent[]): Generator<WatchBatch, void> {
    const events: KvEvent[] = [];
    for (const etcdEvent of etcdEvents) {
      const revision = etcdEvent.kv?.modRevision ?? 0;
      if (revision <= this.#position) continue;
      const event = eventOf(this.options.keys, etcdEvent);
      // etcd reads the previous value when it sends the event; by then it can be compacted.
      if (event === undefined) throw new CompactedError(this.#position, revision - 1);
      events.push(event);
    }
    const last = events.at(-1);
    if (last !== undefined) yield { events, revision: last.revision };
  }

  *#progress({ header }: WatchResponse): Generator<WatchBatch, void> {
    this.#progressAsked = false;
    this.#cancelRepeat();
    if (header !== undefined && header.revision >= this.#position) yield { events: [], revision: header.revision };
  }

  #askProgress(): void {
    if (!this.#progressAsked || this.#ended.signal.aborted) return;
    const stream = this.#stream;
    if (stream === undefined) return;
    stream.send({ progress: {} });
    this.#cancelRepeat();
    this.#cancelRepeat = this.options.timers.start(PROGRESS_REPEAT, () => {
      if (this.#stream === stream) this.#askProgress();
    });
  }
}
