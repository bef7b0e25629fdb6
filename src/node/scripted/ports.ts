import type { ByteStream } from "../../machinery/streaming/byte-stream.js";
import { streamPair } from "../byte-pipe.js";

/** Answers one connection; what it throws breaks the connection. */
export type AnswerConnection = (connection: ByteStream) => void | Promise<void>;

/** The ports of a pod: its containers share them. */
export class PodPorts {
  readonly #listeners = new Map<number, AnswerConnection>();

  /** Answers connections until `signal` aborts. Throws when the port is taken. */
  listen(port: number, answer: AnswerConnection, signal: AbortSignal): void {
    if (this.#listeners.has(port)) throw new Error(`bind: Address already in use: port ${port}`);
    this.#listeners.set(port, answer);
    signal.addEventListener("abort", () => this.#listeners.delete(port), { once: true });
  }

  /** The client's end of a new connection; undefined when nothing listens. */
  dial(port: number): ByteStream | undefined {
    const answer = this.#listeners.get(port);
    if (answer === undefined) return undefined;
    const [client, server] = streamPair();
    void (async () => {
      try {
        await answer(server);
      } catch (error) {
        server.destroy(error instanceof Error ? error : new Error(String(error)));
      }
    })();
    return client;
  }
}
