import { deferred } from "../../base/async/deferred.js";
import { Fifo } from "../../base/collections/fifo.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";
import type { EventHandler, HandlerRegistration } from "./event-handler.js";

/** One call of a handler. "synced" marks the end of the objects that were there at first. */
export type Notification<T> =
  | { readonly type: "added"; readonly object: T; readonly isInitial: boolean }
  | { readonly type: "updated"; readonly before: T; readonly after: T }
  | { readonly type: "deleted"; readonly object: T; readonly isFinal: boolean }
  | { readonly type: "synced" };

/** The calls that wait for one handler, in order. A slow handler fills its own queue and delays no other handler. */
export class HandlerQueue<T> implements HandlerRegistration {
  #waiting = new Fifo<Notification<T>>();
  readonly #synced = deferred<void>();
  #hasSynced = false;
  #running = false;
  #removed = false;

  constructor(
    private readonly handler: EventHandler<T>,
    private readonly options: {
      /** 0: never. */
      readonly resyncMilliseconds: number;
      readonly onError: (error: unknown) => void;
      readonly onRemove: () => void;
    },
  ) {}

  get resyncMilliseconds(): number {
    return this.options.resyncMilliseconds;
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  hasSynced(): boolean {
    return this.#hasSynced;
  }

  get pending(): number {
    return this.#waiting.length;
  }

  remove(): void {
    this.#removed = true;
    this.#waiting = new Fifo();
    this.options.onRemove();
  }

  /** The handler is called later, never within this call: it may add and remove handlers. */
  push(notification: Notification<T>): void {
    if (this.#removed) return;
    this.#waiting.push(notification);
    if (this.#running) return;
    this.#running = true;
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      try {
        const answer = this.#call(next);
        if (answer !== undefined) await answer;
      } catch (error) {
        this.options.onError(error);
      }
      if (sliceIsSpent()) await nextSlice();
    }
    this.#running = false;
  }

  #call(notification: Notification<T>): void | Promise<void> {
    switch (notification.type) {
      case "added":
        return this.handler.added?.(notification.object, notification.isInitial);
      case "updated":
        return this.handler.updated?.(notification.before, notification.after);
      case "deleted":
        return this.handler.deleted?.(notification.object, notification.isFinal);
      case "synced":
        this.#hasSynced = true;
        this.#synced.resolve();
    }
  }
}
