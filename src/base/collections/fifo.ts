/** How many places may be wasted before they are given up. */
const WASTE = 1024;

/** A queue, first in first out. Both ends take constant time, while finding the oldest entry of a Map or Set becomes slow. */
export class Fifo<T> {
  /** The slots before `#start` are undefined, so that removed items can be collected. */
  #items: (T | undefined)[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Removes and returns the oldest item; undefined when the queue is empty. */
  shift(): T | undefined {
    if (this.#start === this.#items.length) return undefined;
    const oldest = this.#items[this.#start];
    this.#items[this.#start++] = undefined;
    if (this.#start > WASTE && this.#start * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#start);
      this.#start = 0;
    }
    return oldest;
  }
}
