import { setTimeout } from "node:timers/promises";
import { type Clock, systemClock } from "../../../base/time/clock.js";
import { systemTimers, type Timers } from "../../../base/time/timers.js";
import type { HttpConnectProxy } from "../../../client/transport/http-connect.js";
import {
  ClosedError,
  CompactedError,
  type Freshness,
  FutureRevisionError,
  type KeyValue,
  KeyExistsError,
  type Kv,
  type ListOptions,
  type ListResult,
  RevisionMismatchError,
  type StorageCheck,
  UnavailableError,
  type WatchBatch,
} from "../kv.js";
import type { Expiring } from "../expiry.js";
import { compactedRevision, answered, EtcdClient, type EndpointStatus, freshnessOf } from "./etcd-client.js";
import { EtcdWatch } from "./etcd-watch.js";
import { type EtcdTlsFiles, readEndpoints } from "./endpoint.js";
import { keyValueOf, KeySpace, nextKey } from "./key-space.js";
import { isCompacted, isFutureRevision, isLeaseGone, NO_SPACE, unavailable } from "./failures.js";
import { GrpcFailure } from "./grpc-channel.js";
import { Leases } from "./leases.js";
import {
  compact,
  leaseGrant,
  leaseTimeToLive,
  MOD_REVISION,
  range,
  type RangeRequest,
  type RangeResponse,
  type RequestOp,
  status,
  txn,
} from "./messages.js";

export interface EtcdKvOptions extends EtcdTlsFiles {
  /** "http://127.0.0.1:2379", "https://..." or "host:port". All belong to one etcd cluster. */
  readonly endpoints: readonly string[];
  /** The prefix of every key in etcd, as kube-apiserver's --etcd-prefix. It replaces `root`. Default "/registry". */
  readonly prefix?: string;
  /** The prefix of every key of this store. Default "/registry". */
  readonly root?: string;
  /** The time limit of one call, retries included. Default 10,000. */
  readonly timeoutMilliseconds?: number;
  /** The time limit of each call of a health check. Default 2000. */
  readonly healthTimeout?: number | undefined;
  /** The same of a check of readiness. Default 2000. */
  readonly readyTimeout?: number | undefined;
  /** How many seconds longer than asked for a key may live, so that keys share leases. Default 60. */
  readonly leaseReuseSeconds?: number | undefined;
  /** Leads to the endpoints. Left out: the machine's network does. */
  readonly proxy?: HttpConnectProxy | undefined;
  /** Ends retries; leases expire by it. */
  readonly clock?: Clock;
  /** Delays retries. */
  readonly timers?: Timers;
  /** When it aborts, the store opens no more and waits for no answer of etcd: pending calls throw {@link ClosedError}. */
  readonly signal?: AbortSignal | undefined;
}

/** How long etcd may take to report its status. */
const PROBE_MILLISECONDS = 2000;
/** The pause between two attempts to reach any endpoint when the store opens. */
const OPENING_PAUSE = 250;
/** How long a closing store waits for its watches to deliver the last writes. */
const CLOSING_MILLISECONDS = 1000;

/**
 * Opens the keys below one prefix of an etcd 3.4 or later. Rejects with {@link UnavailableError} when no endpoint answers in
 * time. Freshness is "progress" only if every endpoint answered and its version is new enough.
 *
 * A write without an answer is not sent again: it rejects with {@link UnavailableError} and outcome "unknown".
 */
