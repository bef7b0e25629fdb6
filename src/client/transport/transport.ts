import type { ExchangeTrace } from "./exchange-trace.js";

/** One HTTP exchange, whatever carries it: undici, node:https, or a server in the same process. */
export interface Transport {
  /** Resolves when the answer's headers are there. Rejects with {@link TransportError} when there is no answer. */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Ends what is under way, too. */
  close(): Promise<void>;
}

export interface TransportRequest {
  readonly method: string;
  /** Absolute path with the query, e.g. "/api/v1/namespaces?limit=500". */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers sent once for each value, which a joined one does not replace (Impersonate-Group). */
  readonly repeatedHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body?: Uint8Array | undefined;
  /** Aborting it ends the exchange, the answer's body included. */
  readonly signal?: AbortSignal | undefined;
  readonly trace?: ExchangeTrace | undefined;
}

export interface TransportResponse {
  readonly status: number;
  /** Lower-case names; several values of one name are kept apart. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Read it to the end or abort the signal. Chunks come as they arrive; not reading holds the sender back. */
  readonly body: AsyncIterable<Uint8Array>;
}
