import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import { startStopwatch } from "../../../base/time/timers.js";
import { ClosedError, UnavailableError } from "../kv.js";
import type { Pg } from "./connection.js";
import { isLost, mayTryAgain, unavailable } from "./failures.js";
import { OWN_PROCESS, type Statement } from "./statements.js";

/** How long a call goes on connecting anew, in milliseconds. */
const PATIENCE = 15_000;
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1000;
/** Connections that read. */
const READERS = 4;
/** How long a connection that nobody uses is kept, in milliseconds. */
const IDLE = 60_000;

/** A connection, and the process that serves it in the database. */
export interface Session {
  readonly client: pg.Client;
  readonly process: { readonly pid: number; readonly since: string };
}

/** Connections to one database, which are opened again when they break. */
export class Database {
  readonly #readers: pg.Pool;
  readonly #closing = new AbortController();
  readonly #clients = new Set<pg.Client>();

  constructor(
    private readonly driver: Pg,
    private readonly options: pg.ClientConfig,
  ) {
    this.#readers = new driver.Pool({ ...options, max: READERS, idleTimeoutMillis: IDLE });
    // An idle connection broke. The next read makes another one.
    this.#readers.on("error", () => {});
  }

  get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Runs a statement that changes nothing, or the same when it runs twice. */
  read<Row extends object>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    return this.again(async () => {
      const { rows } = await this.#readers.query<Row & pg.QueryResultRow>({ ...statement, values: [...values] });
      return rows;
    });
  }

  /**
   * Tries until the database answers or {@link PATIENCE} is over, while connections break. Rejects with UnavailableError, and with ClosedError
   * once the database is closing.
   */
  async again<T>(attempt: () => Promise<T>, patience: number = PATIENCE): Promise<T> {
    const elapsed = startStopwatch();
    for (let wait = FIRST_PAUSE; ; wait = Math.min(wait * 2, LONGEST_PAUSE)) {
      if (this.isClosing) throw new ClosedError();
      try {
        return await attempt();
      } catch (error) {
        if (this.isClosing) throw new ClosedError();
        const isFinal = error instanceof UnavailableError || !(isLost(error) || mayTryAgain(error));
        if (isFinal || elapsed() + wait >= patience) throw unavailable(error);
        await setTimeout(wait, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
    }
  }

  /** Opens a connection of the caller's own, which {@link close} ends too. */
  async connect(): Promise<Session> {
    const client = new this.driver.Client(this.options);
    // What breaks it is told to whoever uses it next.
    client.on("error", () => {});
    try {
      await client.connect();
      this.#clients.add(client);
      client.once("end", () => this.#clients.delete(client));
      // Nobody ends it else: a client of pg whose end is asked for while it connects never ends.
      if (this.isClosing) throw new ClosedError();
      const { rows } = await client.query<{ pid: number; since: string }>({ ...OWN_PROCESS });
      const [process] = rows;
      if (process === undefined) throw new Error("the database does not show this connection's own process");
      return { client, process };
    } catch (error) {
      void client.end().catch(() => {});
      throw error;
    }
  }

  /** Ends the connections. What is under way rejects. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#readers.end(), ...[...this.#clients].map((client) => client.end())]).catch(() => {});
  }
}
