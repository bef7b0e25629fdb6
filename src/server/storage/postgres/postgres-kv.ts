import { laterKey, prefixEnd } from "../../../base/collections/key-order.js";
import type { StorageUrl } from "../../../component/storage-url.js";
import { type Expiring, Expiry } from "../expiry.js";
import { watchHistory } from "../history-watch.js";
import {
  ClosedError,
  CompactedError,
  FutureRevisionError,
  type KeyValue,
  KeyExistsError,
  type Kv,
  type KvEvent,
  type ListOptions,
  type ListResult,
  type Restored,
  RevisionMismatchError,
  UnavailableError,
  type WatchBatch,
} from "../kv.js";
import { StorageError, type StorageSurroundings } from "../storage-schemes.js";
import { connectionOptions, loadPg } from "./connection.js";
import { Database } from "./database.js";
import { reasonOf, unavailable } from "./failures.js";
import { eventOfRow, type ExpiringKey, Follower } from "./follower.js";
import { makeSchema } from "./make-schema.js";
import {
  COUNT,
  EVENTS,
  type EventRow,
  EXPIRING,
  GET,
  type InState,
  type ItemRow,
  MARK_COMPACTED,
  PAGE,
  REMOVE,
  REMOVED,
  RESTORE,
  STATE,
  type StateRow,
  type WrittenRow,
} from "./statements.js";
import { Writes } from "./writes.js";

/** Items of a list, and events, read from the database at a time: the first page, and the most where they are small. */
const ROWS = 100;
const MOST_ROWS = 1000;
/** About how many bytes of values a page of a list has at most, but for a single item. */
const PAGE_BYTES = 8 * 2 ** 20;
/** Revisions whose replaced values one statement removes. */
const RANGE = 5000;
/** The delay before an expired key whose delete failed is deleted again, in milliseconds. */
const EXPIRE_AGAIN = 10_000;

/** Opens the store in a database, and creates its tables if they do not exist. Rejects with a StorageError. */
export async function openPostgresKv(url: StorageUrl, surroundings: StorageSurroundings): Promise<Kv> {
  const options = connectionOptions(url);
  const database = new Database(loadPg(), options);
  const end = (): void => void database.close();
  surroundings.signal?.addEventListener("abort", end, { once: true });
  try {
    await makeSchema(database, surroundings.mustExist);
    const [state] = await database.read<StateRow>(STATE);
    const expiring = await database.read<ExpiringRow>(EXPIRING);
    const kv = new PostgresKv(database, state?.now ?? 1, surroundings);
    for (const { key, revision, expires } of expiring) kv.expire({ key, revision, at: expires });
    surroundings.signal?.throwIfAborted();
    return kv;
  } catch (error) {
    await database.close();
    surroundings.signal?.throwIfAborted();
    throw error instanceof StorageError ? error : new StorageError(opened(error), { cause: error });
  } finally {
    surroundings.signal?.removeEventListener("abort", end);
  }
}

const opened = (error: unknown): string =>
  `cannot use the PostgreSQL database: ${error instanceof UnavailableError ? error.message.replace(/^PostgreSQL: /, "") : reasonOf(error)}`;

/**
 * A store in PostgreSQL, which servers of several processes share. Revisions are given under a lock that a statement holds until it is
 * committed, so they become visible in their order.
 */
