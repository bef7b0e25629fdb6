import { deferred } from "../../base/async/deferred.js";
import { Fifo } from "../../base/collections/fifo.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";

/** One call of a handler. "synced" follows the last initial object. */
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

  /** Queues a call. The handler is never called within `push`, so that it may add and remove handlers. */
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

/**
 * The functions that an informer calls for changes of its objects. The calls of one handler come in order and one at a time: the informer
 * awaits a promise that a handler returns before it calls this handler again, and other handlers do not wait for it. An exception of a
 * handler is reported, and its next call still comes. Objects are shared: never change them.
 */
export interface EventHandler<T> {
  /** `isInitial` is true for an object that existed before the handler was added or the informer was started. */
  added?(object: T, isInitial: boolean): void | Promise<void>;
  /** Also called with the same object twice at each resync. */
  updated?(before: T, after: T): void | Promise<void>;
  /** `isFinal` is false when the watch missed the deletion: `object` is then the last known state. */
  deleted?(object: T, isFinal: boolean): void | Promise<void>;
}

/** A handler that was added to an informer. */
export interface HandlerRegistration {
  /** Resolves when the handler was called for every initial object. */
  readonly synced: Promise<void>;
  hasSynced(): boolean;
  /** How many calls wait for the handler. */
  readonly pending: number;
  /** Removes the handler; no further call begins. */
  remove(): void;
}
