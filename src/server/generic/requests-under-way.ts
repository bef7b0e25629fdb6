import { setTimeout } from "node:timers/promises";
import type { Exchange } from "../request/exchange.js";

/** How long clients may take to read their answers once the server wants to end. */
const UNREAD_MS = 5000;

/** The exchanges that are not at their end, so that a server can finish what it accepted. */
export class RequestsUnderWay {
  readonly #running = new Map<Promise<void>, Exchange>();

  add(exchange: Exchange, running: Promise<void>): void {
    const leave = (): void => {
      this.#running.delete(settled);
    };
    const settled = running.then(leave, leave);
    this.#running.set(settled, exchange);
  }

  /** Resolves when all are answered. Clients that do not read are not waited for longer than {@link UNREAD_MS}. */
  async drain(): Promise<void> {
    const all = new AbortController();
    // A client in this process has no socket that would keep the process alive meanwhile, so the timer does.
    const patience = setTimeout(UNREAD_MS, undefined, { signal: all.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#running.keys()), patience]);
    all.abort();
    // What is still being worked on is bounded by the deadline every request has.
    await Promise.all([...this.#running].filter(([, { responded }]) => !responded).map(([settled]) => settled));
  }
}
