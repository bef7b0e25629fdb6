import { constants, type Http2Session, type ServerHttp2Stream } from "node:http2";

/** The limits of one HTTP/2 connection. */
export interface SessionLimits {
  /** Streams that are open at once, and requests of it that run at once: those whose client has reset them too, until they end. */
  readonly streams: number;
  /** Streams that wait for earlier requests to end. With more the connection is closed with ENHANCE_YOUR_CALM, as Go closes it. */
  readonly waiting: number;
  /** Requests of callers that were not authenticated, one after the other, before the connection is to end. */
  readonly strangers: number;
  /** How long a connection stays open without streams, in milliseconds. */
  readonly idle: number;
  /** The same, for one whose last request came from a caller that was not authenticated. */
  readonly strangerIdle: number;
  /** How long the body of a request that was answered may still come. */
  readonly lateBody: number;
}

/** nghttp2's error for a head in more than nine frames. */
const TOO_MANY_FRAMES = "Too many CONTINUATION frames following a HEADER frame";

/** How often the connections of a port are looked at, in milliseconds. */
const LOOK_MS = 500;

/** The HTTP/2 connections of a port, and the limits of their open streams. */
export class Http2Sessions {
  readonly #sessions = new Map<Http2Session, BoundedSession>();
  #looking: NodeJS.Timeout | undefined;

  /** `onLongHead` is called with the address of a client that has sent a head that is too long for Node's HTTP/2. */
  constructor(
    private readonly limits: SessionLimits,
    private readonly onLongHead: (address: string) => void,
  ) {}

  add(session: Http2Session): void {
    const { remoteAddress = "" } = session.socket;
    this.#sessions.set(session, new BoundedSession(session, this.limits));
    session.once("close", () => this.#remove(session));
    session.on("error", ({ message }) => {
      if (message === TOO_MANY_FRAMES) this.onLongHead(remoteAddress);
      session.destroy();
    });
    this.#looking ??= setInterval(() => this.#endDead(), LOOK_MS).unref();
  }

  #remove(session: Http2Session): void {
    this.#sessions.delete(session);
    if (this.#sessions.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #endDead(): void {
    for (const [session, { health }] of this.#sessions) {
      if (!health.isDead()) continue;
      this.onLongHead(session.socket.remoteAddress ?? "");
      session.destroy();
    }
  }

  /** Serves a stream when its connection may have one more request: now, when others have ended, or never, for one that is reset before. */
  take(stream: ServerHttp2Stream, serve: (bounds: StreamBounds) => Promise<void>): void {
    // Every stream of a connection that is reset fails, also one that waits. What nobody listens to would end the process.
    stream.on("error", () => {});
    const { session } = stream;
    if (session === undefined || stream.closed) return;
    this.#sessions.get(session)?.take(stream, serve);
  }

  /** Accepts no more streams on any connection, and closes each when it has none. */
  close(): void {
    for (const session of this.#sessions.keys()) session.close();
  }

  destroy(): void {
    for (const session of this.#sessions.keys()) session.destroy();
  }
}

/** Lets a request report to its connection. */
export interface StreamBounds {
  /** Whether the caller was authenticated. */
  authenticated(isKnown: boolean): void;
}

/** Streams of a connection that begin in one turn of the event loop: one packet may open a hundred. */
const STARTED_AT_ONCE = 10;

class BoundedSession implements StreamBounds {
  readonly health: SessionHealth;
  #open = 0;
  #running = 0;
  /** Streams that have begun since the last turn that {@link #startLater} waited for. */
  #started = 0;
  readonly #waiting = new Map<ServerHttp2Stream, () => void>();
  #strangers = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly session: Http2Session,
    private readonly limits: SessionLimits,
  ) {
    this.health = new SessionHealth(session);
    // Node starts it again with each frame: it closes what is silent, as Node closes idle HTTP/1.1 connections.
    session.setTimeout(limits.idle, () => {
      if (this.#open === 0) session.close();
    });
  }

  take(stream: ServerHttp2Stream, serve: (bounds: StreamBounds) => Promise<void>): void {
    this.#open += 1;
    this.health.began(stream);
    clearTimeout(this.#idle);
    stream.once("close", () => {
      this.#open -= 1;
      this.#waiting.delete(stream);
      if (this.#open === 0 && this.#strangers > 0) this.#closeSoon();
    });
    const start = (): void => this.#start(stream, serve);
    if (this.#mayStart() && this.#waiting.size === 0) start();
    else if (this.#waiting.size < this.limits.waiting) this.#waiting.set(stream, start);
    else this.#refuse();
  }

  /** A connection costs such a caller nothing, and streams on it less: it gets few, and then has to open another. */
  authenticated(isKnown: boolean): void {
    this.#strangers = isKnown ? 0 : this.#strangers + 1;
    // Streams that are open go on to their end.
    if (this.#strangers >= this.limits.strangers && !this.session.closed) this.session.close();
  }

  #start(stream: ServerHttp2Stream, serve: (bounds: StreamBounds) => Promise<void>): void {
    this.#running += 1;
    this.#started += 1;
    if (this.#started === STARTED_AT_ONCE) setImmediate(() => this.#startLater());
    void serve(this).finally(() => {
      this.#running -= 1;
      this.#endLateBody(stream);
      this.#startWaiting();
    });
  }

  #mayStart(): boolean {
    return this.#running < this.limits.streams && this.#started < STARTED_AT_ONCE;
  }

  #startLater(): void {
    this.#started = 0;
    this.#startWaiting();
  }

  #startWaiting(): void {
    while (this.#mayStart()) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      this.#waiting.delete(next[0]);
      next[1]();
    }
  }

  /** Node tells the client no reason when a connection is destroyed at once. */
  #refuse(): void {
    this.session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    setImmediate(() => this.session.destroy());
  }

  /** A client that sends on after the answer holds the stream open. */
  #endLateBody(stream: ServerHttp2Stream): void {
    if (stream.closed || stream.readableEnded) return;
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), this.limits.lateBody);
    timer.unref();
    stream.once("close", () => clearTimeout(timer));
  }

  /** Behind the last answer: a client that is told in between would lose what it sends meanwhile. */
  #closeSoon(): void {
    this.#idle = setTimeout(() => {
      if (this.#open === 0) this.session.close();
    }, this.limits.strangerIdle);
    this.#idle.unref();
  }
}

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
class SessionHealth {
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
