interface Entry<T> {
  readonly item: T;
  readyAt: number;
  /** Orders entries that are ready at the same time: first in, first out. */
  readonly sequence: number;
  /** Its place in the heap. */
  place: number;
}

/** Items and when each is ready, the earliest at hand: a binary heap. An item is there once, with the earlier of its times. */
export class DelayHeap<T> {
  /** The entry at `place` is no later than those at `2 * place + 1` and `2 * place + 2`. */
  #heap: Entry<T>[] = [];
  readonly #entries = new Map<T, Entry<T>>();
  #sequence = 0;

  get size(): number {
    return this.#heap.length;
  }

  /** When the earliest item is ready; undefined while there is none. */
  get earliest(): number | undefined {
    return this.#heap[0]?.readyAt;
  }

  /** Adds an item, or moves it forward if it would be ready later than that. */
  push(item: T, readyAt: number): void {
    const known = this.#entries.get(item);
    if (known !== undefined) {
      if (readyAt >= known.readyAt) return;
      known.readyAt = readyAt;
      this.#rise(known);
      return;
    }
    const entry = { item, readyAt, sequence: this.#sequence++, place: this.#heap.length };
    this.#entries.set(item, entry);
    this.#heap.push(entry);
    this.#rise(entry);
  }

  /** Takes out the earliest item if it is ready by `time`; else undefined. */
  popReady(time: number): T | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.readyAt > time) return undefined;
    this.#entries.delete(first.item);
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first.item;
  }

  /** Takes out an item, wherever it is; false when it is not there. */
  remove(item: T): boolean {
    const entry = this.#entries.get(item);
    if (entry === undefined) return false;
    this.#entries.delete(item);
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return true;
    last.place = entry.place;
    this.#rise(last);
    this.#sink(last, last.place);
    return true;
  }

  clear(): void {
    this.#heap = [];
    this.#entries.clear();
  }

  #rise(entry: Entry<T>): void {
    let place = entry.place;
    while (place > 0) {
      const parent = this.#heap[(place - 1) >> 1];
      if (parent === undefined || !isBefore(entry, parent)) break;
      const freed = parent.place;
      this.#put(parent, place);
      place = freed;
    }
    this.#put(entry, place);
  }

  /** Puts an entry at `place` and lets it sink to its own. */
  #sink(entry: Entry<T>, from = 0): void {
    let place = from;
    for (;;) {
      const [left, right] = [this.#heap[2 * place + 1], this.#heap[2 * place + 2]];
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, entry)) break;
      const freed = child.place;
      this.#put(child, place);
      place = freed;
    }
    this.#put(entry, place);
  }

  #put(entry: Entry<T>, place: number): void {
    entry.place = place;
    this.#heap[place] = entry;
  }
}

const isBefore = <T>(a: Entry<T>, b: Entry<T>): boolean =>
  a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.sequence < b.sequence);
