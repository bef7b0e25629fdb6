import type { Timers } from "../../../base/timers.js";
import { CompactedError, FutureRevisionError, type KvEvent, UnavailableError, type WatchBatch } from "../kv.js";
import { type EtcdClient, pauseBefore } from "./etcd-client.js";
import { eventOf } from "./events.js";
import { isPassing, unavailable } from "./failures.js";
import { GrpcFailure, type GrpcStream } from "./grpc-channel.js";
import type { KeySpace } from "./key-space.js";
import type { EtcdEvent, WatchRequest, WatchResponse } from "./messages.js";
import { pause } from "./pause.js";

/** A progress request that is not answered is repeated: etcd passes over one that finds a watch behind. */
const PROGRESS_REPEAT = 100;

export interface EtcdWatchOptions {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly timers: Timers;
  readonly prefix: string;
  readonly fromRevision: number;
  /** Whether what etcd says of its progress can be believed. */
  readonly progress: boolean;
  /** For etcd to take the watch. */
  readonly timeoutMilliseconds: number;
  /** Of the whole etcd cluster. Rejects as {@link EtcdClient} does. */
  readonly currentRevision: () => Promise<number>;
}

type Stream = GrpcStream<WatchRequest, WatchResponse>;

/** One watch, on a stream of its own. When the stream breaks it goes on where it was, at whichever endpoint answers. */
export class EtcdWatch {
  #position: number;
  /** Everything up to here must be told before the watch may end with the store. */
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

  /** Makes the batches end. */
  end(): void {
    this.#ended.abort();
    this.#cancelRepeat();
    this.#stream?.cancel();
  }

  /** Asks etcd how far the watch has come, until it says so. */
  requestProgress(): void {
    if (this.#progressAsked) return;
    this.#progressAsked = true;
    this.#askProgress();
  }

  /** A write of ours was acknowledged. */
  owe(key: string, revision: number): void {
    if (key.startsWith(this.options.prefix)) this.#owed = Math.max(this.#owed, revision);
  }

  /** Resolves when everything that is owed was told, or when `signal` aborts. */
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
    // etcd begins at the revision that is already known: only then does it refuse exactly what is compacted.
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
        fragments.push(...response.events);
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

  /** etcd would wait for a revision that is yet to come; the member asked may only be behind the others. */
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
      // etcd reads the previous value only when it sends the event.
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
