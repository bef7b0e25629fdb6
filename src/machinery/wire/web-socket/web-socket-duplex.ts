import { Duplex } from "node:stream";
import type { WebSocket } from "./web-socket.js";

/** The longest message of several chunks: a SPDY frame with its head. */
const SHARED_MESSAGE = 64 * 1024 + 8;

/**
 * Wraps a WebSocket as one stream of bytes in each direction, for another protocol over its binary messages. The end of the stream
 * closes the WebSocket.
 */
export function webSocketDuplex(webSocket: WebSocket): Duplex {
  return new WebSocketDuplex(webSocket);
}

class WebSocketDuplex extends Duplex {
  #wanted: (() => void) | undefined;

  constructor(private readonly webSocket: WebSocket) {
    super({ highWaterMark: 64 * 1024, allowHalfOpen: true });
    void this.#pump();
  }

  override _read(): void {
    this.#wanted?.();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    this.webSocket.send([chunk]).then(() => done(), done);
  }

  override _writev(chunks: { readonly chunk: Uint8Array }[], done: (error?: Error) => void): void {
    this.#send(chunks.map(({ chunk }) => chunk)).then(() => done(), done);
  }

  override _final(done: (error?: Error) => void): void {
    void this.webSocket.close();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#wanted?.();
    // A connection that ended in order says so.
    if (error === null) void this.webSocket.close();
    else this.webSocket.destroy();
    done(error);
  }

  /** Chunks that follow each other share a message while it is short. */
  async #send(chunks: readonly Uint8Array[]): Promise<void> {
    let message: Uint8Array[] = [];
    let length = 0;
    for (const chunk of chunks) {
      if (message.length > 0 && length + chunk.length > SHARED_MESSAGE) {
        await this.webSocket.send(message);
        [message, length] = [[], 0];
      }
      message.push(chunk);
      length += chunk.length;
    }
    await this.webSocket.send(message);
  }

  async #pump(): Promise<void> {
    try {
      for await (const { text, data } of this.webSocket.pieces()) {
        if (text) throw new Error("invalid message type received");
        if (!this.push(data)) await new Promise<void>((resolve) => (this.#wanted = resolve));
        this.#wanted = undefined;
        if (this.destroyed) return;
      }
      this.push(null);
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
