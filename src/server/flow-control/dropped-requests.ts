/** The longest wait that a refused client is asked for, in seconds. */
const LONGEST = 32;

/**
 * Computes the Retry-After of requests that a priority level rejects: it doubles while many are rejected, and falls by a second
 * when few are. Source: kube-apiserver's droppedRequestsTracker.
 */
export class DroppedRequests {
  readonly #levels = new Map<string, DroppedOfLevel>();

  /** Counts a refusal at `second` since the epoch, and returns after how many seconds the client may come again. */
  drop(level: string, second: number): number {
    let dropped = this.#levels.get(level);
    if (dropped === undefined) this.#levels.set(level, (dropped = new DroppedOfLevel()));
    return dropped.drop(second);
  }
}

class DroppedOfLevel {
  #second = 0;
  #count = 0;
  #earlier: readonly { readonly second: number; readonly count: number }[] = [];
  #wait = 1;
  #raised = 0;

  drop(second: number): number {
    if (second === this.#second) this.#count += 1;
    else {
      const kept = Math.min(2 * this.#wait, LONGEST);
      const all = [...this.#earlier, { second: this.#second, count: this.#count }];
      this.#earlier = all.filter((one) => this.#second - one.second <= kept);
      this.#second = second;
      this.#count = 1;
      this.#adjust(second);
    }
    return this.#wait;
  }

  #adjust(now: number): void {
    const wait = this.#wait;
    const recent = this.#earlier
      .filter(({ second }) => now - second <= wait && second < now)
      .reduce((sum, { count }) => sum + count, 0);
    if (now - this.#raised >= wait && recent >= 3 * wait) {
      this.#wait = Math.min(2 * wait, LONGEST);
      this.#raised = now;
    } else if (recent < wait && wait > 1) this.#wait = wait - 1;
  }
}
