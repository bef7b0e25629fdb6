/** Items in the order of `compare`, found again by their key: a binary heap. Items that compare equal come out as they went in. */
export class KeyedHeap<T, K = string> {
  #heap: Entry<T, K>[] = [];
  readonly #entries = new Map<K, Entry<T, K>>();
  #sequence = 0;

  constructor(
    private readonly keyOf: (item: T) => K,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  get size(): number {
    return this.#heap.length;
  }

  get(key: K): T | undefined {
    return this.#entries.get(key)?.item;
  }

  peek(): T | undefined {
    return this.#heap[0]?.item;
  }

  /** Adds an item in the place of the one with its key. */
  push(item: T): void {
    const key = this.keyOf(item);
    this.delete(key);
    const entry: Entry<T, K> = { item, key, sequence: this.#sequence++, place: this.#heap.length };
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#rise(entry);
  }

  clear(): void {
    this.#heap = [];
    this.#entries.clear();
  }

  pop(): T | undefined {
    const first = this.#heap[0];
    if (first === undefined) return undefined;
    this.delete(first.key);
    return first.item;
  }

  delete(key: K): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    const last = this.#heap.pop();
    if (last !== undefined && last !== entry) {
      this.#put(last, entry.place);
      this.#rise(last);
      this.#sink(last);
    }
    return entry.item;
  }

  #isBefore(a: Entry<T, K>, b: Entry<T, K>): boolean {
    const order = this.compare(a.item, b.item);
    return order < 0 || (order === 0 && a.sequence < b.sequence);
  }

  #rise(entry: Entry<T, K>): void {
    let place = entry.place;
    while (place > 0) {
      const parent = this.#heap[(place - 1) >> 1];
      if (parent === undefined || !this.#isBefore(entry, parent)) break;
      const freed = parent.place;
      this.#put(parent, place);
      place = freed;
    }
    this.#put(entry, place);
  }

  #sink(entry: Entry<T, K>): void {
    let place = entry.place;
    for (;;) {
      const [left, right] = [this.#heap[2 * place + 1], this.#heap[2 * place + 2]];
      const child = left !== undefined && right !== undefined && this.#isBefore(right, left) ? right : left;
      if (child === undefined || !this.#isBefore(child, entry)) break;
      const freed = child.place;
      this.#put(child, place);
      place = freed;
    }
    this.#put(entry, place);
  }

  #put(entry: Entry<T, K>, place: number): void {
    entry.place = place;
    this.#heap[place] = entry;
  }
}

interface Entry<T, K> {
  readonly item: T;
  readonly key: K;
  /** Orders items that compare equal. */
  readonly sequence: number;
  /** Its place in the heap. */
  place: number;
}
