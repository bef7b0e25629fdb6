/** Counts the tries of each item: what the rate limiters that work by item have in common. */
export class RequeueCounts<T> {
  readonly #counts = new Map<T, number>();

  /** Counts a try. Returns how many there were before. */
  protected increment(item: T): number {
    const before = this.requeues(item);
    this.#counts.set(item, before + 1);
    return before;
  }

  forget(item: T): void {
    this.#counts.delete(item);
  }

  requeues(item: T): number {
    return this.#counts.get(item) ?? 0;
  }
}
