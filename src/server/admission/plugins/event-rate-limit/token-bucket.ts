/** Lets `burst` events through at once, and `qps` a second in the long run. */
export class TokenBucket {
  #tokens: number;
  #at: number | undefined;

  constructor(
    private readonly qps: number,
    private readonly burst: number,
  ) {
    this.#tokens = burst;
  }

  /** Takes a token; false where there is none. `now` in milliseconds; a clock that goes back refills nothing. */
  tryTake(now: number): boolean {
    const passed = Math.max(0, now - (this.#at ?? now));
    this.#at = now;
    this.#tokens = Math.min(this.burst, this.#tokens + (passed / 1000) * this.qps);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
