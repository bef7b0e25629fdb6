import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../../base/time/clock.js";
import { EventLog } from "../event-log.js";
import { CompactedError, type KvEvent } from "../kv.js";
import type { Database, Session } from "./database.js";
import { CHANNEL } from "./schema.js";
import { EVENTS, type EventRow, type InState, SKIP_REVISIONS, type StateRow, WRITER } from "./statements.js";
import type { WrittenBatch } from "./writes.js";

/** Events read from the database at a time. */
const PAGE = 100;
/** How often the database is asked for new events, in milliseconds, where no notification came. */
const POLL = 2000;
/** The pause before the connection that is notified is made anew, in milliseconds. */
const REST = 500;

/** A key that expires. */
export interface ExpiringKey {
  readonly key: string;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface FollowerOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The revision up to which what is there was read already. */
  readonly revision: number;
  readonly expires: (key: ExpiringKey) => void;
}

/**
 * Keeps the recent events of the database in memory, those of other servers too: it is notified of them, and asks from time to time in case a
 * notification was lost. A database that has lost revisions which this server has seen, after a failover, gets later ones, so that everybody
 * lists anew.
 */
export class Follower {
  #log: EventLog<KvEvent>;
  /** The batch that wrote the head, where it is known. */
  #headBatch: string | undefined;
  #working: Promise<void> | undefined;
  /** Whether somebody needs a look at the database that begins later than the one under way. */
  #again = false;
  readonly #stopping = new AbortController();
  readonly #options: FollowerOptions;
  #listening: Promise<void> | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#log = this.#newLog(options.revision);
  }

  get log(): EventLog<KvEvent> {
    return this.#log;
  }

  /** The revision up to which events are in the log. */
  get head(): number {
    return this.#log.head;
  }

  start(): void {
    this.#listening = this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#listening;
    await this.#working?.catch(() => {});
    this.#log.close();
  }

  /** Reads what is new in the database now. */
  catchUp(): Promise<void> {
    if (this.#working !== undefined) {
      this.#again = true;
      return this.#working;
    }
    return (this.#working = this.#work());
  }

  /** Takes the writes of this server, after those of others that came before them. */
  async take({ batch, writes }: WrittenBatch): Promise<void> {
    const first = writes[0]?.row.revision ?? 0;
    while (first > this.head + 1) await this.catchUp();
    const events = writes.map(({ type, key, value, expiresAt, row }) => {
      const revision = row.revision ?? 0;
      if (expiresAt !== undefined) this.#options.expires({ key, revision, at: expiresAt });
      return eventOf({ ...row, revision, key, type, value: value ?? null });
    });
    this.#append(events, batch);
  }

  async #work(): Promise<void> {
    try {
      do {
        this.#again = false;
        while (await this.#readPage());
      } while (this.#again);
    } finally {
      this.#working = undefined;
    }
  }

  /** Returns whether there may be more. */
  async #readPage(): Promise<boolean> {
    const after = this.head;
    const rows = await this.#options.database.read<InState<EventRow>>(EVENTS, [after, PAGE]);
    const [{ now, compacted } = { now: after, compacted: 0 }] = rows;
    if (compacted > this.head) {
      this.#startAnew(now);
      return false;
    }
    const found = rows.flatMap((row) => (row.key === null ? [] : [row]));
    for (const { key, revision, expires, value } of found) {
      if (expires !== null && value !== null) this.#options.expires({ key, revision, at: expires });
    }
    this.#append(found.map(eventOfRow), found.at(-1)?.batch);
    if (found.length === PAGE) return true;
    if (now > this.head && found.length === 0) this.#log.advance(now);
    return false;
  }

  #append(events: readonly KvEvent[], batch: string | undefined): void {
    const fresh = events.filter(({ revision }) => revision > this.head);
    if (fresh.length === 0) return;
    this.#log.append(fresh);
    this.#headBatch = batch;
  }

  async #listen(): Promise<void> {
    const { database } = this.#options;
    while (!this.#stopping.signal.aborted && !database.isClosing) {
      let session: Session | undefined;
      try {
        session = await database.connect();
        await this.#compareWithDatabase();
        await this.#followNotifications(session);
      } catch {
        // Reads and writes report what is wrong with the database.
      } finally {
        void session?.client.end().catch(() => {});
      }
      await this.#pause(REST);
    }
  }

  async #followNotifications({ client }: Session): Promise<void> {
    const { rows } = await client.query<{ channel: string }>(CHANNEL);
    client.on("notification", () => void this.catchUp().catch(() => {}));
    await client.query(`LISTEN ${client.escapeIdentifier(rows[0]?.channel ?? "")}`);
    let hasEnded = false;
    client.once("end", () => (hasEnded = true));
    while (!hasEnded && !this.#stopping.signal.aborted) {
      await this.catchUp();
      await this.#pause(POLL);
      // A dead line shows only when something is sent over it.
      await client.query("SELECT 1");
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => {});
  }

  /** Looks whether the database still has what this server has seen of it last. */
  async #compareWithDatabase(): Promise<void> {
    const { database } = this.#options;
    const head = this.head;
    const known = this.#headBatch;
    const [row] = await database.read<StateRow & { readonly batch: string | null }>(WRITER, [head]);
    if (row === undefined) return;
    // A deletion that is compacted has no row.
    const isOther = known !== undefined && row.batch !== known && row.compacted < head;
    if (row.now >= head && !isOther) return;
    const [skipped] = await database.read<StateRow>(SKIP_REVISIONS, [head]);
    if (skipped !== undefined) this.#startAnew(skipped.now);
  }

  /** Forgets the events: readers that have not read all of them fail, and list anew. */
  #startAnew(revision: number): void {
    const former = this.#log;
    this.#log = this.#newLog(revision);
    this.#headBatch = undefined;
    former.handOver(this.#log);
    former.close(new CompactedError(former.head, revision));
  }

  #newLog(floor: number): EventLog<KvEvent> {
    return new EventLog<KvEvent>({
      clock: this.#options.clock,
      floor,
      // Older events are read from the database. These limits spare most watchers that.
      limits: { events: 5_000, bytes: 16 * 2 ** 20, milliseconds: Number.POSITIVE_INFINITY, keep: 0 },
      weigh: (event) => 256 + (event.value?.byteLength ?? 0) + (event.previous?.value.byteLength ?? 0),
    });
  }
}

type EventParts = Pick<EventRow, "key" | "revision" | "previous" | "previous_created" | "previous_value" | "value"> & {
  readonly type: KvEvent["type"];
};

function eventOf(parts: EventParts): KvEvent {
  const { type, key, revision, value, previous, previous_created, previous_value } = parts;
  return {
    type,
    key,
    revision,
    ...(value !== null && { value }),
    ...(previous_value !== null && {
      previous: { key, revision: previous, createRevision: previous_created ?? previous, value: previous_value },
    }),
  };
}

/** The event of a row of kubets_revisions. */
export function eventOfRow(row: EventRow): KvEvent {
  const type = row.value === null ? "delete" : row.previous === 0 ? "create" : "update";
  return eventOf({ ...row, type });
}
