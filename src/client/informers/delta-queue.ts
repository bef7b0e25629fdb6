import { Fifo } from "../../base/collections/fifo.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { objectKey } from "./object-key.js";

/**
 * Stands for an object whose deletion was missed: a list no longer has it. `object` is its last known state, which may not be
 * its last one (client-go's DeletedFinalStateUnknown).
 */
export class Tombstone<T> {
  constructor(
    readonly key: string,
    readonly object: T,
  ) {}
}

/**
 * One thing that happened to an object. "Replaced": a new list has it; with `lostHistory` its resourceVersion says nothing about
 * whether it is the object that was known before. "Sync": nothing happened, handlers asked to see it again.
 */
export type Delta<T> =
  | { readonly type: "Added" | "Updated" | "Sync"; readonly object: T }
  | { readonly type: "Replaced"; readonly object: T; readonly lostHistory: boolean }
  | { readonly type: "Deleted"; readonly object: T | Tombstone<T> };

export interface DeltaQueueOptions<T> {
  /** What the consumer holds: the objects that a list no longer has are found among them. */
  readonly known: { keys(): Iterable<string>; get(key: string): T | undefined };
  /** Changes each object before it is queued, for example to drop unused fields. It may change the object in place. */
  readonly transform?: ((object: T) => T) | undefined;
}

/**
 * What happened to objects and was not consumed yet, all of it for each object, in the order in which objects first changed
 * (client-go's DeltaFIFO). The consumer takes one object's deltas at a time.
 */
export class DeltaQueue<T extends ApiObject> {
  readonly #deltas = new Map<string, Delta<T>[]>();
  readonly #order = new Fifo<string>();
  /** Keys of the first list that the consumer has not taken yet; undefined before that list. */
  #initial: number | undefined;

  constructor(private readonly options: DeltaQueueOptions<T>) {}

  /** How many objects have something to be consumed. */
  get length(): number {
    return this.#deltas.size;
  }

  /** Whether the consumer has taken everything of the first list. */
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

  /** An object that is neither held nor queued is gone already, and its deletion is not queued. */
  delete(object: T): void {
    this.#initial ??= 0;
    const key = objectKey(object);
    if (this.#deltas.has(key) || this.options.known.get(key) !== undefined) {
      this.#queue(key, { type: "Deleted", object: this.#transformed(object) });
    }
  }

  /** Queues a whole list: what it has as "Replaced", what is known and not in it as "Deleted". */
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

  /** Takes the deltas of the object that waits longest, oldest first; undefined when there is none. */
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
