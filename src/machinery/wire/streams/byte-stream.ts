/**
 * Bytes in two directions, each with back-pressure: a reader that does not read stops the writer at the other end.
 *
 * Reading: iterate once. The iteration ends when the other end has finished writing, and throws when the stream broke. A loop that
 * is left early drops what comes later, so that it holds back no other stream of the same connection.
 */
export interface ByteStream extends AsyncIterable<Uint8Array> {
  /**
   * Writes a chunk, which may not change afterwards. Resolves when more may be written: await it. Rejects once the other end is gone
   * or after {@link end}.
   */
  write(chunk: Uint8Array): Promise<void>;
  /** Finishes writing; reading goes on. Never rejects, and has no effect the second time. */
  end(): Promise<void>;
  /** Abandons both directions: the other end reads an error or an end, readers of this end get `error`, or an end without one. */
  destroy(error?: Error): void;
}

/**
 * Copies each stream to the other until both directions have ended; the end of a direction is passed on for itself. When one stream
 * breaks, the other is destroyed. Never rejects: resolves with what broke first, if anything did. `onEnd` is called when the end of
 * `from` has been passed on.
 */
export async function joinStreams(
  one: ByteStream,
  other: ByteStream,
  onEnd?: (from: ByteStream) => void,
): Promise<Error | undefined> {
  let fault: Error | undefined;
  const copy = async (from: ByteStream, to: ByteStream): Promise<void> => {
    try {
      for await (const chunk of from) await to.write(chunk);
      await to.end();
      onEnd?.(from);
    } catch (error) {
      fault ??= error instanceof Error ? error : new Error(String(error));
      one.destroy();
      other.destroy();
    }
  };
  await Promise.all([copy(one, other), copy(other, one)]);
  return fault;
}

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

/** A stream that the other end has opened. It waits until it is accepted or reset. */
export interface IncomingStream {
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Takes the stream. */
  accept(): ByteStream;
  /** Resets the stream. */
  refuse(): void;
}
