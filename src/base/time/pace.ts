/** Less than a millisecond's work for each of the walks that use it. */
const ENTRIES_PER_STEP = 256;

/** Counts the entries that a walk over a deep value has visited: a walk yields wherever `isDue` is true. */
export class Pace {
  #left: number;

  /** `entriesPerStep` where an entry takes longer than to look at it. */
  constructor(private readonly entriesPerStep = ENTRIES_PER_STEP) {
    this.#left = entriesPerStep;
  }

  isDue(): boolean {
    this.#left -= 1;
    if (this.#left > 0) return false;
    this.#left = this.entriesPerStep;
    return true;
  }
}
