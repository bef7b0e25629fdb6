import { setMaxListeners } from "node:events";
import type { ByteStream } from "../../machinery/wire/streams/byte-stream.js";
import { streamPair } from "../byte-pipe.js";

/** Answers one connection; what it throws breaks the connection. */
export type AnswerConnection = (connection: ByteStream) => void | Promise<void>;

interface Listener {
  readonly answer: AnswerConnection;
  readonly signal: AbortSignal;
}

/** The ports of a pod: its containers share them. */
export class PodPorts {
  readonly #listeners = new Map<number, Listener>();

  /** Answers connections until `signal` aborts, which breaks those that are open. Throws when the port is taken. */
  listen(port: number, answer: AnswerConnection, signal: AbortSignal): void {
    if (this.#listeners.has(port)) throw new Error(`bind: Address already in use: port ${port}`);
    this.#listeners.set(port, { answer, signal });
    signal.addEventListener("abort", () => this.#listeners.delete(port), { once: true });
  }

  /** Whether something answers connections to the port. */
  has(port: number): boolean {
    return this.#listeners.has(port);
  }

  /** The client's end of a new connection; undefined when nothing listens. */
  dial(port: number): ByteStream | undefined {
    const listener = this.#listeners.get(port);
    return listener && connectionTo(listener);
  }
}

/** The client's end of a new connection, which breaks when the listener's signal aborts. */
export function connectionTo({ answer, signal }: Listener): ByteStream {
  const [client, server] = streamPair();
  // Each open connection listens.
  setMaxListeners(0, signal);
  const reset = (): void => server.destroy();
  const over = (): void => signal.removeEventListener("abort", reset);
  signal.addEventListener("abort", reset, { once: true });
  void (async () => {
    try {
      await answer(server);
    } catch (error) {
      server.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  })();
  return {
    ...client,
    destroy(error) {
      over();
      client.destroy(error);
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* client;
      } finally {
        over();
      }
    },
  };
}
