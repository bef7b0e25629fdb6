/** A budget of which at most `limit` may be in use. Uses of a part count against the whole as well. */
export class Budget {
  #used = 0;
  #isClosed = false;

  constructor(
    /** Asked for at each use: the limits of a container may change while it runs. */
    private readonly limit: () => number,
    private readonly whole?: Budget,
  ) {}

  get used(): number {
    return this.#used;
  }

  /** Takes the amount if it fits; else answers the budget that it does not fit into, which may be the whole's. */
  take(amount: number): Budget | undefined {
    if (this.#isClosed) return undefined;
    if (amount > 0 && this.#used + amount > this.limit()) return this;
    const lacking = this.whole?.take(amount);
    if (lacking === undefined) this.#used += amount;
    return lacking;
  }

  give(amount: number): void {
    if (this.#isClosed) return;
    this.#used -= amount;
    this.whole?.give(amount);
  }

  /** Gives everything back. What is taken and given afterwards counts nowhere. */
  close(): void {
    if (this.#isClosed) return;
    this.whole?.give(this.#used);
    this.#used = 0;
    this.#isClosed = true;
  }
}
