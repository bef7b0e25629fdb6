/**
 * Finds the queue whose oldest request ends first in virtual time: a tournament of all queues, in which a change and a search cost O(log n).
 * Among equals it takes turns.
 */
export class QueueOrder {
  /** How many queues fit in. */
  readonly capacity: number;
  /** The node i has the children 2i and 2i + 1 and the least of their values; the leaves are the queues. */
  readonly #least: Float64Array;

  constructor(queues: number) {
    let capacity = 1;
    while (capacity < queues) capacity *= 2;
    this.capacity = capacity;
    this.#least = new Float64Array(2 * capacity).fill(Number.POSITIVE_INFINITY);
  }

  /** `finish` is infinite for a queue where nothing waits. */
  set(queue: number, finish: number): void {
    const least = this.#least;
    let node = this.capacity + queue;
    if (least[node] === finish) return;
    least[node] = finish;
    for (node >>= 1; node >= 1; node >>= 1) {
      const lesser = Math.min(least[2 * node] ?? 0, least[2 * node + 1] ?? 0);
      if (least[node] === lesser) return;
      least[node] = lesser;
    }
  }

  /** Returns the first of the least queues behind `last`, then from 0 on; -1 where nothing waits. */
  next(last: number): number {
    const finish = this.#least[1] ?? Number.POSITIVE_INFINITY;
    if (finish === Number.POSITIVE_INFINITY) return -1;
    const behind = last + 1 < this.capacity ? this.#firstFrom(last + 1, finish) : -1;
    return behind >= 0 ? behind : this.#firstBelow(1, finish);
  }

  /** The first queue of the value from `queue` on; -1 for none. */
  #firstFrom(queue: number, finish: number): number {
    const least = this.#least;
    let node = this.capacity + queue;
    if (least[node] === finish) return queue;
    for (; node > 1; node >>= 1) {
      const isLeft = (node & 1) === 0;
      if (isLeft && least[node + 1] === finish) return this.#firstBelow(node + 1, finish);
    }
    return -1;
  }

  #firstBelow(top: number, finish: number): number {
    let node = top;
    while (node < this.capacity) node = this.#least[2 * node] === finish ? 2 * node : 2 * node + 1;
    return node - this.capacity;
  }
}
