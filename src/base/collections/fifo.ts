/** How many places may be wasted before they are given up. */
const WASTE = 1024;

/** First in, first out. Both ends cost the same however long it is; a map or a set is slow to say which entry is its oldest. */
export class Fifo<T> {
  /** Those before `#start` are gone, and nothing is held on to. */
  #items: (T | undefined)[] = [];
  #start = 0;

  get length(): number {
    return this.#items.length - this.#start;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Takes out the oldest; undefined when there is none. */
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
