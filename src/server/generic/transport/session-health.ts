import type { Http2Session, ServerHttp2Stream } from "node:http2";

/** What a connection had read and written when it was probed. */
interface Probe {
  readonly read: number;
  readonly written: number;
  /** How often the connection was found unchanged since. */
  unchanged: number;
}

/**
 * Finds out that nghttp2 has given up a connection. It does when a field of a head is longer than 65,536 bytes: it sends GOAWAY, and
 * from then on reads and sends nothing. Node does not tell, and the client waits for the answer to a request that GOAWAY counts as received.
 */
export class SessionHealth {
  #lastStream = 0;
  #probe: Probe | undefined;
  /** How much was read when the connection was last found to be alive while a head was incomplete. */
  #aliveAt: number | undefined;

  constructor(private readonly session: Http2Session) {}

  /** To be called with each stream of the connection. */
  began({ id = 0 }: ServerHttp2Stream): void {
    this.#lastStream = id;
  }

  /**
   * To be called at intervals. True for a connection whose last head has begun and is not complete, and that does not send the PING that
   * it was told to send, in two intervals: it is dead. Only such a head has a connection probed.
   */
  isDead(): boolean {
    const { session } = this;
    if (session.destroyed || (session.state.lastProcStreamID ?? 0) <= this.#lastStream) return false;
    const { bytesRead: read, bytesWritten: written } = session.socket;
    if (this.#aliveAt === read) return false;
    if (this.#probe?.read === read) {
      if (this.#probe.written === written) return ++this.#probe.unchanged === 2;
      this.#aliveAt = read;
      this.#probe = undefined;
      return false;
    }
    // False when ten are unanswered: the client sends its head slowly, and answers none before the end.
    this.#probe = session.ping(() => {}) ? { read, written, unchanged: 0 } : undefined;
    return false;
  }
}
