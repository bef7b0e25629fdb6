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
