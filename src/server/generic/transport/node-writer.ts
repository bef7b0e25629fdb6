import type { Writable } from "node:stream";
import type { ResponseWriter } from "../../request/exchange.js";
import type { ExchangeLifetime } from "./lifetime.js";

/** Writes to an HTTP/1.1 response or an HTTP/2 stream and waits while its buffer is full. */
export class NodeWriter implements ResponseWriter {
  constructor(
    private readonly sink: Writable,
    private readonly lifetime: ExchangeLifetime,
  ) {}

  write(chunk: Uint8Array): Promise<void> {
    if (this.#isGone()) return Promise.reject(CLIENT_IS_GONE);
    return this.sink.write(chunk) ? WRITTEN : this.#drained();
  }

  end(chunk?: Uint8Array): Promise<void> {
    if (this.#isGone()) return Promise.reject(CLIENT_IS_GONE);
    return new Promise<void>((resolve) => {
      this.lifetime.onLeave(resolve);
      if (chunk === undefined) this.sink.end(resolve);
      else this.sink.end(chunk, resolve);
    });
  }

  #drained(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.sink.once("drain", resolve);
      this.lifetime.onLeave(() => reject(CLIENT_IS_GONE));
    });
  }

  #isGone(): boolean {
    return this.lifetime.left || this.sink.destroyed;
  }
}

const WRITTEN = Promise.resolve();

/** One for all: every new error records where it was made, and a client that goes may leave hundreds of answers. */
const CLIENT_IS_GONE = new Error("the client is gone");
