import { once } from "node:events";
import type { Writable } from "node:stream";
import type { ResponseWriter } from "../../request/exchange.js";

/** Writes to an HTTP/1.1 response or an HTTP/2 stream; waits whenever its buffer is full. */
export class NodeWriter implements ResponseWriter {
  constructor(
    private readonly sink: Writable,
    private readonly signal: AbortSignal,
  ) {}

  async write(chunk: Uint8Array): Promise<void> {
    this.#check();
    if (!this.sink.write(chunk)) await once(this.sink, "drain", { signal: this.signal });
  }

  async end(chunk?: Uint8Array): Promise<void> {
    this.#check();
    await new Promise<void>((resolve) => {
      this.sink.once("close", resolve);
      if (chunk === undefined) this.sink.end(resolve);
      else this.sink.end(chunk, resolve);
    });
  }

  #check(): void {
    if (this.signal.aborted || this.sink.destroyed) throw new Error("the client is gone");
  }
}
