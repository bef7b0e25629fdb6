import { Fifo } from "../../../base/collections/fifo.js";
import type { IncomingStream } from "../streams/multiplexed-connection.js";

/** The streams that a peer has opened, until they are taken. */
export class IncomingStreams implements AsyncIterable<IncomingStream> {
  readonly #streams = new Fifo<IncomingStream>();
  #ended = false;
  #wake: (() => void) | undefined;

  /** How many have not been taken. */
  get waiting(): number {
    return this.#streams.length;
  }

  push(stream: IncomingStream): void {
    this.#streams.push(stream);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<IncomingStream> {
    for (;;) {
      const stream = this.#streams.shift();
      if (stream !== undefined) yield stream;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
