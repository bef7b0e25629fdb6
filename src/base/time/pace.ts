/** Less than a millisecond's work for each of the walks that use it. */
const ENTRIES_PER_STEP = 256;

/** Counts the entries that a walk over a deep value has visited. The walk yields whenever `isDue` returns true. */
export class Pace {
  #left: number;

  /** Pass a smaller `entriesPerStep` where the work on an entry takes longer than a look at it. */
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