class PostgresKv implements Kv {
  readonly freshness = "every-revision";
  #closing: Promise<void> | undefined;
  readonly #follower: Follower;
  readonly #writes: Writes;
  readonly #expiry: Expiry;
  /** The look at the database's revision that has not begun yet. */
  #nextRevision: Promise<number> | undefined;
  #revisionUnderWay: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly database: Database,
    revision: number,
    private readonly surroundings: StorageSurroundings,
  ) {
    const { clock, timers } = surroundings;
    this.#expiry = new Expiry(clock, timers, (entry) => void this.#delete(entry));
    const expires = (entry: ExpiringKey): void => this.expire(entry);
    this.#follower = new Follower({ database, clock, revision, expires });
    const floor = (): number => this.#follower.head;
    this.#writes = new Writes({ database, floor, publish: (batch) => this.#follower.take(batch) });
    this.#follower.start();
  }

  /** Deletes the key when its time has come. */
  expire(entry: ExpiringKey): void {
    if (this.#closing === undefined) this.#expiry.add(entry);
  }

  async create(key: string, value: Uint8Array, options: { ttlSeconds?: number } = {}): Promise<{ revision: number }> {
    const row = await this.#write({ type: "create", key, value, ...this.#expires(options.ttlSeconds) });
    if (row.revision === null) throw new KeyExistsError(key);
    return { revision: row.revision };
  }

  async update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options: { ttlSeconds?: number } = {},
  ): Promise<{ revision: number }> {
    const expires = this.#expires(options.ttlSeconds);
    const row = await this.#write({ type: "update", key, value, expected: expectedRevision, ...expires });
    return { revision: revisionOf(key, row) };
  }

  async delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }> {
    const row = await this.#write({ type: "delete", key, expected: expectedRevision });
    const revision = revisionOf(key, row);
    const previous = previousOf(key, row);
    if (previous === undefined) throw new RevisionMismatchError(key, undefined);
    return { revision, previous };
  }

  async get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }> {
    const [row] = await this.#read<InState<ItemRow>>(GET, [key]);
    if (row === undefined) throw noState();
    return { kv: row.key === null ? undefined : itemOf(row), revision: row.now };
  }

  /** Reads page by page at one revision. */
  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    for (;;) {
      try {
        return await this.#listOnce(prefix, options);
      } catch (error) {
        // Compaction overtook a list of the current state. The list starts again.
        if (!(error instanceof CompactedError) || options.revision !== undefined) throw error;
      }
    }
  }

  async #listOnce(prefix: string, options: ListOptions): Promise<ListResult> {
    const { startAfter, limit: given = 0 } = options;
    const limit = given === 0 ? Number.POSITIVE_INFINITY : given;
    const end = prefixEnd(prefix);
    const items: KeyValue[] = [];
    let from = startAfter === undefined ? prefix : laterKey(prefix, after(startAfter));
    let rowsOfPage = ROWS;
    for (let { revision } = options; ; ) {
      const size = Math.min(rowsOfPage, limit - items.length);
      const rows = await this.#read<InState<ItemRow>>(PAGE, [from, end, revision ?? null, size]);
      const [state] = rows;
      if (state === undefined) throw noState();
      revision = readableRevision(revision, state);
      const found = rows.flatMap((row) => (row.key === null ? [] : [itemOf(row)]));
      items.push(...found);
      const bytes = found.reduce((sum, { value }) => sum + value.byteLength, 0);
      rowsOfPage = Math.min(MOST_ROWS, Math.max(1, Math.floor(PAGE_BYTES / (bytes / Math.max(found.length, 1) + 1))));
      from = after(found.at(-1)?.key ?? from);
      const mayHaveMore = found.length === size;
      if (mayHaveMore && items.length < limit) continue;
      return { items, revision, remaining: mayHaveMore ? await this.#countFrom(from, end, revision) : 0 };
    }
  }

  async *watch(prefix: string, fromRevision: number, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
    this.#assertOpen();
    if (fromRevision > this.#follower.head) {
      const current = await this.currentRevision();
      if (fromRevision > current) throw new FutureRevisionError(fromRevision, current);
    }
    const history = { log: () => this.#follower.log, read: (revision: number) => this.#readHistory(revision) };
    yield* watchHistory(history, prefix, fromRevision, signal);
  }

  async compact(revision: number): Promise<void> {
    await this.#read(MARK_COMPACTED, [revision]);
    const [state] = await this.#read<{ removed: number; compacted: number }>(REMOVED);
    if (state === undefined) throw noState();
    for (let from = state.removed; from < state.compacted; from += RANGE) {
      await this.#read(REMOVE, [from, Math.min(from + RANGE, state.compacted)]);
    }
    this.#follower.log.forget(Math.min(state.compacted, this.#follower.head));
  }

  async expiring(): Promise<readonly Expiring[]> {
    const rows = await this.#read<ExpiringRow>(EXPIRING);
    return rows.map(({ key, revision, expires }) => ({ key, revision, at: expires }));
  }

  async restore({ revision, items, removed }: Restored): Promise<void> {
    await this.#read(RESTORE, [
      revision,
      removed,
      items.map((item) => item.revision),
      items.map(({ key }) => key),
      items.map(({ createRevision }) => createRevision),
      items.map(({ expiresAt = null }) => expiresAt),
      items.map(({ value }) => Buffer.from(value)),
    ]);
  }

  async count(prefix: string): Promise<number> {
    return this.#countFrom(prefix, prefixEnd(prefix), null);
  }

  /** Asks the database, since other servers write too. Calls that come while it is asked share the next question. */
  currentRevision(): Promise<number> {
    this.#nextRevision ??= this.#revisionUnderWay
      .catch(() => {})
      .then(() => {
        this.#nextRevision = undefined;
        const asked = this.#state().then(({ now }) => now);
        this.#revisionUnderWay = asked;
        return asked;
      });
    return this.#nextRevision;
  }

  async check(): Promise<void> {
    const { recovering } = await this.#state();
    if (recovering) {
      throw new UnavailableError("PostgreSQL: the server is a standby in recovery, which takes no writes", "not-done");
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    this.#expiry.stop();
    await this.#writes.close();
    await this.#follower.stop();
    await this.database.close();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new ClosedError();
  }

  async #state(): Promise<StateRow & { readonly recovering: boolean }> {
    const [row] = await this.#read<StateRow & { readonly recovering: boolean }>(STATE);
    if (row === undefined) throw noState();
    return row;
  }

  async #read<Row extends object>(...[statement, values]: Parameters<Database["read"]>): Promise<Row[]> {
    this.#assertOpen();
    return this.database.read<Row>(statement, values);
  }

  async #countFrom(from: string, end: string, revision: number | null): Promise<number> {
    const [row] = await this.#read<{ total: number }>(COUNT, [from, end, revision]);
    return row?.total ?? 0;
  }

  #expires(ttlSeconds: number | undefined): { expiresAt?: number } {
    if (ttlSeconds === undefined || ttlSeconds <= 0) return {};
    return { expiresAt: Math.ceil(this.surroundings.clock.now() + ttlSeconds * 1000) };
  }

  #write(request: Parameters<Writes["add"]>[0]): Promise<WrittenRow> {
    this.#assertOpen();
    return this.#writes.add(request);
  }

  async #readHistory(revision: number): Promise<readonly KvEvent[]> {
    const rows = await this.#read<InState<EventRow>>(EVENTS, [revision, ROWS]);
    const [state] = rows;
    if (state === undefined) throw noState();
    readableRevision(revision, state);
    return rows.flatMap((row) => (row.key === null ? [] : [eventOfRow(row)]));
  }

  async #delete(entry: ExpiringKey): Promise<void> {
    try {
      await this.#write({ type: "delete", key: entry.key, expected: entry.revision });
    } catch {
      this.expire({ ...entry, at: this.surroundings.clock.now() + EXPIRE_AGAIN });
    }
  }
}

/** A row of {@link EXPIRING}. */
interface ExpiringRow {
  readonly key: string;
  readonly revision: number;
  readonly expires: number;
}

const noState = (): UnavailableError => unavailable(new Error("the row of kubets_state was removed"));

/** Throws for a revision that the state does not show. */
function readableRevision(wanted: number | undefined, { now, compacted }: StateRow): number {
  if (wanted === undefined) return now;
  if (wanted < compacted) throw new CompactedError(wanted, compacted);
  if (wanted > now) throw new FutureRevisionError(wanted, now);
  return wanted;
}

const itemOf = ({ key, value, revision, created }: ItemRow): KeyValue => ({
  key,
  value,
  revision,
  createRevision: created,
});

function previousOf(key: string, row: WrittenRow): KeyValue | undefined {
  const { previous, previous_created, previous_value } = row;
  if (previous_value === null) return undefined;
  return { key, value: previous_value, revision: previous, createRevision: previous_created ?? previous };
}

function revisionOf(key: string, row: WrittenRow): number {
  if (row.revision === null) throw new RevisionMismatchError(key, previousOf(key, row));
  return row.revision;
}

/** The least key after this one: PostgreSQL's texts have no NUL. */
const after = (key: string): string => `${key}\u0001`;
