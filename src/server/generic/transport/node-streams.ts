import type { Readable, Writable } from "node:stream";
import { requestEntityTooLarge } from "../../../machinery/errors/status-error.js";
import type { ResponseWriter } from "../../request/exchange.js";
import type { ExchangeLifetime } from "./lifetime.js";

/**
 * Reads a body whole. Throws a 413 StatusError as soon as it is longer than `limit` bytes. It then reads the rest of the
 * body and drops it, because destroying the stream would lose the answer.
 */
export function readBody(source: Readable, limit: number): Promise<Uint8Array> {
  // An HTTP/2 stream with an empty body ends by itself, possibly before the handler reads it.
  if (source.readableEnded) return Promise.resolve(NOTHING);
  if (source.closed) return Promise.reject(clientGone());
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const take = (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= limit) {
        chunks.push(chunk);
        return;
      }
      source.off("data", take);
      source.resume();
      reject(requestEntityTooLarge(`limit is ${limit}`));
    };
    source.on("data", take);
    source.once("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    source.once("error", reject);
    // Every stream emits close. Destroying it with an error would cost a stack trace.
    source.once("close", () => {
      if (!source.readableEnded) reject(clientGone());
    });
  });
}

const NOTHING = new Uint8Array();

const clientGone = (): Error => new Error("the client is gone");

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
