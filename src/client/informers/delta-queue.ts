import { Fifo } from "../../base/collections/fifo.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { objectKey } from "./indexer.js";

/**
 * Represents an object whose deletion the watch missed: a new list does not contain it. `object` is its last known state, which
 * may not be its final one (client-go's DeletedFinalStateUnknown).
 */
export class Tombstone<T> {
  constructor(
    readonly key: string,
    readonly object: T,
  ) {}
}

/**
 * One change of an object. "Replaced": a new list has it; with `lostHistory` an equal resourceVersion does not mean the same object. "Sync":
 * nothing changed, and handlers asked to see the object again.
 */
export type Delta<T> =
  | { readonly type: "Added" | "Updated" | "Sync"; readonly object: T }
  | { readonly type: "Replaced"; readonly object: T; readonly lostHistory: boolean }
  | { readonly type: "Deleted"; readonly object: T | Tombstone<T> };

export interface DeltaQueueOptions<T> {
  /** The objects that the consumer holds. Those that a new list does not have are deleted. */
  readonly known: { keys(): Iterable<string>; get(key: string): T | undefined };
  /** Changes each object before it is queued, for example to drop unused fields. It may change the object in place. */
  readonly transform?: ((object: T) => T) | undefined;
}

/**
 * Queues the changes of objects that are not consumed yet, in the order in which objects first changed (client-go's DeltaFIFO). The consumer
 * takes all changes of one object at a time.
 */
export class DeltaQueue<T extends ApiObject> {
  readonly #deltas = new Map<string, Delta<T>[]>();
  readonly #order = new Fifo<string>();
  /** How many keys of the first list the consumer has not taken yet; undefined before that list. */
  #initial: number | undefined;

  constructor(private readonly options: DeltaQueueOptions<T>) {}

  /** How many objects have changes that wait for the consumer. */
  get length(): number {
    return this.#deltas.size;
  }

  /** Whether the consumer has taken the whole first list. */
  get hasSynced(): boolean {
    return this.#initial === 0;
  }

  add(object: T): void {
    this.#initial ??= 0;
    this.#queue(objectKey(object), { type: "Added", object: this.#transformed(object) });
  }

  update(object: T): void {
    this.#initial ??= 0;
    this.#queue(objectKey(object), { type: "Updated", object: this.#transformed(object) });
  }

  /** Queues a deletion. An object that is neither held nor queued is deleted already, and nothing is queued. */
  delete(object: T): void {
    this.#initial ??= 0;
    const key = objectKey(object);
    if (this.#deltas.has(key) || this.options.known.get(key) !== undefined) {
      this.#queue(key, { type: "Deleted", object: this.#transformed(object) });
    }
  }

  /** Queues a whole list: its objects as "Replaced", known objects that it does not have as "Deleted". */
  replace(objects: Iterable<T>, lostHistory = false): void {
    const listed = new Set<string>();
    for (const object of objects) {
      const key = objectKey(object);
      listed.add(key);
      this.#queue(key, { type: "Replaced", object: this.#transformed(object), lostHistory });
    }
    let count = listed.size;
    // A queued object that the list lacks: its deletion was missed as well. Its last state is the newest queued one.
    for (const [key, deltas] of this.#deltas) {
      if (listed.has(key)) continue;
      const last = deltas.at(-1);
      if (last === undefined || last.type === "Deleted") continue;
      count += 1;
      this.#queue(key, { type: "Deleted", object: new Tombstone(key, last.object) });
    }
    for (const key of this.options.known.keys()) {
      if (listed.has(key) || this.#deltas.has(key)) continue;
      const object = this.options.known.get(key);
      if (object === undefined) continue;
      count += 1;
      this.#queue(key, { type: "Deleted", object: new Tombstone(key, object) });
    }
    this.#initial ??= count;
  }

  /** Queues "Sync" for every known object that has nothing queued. */
  resync(): void {
    for (const key of this.options.known.keys()) {
      if (this.#deltas.has(key)) continue;
      const object = this.options.known.get(key);
      if (object !== undefined) this.#queue(key, { type: "Sync", object });
    }
  }

  /** Removes and returns the deltas of the object that has waited longest, oldest first; undefined when the queue is empty. */
  pop(): readonly Delta<T>[] | undefined {
    const key = this.#order.shift();
    if (key === undefined) return undefined;
    const deltas = this.#deltas.get(key);
    this.#deltas.delete(key);
    if (this.#initial !== undefined && this.#initial > 0) this.#initial -= 1;
    return deltas;
  }

  #transformed(object: T): T {
    return this.options.transform === undefined ? object : this.options.transform(object);
  }

  #queue(key: string, delta: Delta<T>): void {
    const deltas = this.#deltas.get(key);
    if (deltas === undefined) {
      this.#deltas.set(key, [delta]);
      this.#order.push(key);
      return;
    }
    const last = deltas.at(-1);
    if (delta.type === "Deleted" && last?.type === "Deleted") {
      // Two deletions in a row are one: the one that knows the object's final state.
      if (last.object instanceof Tombstone) deltas[deltas.length - 1] = delta;
      return;
    }
    deltas.push(delta);
  }
}
