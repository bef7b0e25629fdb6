/** Whether the item at `a` must come before the one at `b`. It need not be consistent: kubectl's is not. */
type LessAt = (a: number, b: number) => boolean;

/**
 * Sorts in place with the steps of Go's sort.Sort (pattern-defeating quicksort), so that items that compare equal end
 * where they end in kubectl.
 */
export function goSort<T>(items: T[], less: (a: T, b: T) => boolean): void {
  const sorter = new PatternDefeatingSort(
    (a, b) => less(items[a] as T, items[b] as T),
    (a, b) => {
      const held = items[a] as T;
      items[a] = items[b] as T;
      items[b] = held;
    },
  );
  sorter.sort(0, items.length, Math.ceil(Math.log2(items.length + 1)));
}

type Hint = "unknown" | "increasing" | "decreasing";

class PatternDefeatingSort {
  readonly #less: LessAt;
  readonly #swap: (a: number, b: number) => void;

  constructor(less: LessAt, swap: (a: number, b: number) => void) {
    this.#less = less;
    this.#swap = swap;
  }

  /** Sorts [from, to). `limit` bad choices of a pivot are allowed before heapsort takes over. */
  sort(from: number, to: number, limit: number): void {
    let [a, b, badAllowed] = [from, to, limit];
    let balanced = true;
    let partitioned = true;
    for (;;) {
      const length = b - a;
      if (length <= 12) return this.#insertionSort(a, b);
      if (badAllowed === 0) return this.#heapSort(a, b);
      if (!balanced) {
        this.#breakPatterns(a, b);
        badAllowed -= 1;
      }
      let { pivot, hint } = this.#choosePivot(a, b);
      if (hint === "decreasing") {
        this.#reverse(a, b);
        pivot = b - 1 - (pivot - a);
        hint = "increasing";
      }
      if (balanced && partitioned && hint === "increasing" && this.#partialInsertionSort(a, b)) return;
      // The item before the range is a former pivot: if it is not less, the pivot's equals go to the left.
      if (a > 0 && !this.#less(a - 1, pivot)) {
        a = this.#partitionEqual(a, b, pivot);
        continue;
      }
      const { middle, already } = this.#partition(a, b, pivot);
      partitioned = already;
      const [left, right] = [middle - a, b - middle];
      const enough = Math.floor(length / 8);
      if (left < right) {
        balanced = left >= enough;
        this.sort(a, middle, badAllowed);
        a = middle + 1;
      } else {
        balanced = right >= enough;
        this.sort(middle + 1, b, badAllowed);
        b = middle;
      }
    }
  }

  #insertionSort(a: number, b: number): void {
    for (let i = a + 1; i < b; i += 1) {
      for (let j = i; j > a && this.#less(j, j - 1); j -= 1) this.#swap(j, j - 1);
    }
  }

  #heapSort(a: number, b: number): void {
    const length = b - a;
    for (let root = Math.floor((length - 1) / 2); root >= 0; root -= 1) this.#siftDown(root, length, a);
    for (let end = length - 1; end >= 0; end -= 1) {
      this.#swap(a, a + end);
      this.#siftDown(0, end, a);
    }
  }

  #siftDown(low: number, high: number, first: number): void {
    let root = low;
    for (;;) {
      let child = 2 * root + 1;
      if (child >= high) return;
      if (child + 1 < high && this.#less(first + child, first + child + 1)) child += 1;
      if (!this.#less(first + root, first + child)) return;
      this.#swap(first + root, first + child);
      root = child;
    }
  }

  #partition(a: number, b: number, pivot: number): { readonly middle: number; readonly already: boolean } {
    this.#swap(a, pivot);
    let i = a + 1;
    let j = b - 1;
    while (i <= j && this.#less(i, a)) i += 1;
    while (i <= j && !this.#less(j, a)) j -= 1;
    if (i > j) {
      this.#swap(j, a);
      return { middle: j, already: true };
    }
    this.#swap(i, j);
    i += 1;
    j -= 1;
    for (;;) {
      while (i <= j && this.#less(i, a)) i += 1;
      while (i <= j && !this.#less(j, a)) j -= 1;
      if (i > j) break;
      this.#swap(i, j);
      i += 1;
      j -= 1;
    }
    this.#swap(j, a);
    return { middle: j, already: false };
  }

  /** Puts what equals the pivot first; returns where the rest begins. */
  #partitionEqual(a: number, b: number, pivot: number): number {
    this.#swap(a, pivot);
    let i = a + 1;
    let j = b - 1;
    for (;;) {
      while (i <= j && !this.#less(a, i)) i += 1;
      while (i <= j && this.#less(a, j)) j -= 1;
      if (i > j) return i;
      this.#swap(i, j);
      i += 1;
      j -= 1;
    }
  }

  /** True when the range is sorted now; gives up after five repairs. */
  #partialInsertionSort(a: number, b: number): boolean {
    const [maxSteps, shortest] = [5, 50];
    let i = a + 1;
    for (let step = 0; step < maxSteps; step += 1) {
      while (i < b && !this.#less(i, i - 1)) i += 1;
      if (i === b) return true;
      if (b - a < shortest) return false;
      this.#swap(i, i - 1);
      if (i - a >= 2) {
        for (let j = i - 1; j >= 1 && this.#less(j, j - 1); j -= 1) this.#swap(j, j - 1);
      }
      if (b - i >= 2) {
        for (let j = i + 1; j < b && this.#less(j, j - 1); j += 1) this.#swap(j, j - 1);
      }
    }
    return false;
  }

  /** Scatters three items, by a generator seeded with the length. */
  #breakPatterns(a: number, b: number): void {
    const length = b - a;
    if (length < 8) return;
    let random = BigInt(length);
    const modulus = 1 << (32 - Math.clz32(length));
    const index = a + Math.floor(length / 4) * 2 - 1;
    for (let i = 0; i < 3; i += 1) {
      random ^= BigInt.asUintN(64, random << 13n);
      random ^= random >> 7n;
      random = BigInt.asUintN(64, random ^ (random << 17n));
      let other = Number(random & BigInt(modulus - 1));
      if (other >= length) other -= length;
      this.#swap(index + i, a + other);
    }
  }

  #choosePivot(a: number, b: number): { pivot: number; hint: Hint } {
    const length = b - a;
    const quarter = Math.floor(length / 4);
    let [i, j, k] = [a + quarter, a + quarter * 2, a + quarter * 3];
    const swaps = { count: 0 };
    if (length >= 8) {
      if (length >= 50) {
        i = this.#median(i - 1, i, i + 1, swaps);
        j = this.#median(j - 1, j, j + 1, swaps);
        k = this.#median(k - 1, k, k + 1, swaps);
      }
      j = this.#median(i, j, k, swaps);
    }
    if (swaps.count === 0) return { pivot: j, hint: "increasing" };
    return { pivot: j, hint: swaps.count === 12 ? "decreasing" : "unknown" };
  }

  #median(first: number, second: number, third: number, swaps: { count: number }): number {
    let [a, b, c] = [first, second, third];
    const order = (x: number, y: number): [number, number] => {
      if (!this.#less(y, x)) return [x, y];
      swaps.count += 1;
      return [y, x];
    };
    [a, b] = order(a, b);
    [b, c] = order(b, c);
    [, b] = order(a, b);
    return b;
  }

  #reverse(a: number, b: number): void {
    for (let [i, j] = [a, b - 1]; i < j; i += 1, j -= 1) this.#swap(i, j);
  }
}
