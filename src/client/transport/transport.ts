import type { Duplex } from "node:stream";
import type { Socket } from "node:net";

/** Carries HTTP exchanges: over undici, over node:https, or to a server in the same process. */
export interface Transport {
  /** Resolves with the answer's headers. Rejects with {@link TransportError} when the server does not answer. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /**
   * Asks the server for a sign of life on another connection: resolves when it completes TLS or refuses, rejects when it is silent for
   * too long. Left out: the server is in the same process, or speaks no TLS.
   */
  readonly reach?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Carries later exchanges over connections of their own: those that there are may be dead, though nobody was told. Left out: the
   * transport keeps none for long.
   */
  readonly renew?: () => void;
  /**
   * Asks for another protocol on a connection of its own. A transport to a server in the same process has it; for all others
   * client/streaming/upgrade.ts dials.
   */
  readonly upgrade?: ((request: TransportRequest) => Promise<Upgrade>) | undefined;
  /** Closes all connections, including those of exchanges under way. */
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: string;
  /** The absolute path with the query: "/api/v1/namespaces?limit=500". */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers sent once per value, because a joined header would differ (Impersonate-Group). */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: Uint8Array | undefined;
  /** Aborts the exchange, including the answer's body. */
  readonly signal?: AbortSignal | undefined;
  readonly trace?: ExchangeTrace | undefined;
  /** The answer's headers are shown: one that came twice must be a list, which not every transport makes of it. */
  readonly showsHeaders?: boolean;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names. Several values of one name are a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Read it to the end or abort the signal. Chunks come as they arrive, with back-pressure. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** An upgrade answer with its connection: the caller may use it after 101, and must destroy it. */
export interface Upgrade {
  readonly answer: UpgradeAnswer;
  readonly socket: Duplex;
}

/** The answer to an upgrade request. After 101 the connection continues in the other protocol. */
export interface UpgradeAnswer {
  readonly status: number;
  /** "403 Forbidden", as the server words it. */
  readonly statusLine: string;
  /** Lower-case names; several values of a name are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the body of an answer other than 101. */
  readonly body: Uint8Array;
}

/**
 * Records how a transport gets the connection of a request, for the log. The transport calls only `reused` for a connection
 * from its pool, and nothing where it has no connections. Times are milliseconds.
 */
export interface ExchangeTrace {
  /** Called before `socket` connects to `host`, a name or an address. */
  dialing(socket: Socket, host: string, port: number): void;
  shookHands(milliseconds: number): void;
  reused(): void;
}
