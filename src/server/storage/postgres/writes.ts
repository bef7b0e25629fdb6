import { setTimeout } from "node:timers/promises";
import { type Deferred, deferred } from "../../../base/async/deferred.js";
import { type Random, systemRandom } from "../../../base/numbers/random.js";
import { ClosedError, UnavailableError } from "../kv.js";
import type { Database, Session } from "./database.js";
import { isLost, mayTryAgain, unavailable } from "./failures.js";
import { BATCH, END_PROCESS, type EventRow, WRITE, type WrittenRow } from "./statements.js";

/** How many writes one statement does at most, and how many bytes. A single larger value goes alone. */
const MOST_WRITES = 500;
const MOST_BYTES = 8 * 2 ** 20;
/** How long a batch whose connection broke is tried again, in milliseconds. */
const PATIENCE = 15_000;
/** Between two looks at whether a process has ended, in milliseconds. */
const LOOK = 20;

/** The number of each kind of write in kubets_write. */
const KINDS = { create: 0, update: 1, delete: 2 } as const;

export interface WriteRequest {
  readonly type: keyof typeof KINDS;
  readonly key: string;
  /** Absent for a delete. */
  readonly value?: Uint8Array | undefined;
  /** The revision that the key must be at; absent for a create. */
  readonly expected?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

export interface PendingWrite {
  readonly request: WriteRequest;
  readonly done: Deferred<WrittenRow>;
}

/** Writes that one statement did, in the order of their revisions. */
export interface WrittenBatch {
  /** What the rows of its revisions have in `batch`. */
  readonly batch: string;
  readonly writes: readonly (WriteRequest & { readonly row: WrittenRow })[];
}

export interface WritesOptions {
  readonly database: Database;
  /** The revision below which no write of this process is. */
  readonly floor: () => number;
  /** Shows writes that are durable to readers and watchers. */
  readonly publish: (batch: WrittenBatch) => Promise<void>;
  readonly random?: Random;
}

/**
 * Commits writes in the order in which they come, those of a batch in one statement and so with one flush of the database's log. A batch whose
 * connection broke is looked for in the database before it is tried again: none is done twice, and none is acknowledged that is not there.
 */
export class Writes {
  readonly #pending: PendingWrite[] = [];
  #working: Promise<void> | undefined;
  #session: Session | undefined;
  #isClosed = false;

  constructor(private readonly options: WritesOptions) {}

  add(request: WriteRequest): Promise<WrittenRow> {
    if (this.#isClosed) return Promise.reject(new ClosedError());
    const done = deferred<WrittenRow>();
    this.#pending.push({ request, done });
    this.#working ??= this.#work();
    return done.promise;
  }

  /** Refuses writes from now on, and resolves when those that were accepted are done. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    // The writes of one turn go together.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      const batch = this.#next();
      try {
        await this.#commit(batch);
      } catch (error) {
        for (const { done } of batch) done.reject(error as Error);
      }
    }
    this.#working = undefined;
  }

  #next(): readonly PendingWrite[] {
    let bytes = 0;
    let count = 0;
    for (const { request } of this.#pending) {
      bytes += request.value?.byteLength ?? 0;
      if (count === MOST_WRITES || (count > 0 && bytes > MOST_BYTES)) break;
      count += 1;
    }
    return this.#pending.splice(0, count);
  }

  async #commit(pending: readonly PendingWrite[]): Promise<void> {
    const { database, random = systemRandom, floor, publish } = this.options;
    const batch = Buffer.from(random.bytes(8)).readBigInt64BE().toString();
    const requests = pending.map(({ request }) => request);
    const after = floor();
    const values = argumentsOf(requests, batch);
    /** The connection over which the statement was sent and from which no answer came. */
    let lost: Session | undefined;
    let rows: readonly WrittenRow[] | undefined;
    try {
      rows = await database.again(async () => {
        const session = await this.#connected();
        if (lost !== undefined) {
          await endProcess(session, lost);
          const { rows: found } = await session.client.query<EventRow>({ ...BATCH, values: [after, batch] });
          // Who is not among the rows did not fit what was there.
          if (found.length > 0) return found;
          lost = undefined;
        }
        try {
          return (await session.client.query<WrittenRow>({ ...WRITE, values })).rows;
        } catch (error) {
          if (mayTryAgain(error)) throw error;
          this.#drop(session);
          if (!isLost(error)) throw unavailable(error);
          lost = session;
          throw error;
        }
      }, PATIENCE);
    } catch (error) {
      throw lost === undefined ? error : unavailable(causeOf(error), "unknown");
    }
    const done = new Map(rows.map((row) => [row.place, row]));
    const writes = requests.flatMap((request, index) => {
      const row = done.get(index + 1);
      return row?.revision == null ? [] : [{ ...request, row }];
    });
    // The writes are done, whatever comes of it: who follows the database finds them there.
    if (writes.length > 0) await publish({ batch, writes }).catch(() => {});
    for (const [index, one] of pending.entries()) {
      const row = done.get(index + 1);
      if (row === undefined) one.done.reject(new UnavailableError("PostgreSQL: the connection broke", "not-done"));
      else one.done.resolve(row);
    }
  }

  async #connected(): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    const session = await this.options.database.connect();
    session.client.once("end", () => this.#forget(session));
    return (this.#session = session);
  }

  #drop(session: Session): void {
    this.#forget(session);
    void session.client.end().catch(() => {});
  }

  #forget(session: Session): void {
    if (this.#session === session) this.#session = undefined;
  }
}

const causeOf = (error: unknown): unknown =>
  error instanceof UnavailableError ? new Error(error.message.replace(/^PostgreSQL: /, "")) : error;

function argumentsOf(requests: readonly WriteRequest[], batch: string): readonly unknown[] {
  return [
    requests.map(({ type }) => KINDS[type]),
    requests.map(({ key }) => key),
    requests.map(({ value }) => value?.byteLength ?? 0),
    Buffer.concat(requests.map(({ value }) => value ?? new Uint8Array())),
    requests.map(({ expected = 0 }) => expected),
    requests.map(({ expiresAt = null }) => expiresAt),
    batch,
  ];
}

/** Ends the process that may still be working for a connection that is lost, and waits until it is gone. */
async function endProcess({ client }: Session, { process: { pid, since } }: Session): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query({ ...END_PROCESS, values: [pid, since] });
    if (rowCount === 0) return;
    await setTimeout(LOOK);
  }
}
