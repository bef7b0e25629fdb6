import type { ByteStream } from "./byte-stream.js";

/** Many streams over one connection, opened by either end: Kubernetes' httpstream.Connection. */
export interface MultiplexedConnection {
  /**
   * Opens a stream and resolves when the other end has accepted it. Rejects when that end refuses it, is gone, or does not answer
   * within 30 seconds. Names of `headers` are case-blind.
   */
  open(headers: Readonly<Record<string, string>>): Promise<ByteStream>;
  /** The streams that the other end opens, in its order. Iterate it once; it ends with the connection and never throws. */
  readonly incoming: AsyncIterable<IncomingStream>;
  /** Closes the connection and every stream. Resolves when it is closed; never rejects. */
  close(): Promise<void>;
  /** Resolves when the connection is over, for whatever reason; never rejects. */
  readonly closed: Promise<void>;
  /** Why the connection broke; undefined while it is open and after an orderly end. */
  readonly fault: Error | undefined;
}

/** A stream that the other end has opened. It waits until it is accepted or refused. */
export interface IncomingStream {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Takes the stream. */
  accept(): ByteStream;
  /** Resets the stream. */
  refuse(): void;
}