export async function openEtcdKv(options: EtcdKvOptions): Promise<Kv> {
  const { clock = systemClock, timers = systemTimers, timeoutMilliseconds = 10_000 } = options;
  const { proxy } = options;
  const addresses = (await readEndpoints(options.endpoints, options)).map((one) => (proxy ? { ...one, proxy } : one));
  const { signal } = options;
  const client = new EtcdClient({ addresses, timeoutMilliseconds, clock, signal });
  try {
    const freshness = freshnessOf(await firstStatuses(client, timeoutMilliseconds, clock, signal));
    return new EtcdKv(client, freshness, {
      keys: new KeySpace(options.root ?? "/registry", options.prefix ?? "/registry"),
      clock,
      timers,
      timeoutMilliseconds,
      checkTimeouts: {
        health: options.healthTimeout || PROBE_MILLISECONDS,
        readiness: options.readyTimeout || PROBE_MILLISECONDS,
      },
      leaseReuseSeconds: options.leaseReuseSeconds,
    });
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Waits for the first endpoint that answers. */
async function firstStatuses(
  client: EtcdClient,
  timeoutMilliseconds: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<(EndpointStatus | undefined)[]> {
  const probe = Math.min(PROBE_MILLISECONDS, timeoutMilliseconds);
  const end = clock.now() + timeoutMilliseconds;
  for (;;) {
    const statuses = await client.statuses(probe);
    if (signal?.aborted === true) throw new ClosedError();
    if (statuses.some((one) => one !== undefined)) return statuses;
    // Throws the reason why no endpoint answers.
    if (clock.now() >= end) await answered(client.read(status, {}, probe));
    // A referenced timer: no other handle keeps the process alive at this point.
    await setTimeout(OPENING_PAUSE, undefined, signal && { signal }).catch(() => {});
  }
}

interface EtcdKvParts {
  readonly keys: KeySpace;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly timeoutMilliseconds: number;
  readonly checkTimeouts: Readonly<Record<StorageCheck, number>>;
  readonly leaseReuseSeconds: number | undefined;
}

class EtcdKv implements Kv {
  readonly requestProgress?: () => Promise<void>;
  readonly #writes = new Set<Promise<unknown>>();
  readonly #watches = new Set<EtcdWatch>();
  readonly #leases: Leases;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly client: EtcdClient,
    readonly freshness: Freshness,
    private readonly parts: EtcdKvParts,
  ) {
    this.#leases = new Leases(
      parts.clock,
      async (seconds) => (await client.repeat(leaseGrant, { seconds })).id,
      parts.leaseReuseSeconds,
    );
    if (freshness === "progress") {
      this.requestProgress = async () => {
        this.#assertOpen();
        for (const watch of this.#watches) watch.requestProgress();
      };
    }
  }

  async create(key: string, value: Uint8Array, options: { ttlSeconds?: number } = {}): Promise<{ revision: number }> {
    const { revision, succeeded } = await this.#write(key, 0, { value, ...options });
    if (!succeeded) throw new KeyExistsError(key);
    return { revision };
  }

  async get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }> {
    this.#assertOpen();
    const { kvs, header } = await answered(this.client.read(range, { key: this.parts.keys.toEtcd(key) }));
    return { kv: this.#firstOf(kvs), revision: header?.revision ?? 0 };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#assertOpen();
    for (;;) {
      try {
        return await this.#listPages(prefix, options);
      } catch (error) {
        // Compaction overtook the list's own revision, which the caller did not ask for. The list starts again.
        if (!(error instanceof CompactedError) || options.revision !== undefined) throw error;
      }
    }
  }

  async update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options: { ttlSeconds?: number } = {},
  ): Promise<{ revision: number }> {
    const { revision } = await this.#writeOver(key, expectedRevision, { value, ...options });
    return { revision };
  }

  async delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }> {
    const { revision, current } = await this.#writeOver(key, expectedRevision, "delete");
    if (current === undefined) throw new RevisionMismatchError(key, undefined);
    return { revision, previous: current };
  }

  async *watch(prefix: string, fromRevision: number, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
    this.#assertOpen();
    if (fromRevision < 1) throw new CompactedError(fromRevision, 1);
    if (signal.aborted) return;
    const watch = new EtcdWatch({
      ...this.parts,
      client: this.client,
      prefix,
      progress: this.freshness === "progress",
      fromRevision,
      currentRevision: () => this.#askRevision(),
    });
    const end = (): void => watch.end();
    signal.addEventListener("abort", end);
    this.#watches.add(watch);
    try {
      yield* watch.batches();
    } catch (error) {
      if (!(error instanceof ClosedError)) throw error;
    } finally {
      this.#watches.delete(watch);
      signal.removeEventListener("abort", end);
      watch.end();
    }
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    if (revision < 1) return;
    try {
      await this.client.read(compact, { revision });
    } catch (error) {
      if (!(error instanceof GrpcFailure)) throw error;
      if (isCompacted(error)) return;
      if (!isFutureRevision(error)) throw unavailable(error);
      await this.compact(await this.currentRevision());
    }
  }

  async count(prefix: string): Promise<number> {
    this.#assertOpen();
    const { count } = await answered(this.client.read(range, { ...this.parts.keys.range(prefix), countOnly: true }));
    return count;
  }

  async expiring(): Promise<readonly Expiring[]> {
    this.#assertOpen();
    const ends = new Map<bigint, number>();
    const expiring: Expiring[] = [];
    const { rangeEnd, key: first } = this.parts.keys.range("");
    for (let key: Uint8Array | undefined = first; key !== undefined; ) {
      const page: RangeResponse = await answered(
        this.client.read(range, { key, rangeEnd, keysOnly: true, limit: MOST }),
      );
      for (const { lease, ...kv } of page.kvs) {
        if (lease === 0n) continue;
        const at = ends.get(lease) ?? (await this.#endOfLease(lease));
        ends.set(lease, at);
        const { key: name, revision } = keyValueOf(this.parts.keys, { ...kv, lease });
        expiring.push({ key: name, revision, at });
      }
      const last = page.more ? page.kvs.at(-1) : undefined;
      key = last && nextKey(last.key);
    }
    return expiring;
  }

  /** In milliseconds since the epoch. */
  async #endOfLease(id: bigint): Promise<number> {
    const { seconds } = await answered(this.client.read(leaseTimeToLive, { id }));
    return this.parts.clock.now() + Math.max(0, Number(BigInt.asIntN(64, seconds))) * 1000;
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen();
    return answered(this.#askRevision());
  }

  /** Of the first endpoint that answers. */
  async size(): Promise<number> {
    const statuses = await this.client.statuses(PROBE_MILLISECONDS);
    const found = statuses.find((one) => one !== undefined);
    if (found === undefined) throw new UnavailableError("etcd does not tell its status", "not-done");
    return found.size;
  }

  async check(kind: StorageCheck = "health"): Promise<void> {
    this.#assertOpen();
    const timeout = Math.min(this.parts.checkTimeouts[kind], this.parts.timeoutMilliseconds);
    await answered(this.#askRevision(timeout));
    const { errors } = await answered(this.client.read(status, {}, timeout));
    if (errors.some((alarm) => alarm.includes("NOSPACE"))) throw new UnavailableError(NO_SPACE, "not-done");
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    this.client.stopReads();
    await Promise.allSettled(this.#writes);
    const patience = new AbortController();
    const lose = this.parts.timers.start(CLOSING_MILLISECONDS, () => patience.abort());
    await Promise.all([...this.#watches].map((watch) => watch.settled(patience.signal)));
    lose();
    for (const watch of this.#watches) watch.end();
    this.client.close();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new ClosedError();
  }

  async #askRevision(timeoutMilliseconds?: number): Promise<number> {
    const { key } = this.parts.keys.range("");
    const { header } = await this.client.read(range, { key, countOnly: true }, timeoutMilliseconds);
    return header?.revision ?? 0;
  }

  #firstOf(kvs: RangeResponse["kvs"] | undefined): KeyValue | undefined {
    const [kv] = kvs ?? [];
    return kv && keyValueOf(this.parts.keys, kv);
  }

  async #listPages(prefix: string, { limit = 0, startAfter, revision: asked }: ListOptions): Promise<ListResult> {
    if (asked !== undefined && asked < 1) throw new CompactedError(asked, 1);
    const { keys } = this.parts;
    const { key: first, rangeEnd } = keys.range(prefix);
    let key = startAfter === undefined ? first : laterOf(first, nextKey(keys.toEtcd(startAfter)));
    let revision = asked;
    let page: RangeResponse | undefined;
    const items: KeyValue[] = [];
    for (;;) {
      const room = limit === 0 ? Number.POSITIVE_INFINITY : limit - items.length;
      page = await this.#page({
        key,
        rangeEnd,
        limit: Math.min(room, pageSize(page?.kvs)),
        ...(revision !== undefined && { revision }),
      });
      revision ??= page.header?.revision ?? 0;
      for (const kv of page.kvs) items.push(keyValueOf(keys, kv));
      const last = page.kvs.at(-1);
      if (!page.more || last === undefined || items.length === limit) {
        return { items, revision, remaining: page.count - page.kvs.length };
      }
      key = nextKey(last.key);
    }
  }

  async #page(request: RangeRequest): Promise<RangeResponse> {
    try {
      return await this.client.read(range, request);
    } catch (error) {
      if (!(error instanceof GrpcFailure)) throw error;
      const { revision = 0, key = new Uint8Array() } = request;
      if (isFutureRevision(error)) throw new FutureRevisionError(revision, await this.currentRevision());
      if (!isCompacted(error)) throw unavailable(error);
      const { timers, timeoutMilliseconds } = this.parts;
      const timeout = { timers, milliseconds: timeoutMilliseconds };
      throw new CompactedError(revision, await compactedRevision(this.client, key, revision, timeout));
    }
  }

  /** Writes to a key that must be at `expected`. */
  async #writeOver(key: string, expected: number, change: Change): Promise<Written> {
    // etcd compares a missing key as revision 0.
    if (expected < 1) throw new RevisionMismatchError(key, (await this.get(key)).kv);
    const written = await this.#write(key, expected, change);
    if (!written.succeeded) throw new RevisionMismatchError(key, written.current);
    return written;
  }

  async #write(key: string, expected: number, change: Change): Promise<Written> {
    this.#assertOpen();
    const writing = answered(this.#commit(this.parts.keys.toEtcd(key), expected, change));
    this.#writes.add(writing);
    try {
      const written = await writing;
      if (written.succeeded) for (const watch of this.#watches) watch.owe(key, written.revision);
      return written;
    } finally {
      this.#writes.delete(writing);
    }
  }

  async #lease(seconds: number): Promise<bigint> {
    try {
      return await this.#leases.leaseFor(seconds);
    } catch (error) {
      // Whatever became of the lease, the key was not written.
      throw error instanceof GrpcFailure ? unavailable(error, "not-done") : error;
    }
  }

  /** Changes the key if it is at revision `expected`, 0 for a missing key. Otherwise reads its current value. */
  async #commit(key: Uint8Array, expected: number, change: Change): Promise<Written> {
    const lease = change === "delete" || !change.ttlSeconds ? 0n : await this.#lease(change.ttlSeconds);
    const success: RequestOp =
      change === "delete" ? { deleteRange: { key, prevKv: true } } : { put: { key, value: change.value, lease } };
    try {
      const { header, succeeded, responses } = await this.client.write(txn, {
        compare: [{ target: MOD_REVISION, key, modRevision: expected }],
        success: [success],
        failure: [{ range: { key } }],
      });
      const [response] = responses;
      const current = this.#firstOf(response?.range?.kvs ?? response?.deleteRange?.prevKvs);
      return { revision: header?.revision ?? 0, succeeded, current };
    } catch (error) {
      if (!(error instanceof GrpcFailure && isLeaseGone(error))) throw error;
      // The lease was revoked or has expired, and etcd rejected the write.
      await this.#leases.drop(lease);
      return this.#commit(key, expected, change);
    }
  }
}

/** The value to put, or a deletion. */
type Change = { readonly value: Uint8Array; readonly ttlSeconds?: number } | "delete";

interface Written {
  readonly revision: number;
  readonly succeeded: boolean;
  /** The value before a successful delete, or the current value after a failed comparison. */
  readonly current: KeyValue | undefined;
}

function laterOf(a: Uint8Array, b: Uint8Array): Uint8Array {
  return Buffer.compare(a, b) >= 0 ? a : b;
}

/** An etcd value is at most 1.5 MiB by default, so the first page is bounded too. */
const FIRST = 100;
const MOST = 2000;
const BYTES = 2 * 2 ** 20;

/** The number of keys to request, so that an answer takes about 2 MiB. It is estimated from the previous page. */
export function pageSize(before?: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[]): number {
  if (before === undefined || before.length === 0) return FIRST;
  const bytes = before.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  return Math.max(1, Math.min(MOST, Math.floor((BYTES * before.length) / bytes)));
}
