import { PeerPulse, type PulseTimes } from "../transport/peer-pulse.js";
import { NetworkFailure } from "../transport/go-network-error.js";
import { LOST, type RequestLifetime } from "./request-lifetime.js";

/**
 * The long streams of a client, each on a separate HTTP/1.1 connection, which costs Node a fifth less than a stream over HTTP/2. While all of them
 * are silent, the server is called on another connection; if it does not respond, all of them end.
 */
export class SharedLine {
  readonly #streams = new Set<RequestLifetime>();
  readonly #pulse: PeerPulse;
  #chunks = 0;

  constructor(times: PulseTimes, reach: (signal: AbortSignal) => Promise<void>) {
    const peer = {
      received: () => this.#chunks,
      ping: (answered: () => void) => {
        // Silence is found by the pulse itself.
        reach(AbortSignal.timeout(times.patience)).then(answered, () => undefined);
      },
      lost: () => {
        for (const stream of this.#streams) stream.lose(new NetworkFailure(LOST));
      },
    };
    this.#pulse = new PeerPulse(peer, times);
  }

  /** A stream belongs to the line from now until it {@link leave}s. */
  join(stream: RequestLifetime): void {
    this.#streams.add(stream);
    this.#pulse.start();
  }

  /** Something came on one of the streams. */
  heard(): void {
    this.#chunks += 1;
  }

  leave(stream: RequestLifetime): void {
    this.#streams.delete(stream);
    if (this.#streams.size === 0) this.#pulse.stop();
  }
}
