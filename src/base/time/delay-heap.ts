import { KeyedHeap } from "../collections/keyed-heap.js";

interface Delayed<T> {
  readonly item: T;
  readonly readyAt: number;
  /** Orders items that are ready at the same time: first in, first out, also where one was moved forward. */
  readonly sequence: number;
}

/** Items and when each is ready, the earliest at hand. An item is there once, with the earlier of its times. */
export class DelayHeap<T> {
  readonly #heap = new KeyedHeap<Delayed<T>, T>(
    ({ item }) => item,
    (a, b) => a.readyAt - b.readyAt || a.sequence - b.sequence,
  );
  #sequence = 0;

  get size(): number {
    return this.#heap.size;
  }

  /** When the earliest item is ready; undefined while there is none. */
  get earliest(): number | undefined {
    return this.#heap.peek()?.readyAt;
  }

  /** Adds an item, or moves it forward if it would be ready later than that. */
  push(item: T, readyAt: number): void {
    const known = this.#heap.get(item);
    if (known !== undefined && readyAt >= known.readyAt) return;
    this.#heap.push({ item, readyAt, sequence: known?.sequence ?? this.#sequence++ });
  }

  /** Takes out the earliest item if it is ready by `time`; else undefined. */
  popReady(time: number): T | undefined {
    const first = this.#heap.peek();
    return first === undefined || first.readyAt > time ? undefined : this.#heap.pop()?.item;
  }

  /** Takes out an item, wherever it is; false when it is not there. */
  remove(item: T): boolean {
    return this.#heap.delete(item) !== undefined;
  }

  clear(): void {
    this.#heap.clear();
  }
}
