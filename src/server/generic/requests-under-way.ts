import { setTimeout } from "node:timers/promises";
import type { Exchange } from "../request/exchange.js";

/** How long a stopping server waits for clients to read their answers. */
const UNREAD_MS = 5000;

/** The exchanges that have not ended, so that a stopping server can answer the requests it accepted. */
export class RequestsUnderWay {
  readonly #running = new Map<Promise<void>, Exchange>();

  add(exchange: Exchange, running: Promise<void>): void {
    const leave = (): void => {
      this.#running.delete(settled);
    };
    const settled = running.then(leave, leave);
    this.#running.set(settled, exchange);
  }

  /**
   * Resolves when all requests are answered. After {@link UNREAD_MS} it stops waiting for clients that do not read their
   * answers.
   */
  async drain(): Promise<void> {
    const all = new AbortController();
    // An in-process client has no socket that keeps the process alive meanwhile. The timer does.
    const patience = setTimeout(UNREAD_MS, undefined, { signal: all.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#running.keys()), patience]);
    all.abort();
    // Requests without an answer end by their deadline.
    await Promise.all([...this.#running].filter(([, { responded }]) => !responded).map(([settled]) => settled));
  }
}
