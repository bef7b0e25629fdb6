/** The first pause before a restart, its longest, and how long a container must run for the pauses to begin anew. Milliseconds. */
const FIRST_MS = 10_000;
const LONGEST_MS = 300_000;
const RESET_MS = 600_000;

/** The pauses between restarts of one container, as a kubelet makes them: none, then 10 seconds, doubled up to five minutes. */
export class RestartBackoff {
  #next = 0;

  /** The pause before the next restart of a container that ran so long. Milliseconds. */
  after(ranMilliseconds: number): number {
    if (ranMilliseconds >= RESET_MS) this.#next = 0;
    const pause = this.#next;
    this.#next = Math.min(LONGEST_MS, Math.max(FIRST_MS, pause * 2));
    return pause;
  }
}

/** "10s", "1m20s", "5m0s": as Go shows a duration. */
export function backoffText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
