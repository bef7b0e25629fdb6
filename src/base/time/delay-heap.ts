import { KeyedHeap } from "../collections/keyed-heap.js";

interface Delayed<T> {
  readonly item: T;
  readonly readyAt: number;
  /** Orders items that are ready at the same time, first in first out; an item keeps its number when it is moved forward. */
  readonly sequence: number;
}

/** A priority queue of items by the time at which each is ready. An item is in it once, with the earliest of its times. */
export class DelayHeap<T> {
  readonly #heap = new KeyedHeap<Delayed<T>, T>(
    ({ item }) => item,
    (a, b) => a.readyAt - b.readyAt || a.sequence - b.sequence,
  );
  #sequence = 0;

  get size(): number {
    return this.#heap.size;
  }

  /** The time at which the earliest item is ready; undefined while the queue is empty. */
  get earliest(): number | undefined {
    return this.#heap.peek()?.readyAt;
  }

  /** Adds an item, or moves it forward if the queue has it for a later time. */
  push(item: T, readyAt: number): void {
    const known = this.#heap.get(item);
    if (known !== undefined && readyAt >= known.readyAt) return;
    this.#heap.push({ item, readyAt, sequence: known?.sequence ?? this.#sequence++ });
  }

  /** Removes and returns the earliest item if it is ready by `time`; undefined otherwise. */
  popReady(time: number): T | undefined {
    const first = this.#heap.peek();
    return first === undefined || first.readyAt > time ? undefined : this.#heap.pop()?.item;
  }

  /** Removes an item; returns false when the queue does not have it. */
  remove(item: T): boolean {
    return this.#heap.delete(item) !== undefined;
  }

  clear(): void {
    this.#heap.clear();
  }
}
