import { deferred } from "../../base/async/deferred.js";
import { throwUncaught } from "../../base/async/throw-uncaught.js";
import { nextSlice, sliceIsSpent } from "../../base/async/time-slice.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ListWatch, ReflectorFault, Selection } from "../reflector/list-watch.js";
import { Reflector } from "../reflector/reflector.js";
import { type Surroundings, surroundingsOf } from "../surroundings.js";
import { type Delta, DeltaQueue, Tombstone } from "./delta-queue.js";
import { type EventHandler, type HandlerRegistration, HandlerQueue, type Notification } from "./handler-queue.js";
import { type IndexFunction, Indexer, type ReadonlyIndexer, Lister, objectKey } from "./indexer.js";

/** More different ones, and the pool begins anew: what is common comes back at once. */
const MOST_SHARED = 1024;
/** Longer ones are seldom equal, and their text is kept. Characters. */
const LONGEST_SHARED = 4096;

/**
 * Shares one `fieldsV1` among objects that the same managers wrote. fieldsV1 is most of the memory of a small parsed object, and equal for
 * all objects of one controller: a cache of 100,000 ConfigMaps needs half of the memory.
 */
class SharedFields {
  readonly #known = new Map<string, object>();

  /** Replaces the fields of a new object, which nobody else has seen yet, by shared ones. */
  share({ metadata }: ApiObject): void {
    for (const entry of metadata?.managedFields ?? []) {
      const { fieldsV1 } = entry;
      if (fieldsV1 === undefined) continue;
      const text = JSON.stringify(fieldsV1);
      if (text.length > LONGEST_SHARED) continue;
      const known = this.#known.get(text);
      if (known !== undefined) entry.fieldsV1 = known as typeof fieldsV1;
      else this.#remember(text, fieldsV1);
    }
  }

  #remember(text: string, fields: object): void {
    if (this.#known.size >= MOST_SHARED) this.#known.clear();
    this.#known.set(text, fields);
  }
}

export interface InformerOptions<T extends ApiObject> extends Partial<Surroundings> {
  readonly selection?: Selection;
  /**
   * The period after which a handler sees every object of the cache again, unless the handler has one of its own. 0, the default: never.
   */
  readonly resyncMilliseconds?: number;
  /** Indices of the cache besides that by namespace. */
  readonly indexers?: Readonly<Record<string, IndexFunction<T>>>;
  /** Changes objects before they are cached, for example to drop unused fields. An object for which it throws is cached unchanged. */
  readonly transform?: (object: T) => T;
  /** As {@link ReflectorOptions.streamingLists}. */
  readonly streamingLists?: boolean;
  /**
   * Calls `listener` once the collection may have objects, and before it resolves if it may have them now. Until then the informer reads
   * nothing, and its empty cache counts as filled. The returned function ends the waiting. Default: the informer reads at once.
   */
  readonly whenOccupied?: (listener: () => void) => Promise<() => void>;
  /** Called when a list or watch fails. The informer retries after the wait that the fault names. */
  readonly onFault?: (fault: ReflectorFault) => void;
  /** Called with what a handler, the transform or an index function threw. Default: it is an uncaught exception. */
  readonly onError?: (error: unknown) => void;
}

/** No resync is checked for more often. Milliseconds. */
const SHORTEST_RESYNC_MS = 1000;

/**
 * A cache that follows a collection and calls handlers for its changes: one list and one watch for any number of handlers (client-go's
 * SharedIndexInformer). The cache is at least as new as the objects that a handler is called with.
 */
export class SharedInformer<T extends ApiObject> {
  readonly #indexer: Indexer<T>;
  readonly #deltas: DeltaQueue<T>;
  readonly #reflector: Reflector<T>;
  readonly #surroundings: Surroundings;
  readonly #handlers = new Set<HandlerQueue<T>>();
  readonly #synced = deferred<void>();
  /** Milliseconds until each handler that resyncs is due, counted from the last scheduling. */
  readonly #resyncDue = new Map<HandlerQueue<T>, number>();
  readonly #syncing = new Set<HandlerQueue<T>>();
  #hasSynced = false;
  #consuming = false;
  #stopped = false;
  #running: Promise<void> | undefined;
  #cancelResync = (): void => {};
  #sinceScheduled = (): number => 0;

