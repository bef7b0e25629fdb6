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
