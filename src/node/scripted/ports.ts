import { setMaxListeners } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect } from "node:net";
import type { ByteStream } from "../../machinery/wire/streams/byte-stream.js";
import { streamPair } from "../byte-pipe.js";
import { duplexOf } from "../../machinery/wire/streams/duplexes.js";
import { byteStreamOf } from "../../machinery/wire/streams/duplexes.js";
import { joinStreams } from "../../machinery/wire/streams/byte-stream.js";

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

/** Opens a connection to a listener, and returns the client's end. It breaks when the listener's signal aborts. */
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

/** A port of a scripted image that answers HTTP: `ports: { 80: httpPort((request, response) => response.end("hello")) }`. */
export function httpPort(listener: RequestListener): AnswerConnection {
  const server = createServer(listener);
  return (connection) => {
    const socket = duplexOf(connection);
    socket.on("error", () => {});
    server.emit("connection", socket);
  };
}

/** A port of a scripted image that is a port of this machine, for programs that run outside: a database. */
export function localPort(port: number, host = "127.0.0.1"): AnswerConnection {
  return async (connection) => {
    const socket = connect({ port, host, allowHalfOpen: true, noDelay: true });
    await joinStreams(connection, byteStreamOf(socket));
  };
}
