import { atoi } from "../../machinery/text/go/atoi.js";
import type { Environment } from "../surroundings.js";

/** Milliseconds. */
export interface PulseTimes {
  /** How long the peer may be silent before it is asked. */
  readonly silence: number;
  /** How long it may take to answer. */
  readonly patience: number;
}

/**
 * The times of client-go's pings, from its variables HTTP2_READ_IDLE_TIMEOUT_SECONDS (default 30; 0: no pings) and
 * HTTP2_PING_TIMEOUT_SECONDS (default 15). Undefined where the client sends no pings, as with DISABLE_HTTP2.
 */
export function pulseTimes(env: Environment): PulseTimes | undefined {
  const silence = secondsOf(env["HTTP2_READ_IDLE_TIMEOUT_SECONDS"], 30);
  if (isHttp2Disabled(env) || silence <= 0) return undefined;
  return { silence: silence * 1000, patience: secondsOf(env["HTTP2_PING_TIMEOUT_SECONDS"], 15) * 1000 };
}

export const isHttp2Disabled = (env: Environment): boolean => Boolean(env["DISABLE_HTTP2"]);

function secondsOf(text: string | undefined, otherwise: number): number {
  const seconds = text ? atoi(text) : otherwise;
  return typeof seconds === "number" ? seconds : otherwise;
}

/** How often within a silence it is looked whether something came. A peer is asked one look earlier, so that it is never asked late. */
const LOOKS = 6;

export interface Peer {
  /** How many bytes it has sent until now. */
  received(): number;
  /** Asks the peer for a sign of life. */
  ping(answered: () => void): void;
  /** Called once, for a peer that gave none. */
  lost(): void;
}

/** Checks that the other end of a connection is alive: it pings a silent peer, and reports it lost when no answer comes. */
export class PeerPulse {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly peer: Peer,
    private readonly times: PulseTimes,
  ) {}

  /** Has no effect while it watches. */
  start(): void {
    if (this.#timer === undefined) this.#listen();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #listen(): void {
    let received = this.peer.received();
    let silent = 0;
    this.stop();
    // A timer keeps no process alive: the connection does.
    this.#timer = setInterval(() => {
      const now = this.peer.received();
      silent = now === received ? silent + 1 : 0;
      received = now;
      if (silent === LOOKS - 1) this.#ask();
    }, this.times.silence / LOOKS).unref();
  }

  #ask(): void {
    this.stop();
    const asked = setTimeout(() => {
      this.#timer = undefined;
      this.peer.lost();
    }, this.times.patience).unref();
    this.#timer = asked;
    this.peer.ping(() => {
      if (this.#timer === asked) this.#listen();
    });
  }
}
