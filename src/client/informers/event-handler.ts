/**
 * What an informer calls for the objects it follows. Calls of one handler come in order and one at a time: a promise that a
 * handler returns is awaited before its next call, and holds up no other handler. What a handler throws is reported, and its
 * next call comes all the same. Objects are shared: never change them.
 */
export interface EventHandler<T> {
  /** `isInitial`: the object was there before the handler was added or the informer was started. */
  added?(object: T, isInitial: boolean): void | Promise<void>;
  /** Also called with the same object twice at each resync. */
  updated?(before: T, after: T): void | Promise<void>;
  /**
   * `isFinal` is false when the deletion itself was missed, and `object` is the last known state: a list no longer has it.
   */
  deleted?(object: T, isFinal: boolean): void | Promise<void>;
}

/** A handler that was added to an informer. */
export interface HandlerRegistration {
  /** Resolves when the handler was called for every object that was there at first. */
  readonly synced: Promise<void>;
  hasSynced(): boolean;
  /** How many calls wait for the handler. */
  readonly pending: number;
  /** No further call is begun. */
  remove(): void;
}