  constructor(
    source: ListWatch<T>,
    private readonly options: InformerOptions<T> = {},
  ) {
    const { indexers = {}, transform, selection, streamingLists, onFault } = options;
    this.#surroundings = surroundingsOf(options);
    this.#indexer = new Indexer(this.#reportingAll(indexers));
    this.#deltas = new DeltaQueue({
      known: this.#indexer,
      transform: sharingFields(transform && this.#reporting(transform, (object) => object)),
    });
    this.#reflector = new Reflector(source, this.#store(), {
      ...this.#surroundings,
      ...(selection && { selection }),
      ...(streamingLists !== undefined && { streamingLists }),
      ...(onFault && { onFault }),
    });
  }

  /** The cache. It is empty before the first list. */
  get cache(): ReadonlyIndexer<T> {
    return this.#indexer;
  }

  get lister(): Lister<T> {
    return new Lister(this.#indexer);
  }

  /** The resourceVersion that was last read. */
  get resourceVersion(): string {
    return this.#reflector.resourceVersion;
  }

  /** Whether the cache holds what the first list had. */
  hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Resolves when the cache holds what the first list had. It never does for an informer that is stopped before. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Adds indices, before or while the informer runs. An object for which an index function throws is not in that index. */
  addIndexers(indexers: Readonly<Record<string, IndexFunction<T>>>): void {
    this.#indexer.addIndexers(this.#reportingAll(indexers));
  }

  /**
   * Adds a handler. While the informer runs, it is first called for every object of the cache. Throws when the informer has stopped, because
   * the handler would never be called.
   */
  addHandler(handler: EventHandler<T>, options: { readonly resyncMilliseconds?: number } = {}): HandlerRegistration {
    if (this.#stopped) throw new Error("the informer has stopped: no handler can be added");
    const asked = options.resyncMilliseconds ?? this.options.resyncMilliseconds ?? 0;
    const queue: HandlerQueue<T> = new HandlerQueue(handler, {
      resyncMilliseconds: asked === 0 ? 0 : Math.max(asked, SHORTEST_RESYNC_MS),
      onError: (error) => this.#report(error),
      onRemove: () => {
        this.#handlers.delete(queue);
        this.#resyncDue.delete(queue);
        this.#syncing.delete(queue);
      },
    });
    for (const object of this.#indexer.values()) queue.push({ type: "added", object, isInitial: true });
    if (this.#hasSynced) queue.push({ type: "synced" });
    this.#handlers.add(queue);
    if (queue.resyncMilliseconds > 0) {
      this.#passResyncTime(this.#sinceScheduled());
      this.#resyncDue.set(queue, queue.resyncMilliseconds);
      if (this.#running !== undefined) this.#scheduleResync();
    }
    return queue;
  }

  /** Follows the collection until the signal aborts or the client is closed, and resolves then. An informer runs once. */
  run(signal: AbortSignal): Promise<void> {
    if (this.#running !== undefined) throw new Error("the informer was started already");
    this.#running = this.#follow(signal).finally(() => {
      this.#stopped = true;
      this.#cancelResync();
      for (const handler of this.#handlers) handler.remove();
    });
    this.#scheduleResync();
    return this.#running;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { whenOccupied } = this.options;
    if (whenOccupied !== undefined) {
      const occupied = deferred<void>();
      let empty = true;
      const stopWaiting = await whenOccupied(() => {
        empty = false;
        occupied.resolve();
      });
      if (empty) this.#store().replace([], false);
      const stopped = (): void => occupied.resolve();
      signal.addEventListener("abort", stopped, { once: true });
      if (signal.aborted) stopped();
      await occupied.promise;
      signal.removeEventListener("abort", stopped);
      stopWaiting();
    }
    await this.#reflector.run(signal);
  }

  #store() {
    const consume = (): void => {
      if (!this.#consuming) void this.#consume();
    };
    return {
      replace: (objects: readonly T[], lostHistory: boolean) => {
        this.#deltas.replace(objects, lostHistory);
        consume();
      },
      add: (object: T) => {
        this.#deltas.add(object);
        consume();
      },
      update: (object: T) => {
        this.#deltas.update(object);
        consume();
      },
      delete: (object: T) => {
        this.#deltas.delete(object);
        consume();
      },
    };
  }

  /** Processes the queue until it is empty, with turns of other work in between. */
  async #consume(): Promise<void> {
    this.#consuming = true;
    for (;;) {
      const deltas = this.#deltas.pop();
      if (deltas !== undefined) for (const delta of deltas) this.#handle(delta);
      if (!this.#hasSynced && this.#deltas.hasSynced) this.#reachSynced();
      if (deltas === undefined || this.#stopped) break;
      if (sliceIsSpent()) await nextSlice();
    }
    this.#consuming = false;
  }

  #reachSynced(): void {
    this.#hasSynced = true;
    for (const handler of this.#handlers) handler.push({ type: "synced" });
    this.#synced.resolve();
  }

  #handle(delta: Delta<T>): void {
    if (delta.type === "Deleted") {
      const isFinal = !(delta.object instanceof Tombstone);
      const object = delta.object instanceof Tombstone ? delta.object.object : delta.object;
      this.#indexer.delete(objectKey(object));
      this.#distribute({ type: "deleted", object, isFinal }, this.#handlers);
      return;
    }
    const { object } = delta;
    const key = objectKey(object);
    const before = this.#indexer.get(key);
    this.#indexer.set(object, key);
    if (before === undefined) {
      this.#distribute({ type: "added", object, isInitial: !this.#hasSynced }, this.#handlers);
      return;
    }
    const isSame =
      delta.type === "Sync" ||
      (delta.type === "Replaced" &&
        !delta.lostHistory &&
        before.metadata?.resourceVersion === object.metadata?.resourceVersion &&
        before.metadata?.uid === object.metadata?.uid);
    this.#distribute({ type: "updated", before, after: object }, isSame ? this.#syncing : this.#handlers);
  }

  #distribute(notification: Notification<T>, handlers: ReadonlySet<HandlerQueue<T>>): void {
    for (const handler of handlers) handler.push(notification);
  }

  /** One timer for all handlers: it fires when the next of them is due. */
  #scheduleResync(): void {
    this.#cancelResync();
    if (this.#stopped || this.#resyncDue.size === 0) return;
    const wait = Math.min(...this.#resyncDue.values());
    this.#sinceScheduled = this.#surroundings.stopwatch();
    this.#cancelResync = this.#surroundings.timers.start(wait, () => {
      this.#passResyncTime(wait);
      this.#resync();
      this.#scheduleResync();
    });
  }

  #passResyncTime(milliseconds: number): void {
    for (const [handler, due] of this.#resyncDue) this.#resyncDue.set(handler, Math.max(due - milliseconds, 0));
  }

  #resync(): void {
    this.#syncing.clear();
    for (const [handler, due] of this.#resyncDue) {
      if (due > 0) continue;
      this.#resyncDue.set(handler, handler.resyncMilliseconds);
      this.#syncing.add(handler);
    }
    this.#deltas.resync();
    if (!this.#consuming) void this.#consume();
  }

  #report(error: unknown): void {
    const { onError = throwUncaught } = this.options;
    try {
      onError(error);
    } catch (own) {
      throwUncaught(own);
    }
  }

  /** Wraps a user's function: reports what it throws, and returns the result of `otherwise` instead. */
  #reporting<R>(call: (object: T) => R, otherwise: (object: T) => R): (object: T) => R {
    return (object) => {
      try {
        return call(object);
      } catch (error) {
        this.#report(error);
        return otherwise(object);
      }
    };
  }

  #reportingAll(indexers: Readonly<Record<string, IndexFunction<T>>>): Record<string, IndexFunction<T>> {
    return Object.fromEntries(
      Object.entries(indexers).map(([name, valuesOf]) => [name, this.#reporting(valuesOf, () => [])]),
    );
  }
}

/** Objects are cached as the transform leaves them, with shared fields. */
function sharingFields<T extends ApiObject>(transform: ((object: T) => T) | undefined): (object: T) => T {
  const fields = new SharedFields();
  return (object) => {
    const kept = transform === undefined ? object : transform(object);
    fields.share(kept);
    return kept;
  };
}
