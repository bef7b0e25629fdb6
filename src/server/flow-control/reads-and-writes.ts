import type { Family } from "../../machinery/metrics/family.js";
import { FAIRNESS } from "./fairness-definitions.js";
import type { LevelState, Phase } from "./observer.js";
import { ShareOverTime } from "./share-over-time.js";

const PHASES = ["waiting", "executing"] as const satisfies readonly Phase[];
const KINDS = ["readOnly", "mutating"] as const;
type Kind = (typeof KINDS)[number];

/** What the requests of a phase are a share of, over all levels: the seats, and the places in queues. */
type Limits = Record<Phase, number>;

/** How many reads and how many writes wait and execute over time, as shares of all levels' limits together. Times are monotonic nanoseconds. */
export class ReadsAndWrites {
  readonly #counts = { waiting: { readOnly: 0, mutating: 0 }, executing: { readOnly: 0, mutating: 0 } };
  readonly #shares = new Map<string, ShareOverTime>();
  #limits: Limits = { waiting: 1, executing: 1 };

  /** `now` is undefined while nobody reads the shares. */
  change(phase: Phase, isMutating: boolean, change: 1 | -1, now: number | undefined): void {
    const kind = isMutating ? "mutating" : "readOnly";
    this.#counts[phase][kind] += change;
    if (now !== undefined) this.#note(phase, kind, now);
  }

  /** Takes over the limits of all levels. */
  limit(levels: readonly LevelState[], now: number | undefined): void {
    const executing = levels.reduce((sum, { limits }) => sum + limits.nominal, 0);
    const waiting = levels.reduce((sum, { queuing }) => sum + queuing.queues * queuing.queueLengthLimit, 0);
    this.#limits = { waiting: Math.max(1, waiting), executing: Math.max(1, executing) };
    if (now === undefined) return;
    for (const phase of PHASES) for (const kind of KINDS) this.#note(phase, kind, now);
  }

  reset(): void {
    this.#shares.clear();
  }

  show(family: Family, now: number): void {
    for (const phase of PHASES) {
      for (const kind of KINDS) this.#note(phase, kind, now).show(family, family.series(phase, kind), now);
    }
  }

  #note(phase: Phase, kind: Kind, now: number): ShareOverTime {
    const key = `${phase} ${kind}`;
    let share = this.#shares.get(key);
    if (share === undefined) this.#shares.set(key, (share = new ShareOverTime(FAIRNESS.readsAndWrites.buckets, now)));
    share.set(this.#counts[phase][kind] / this.#limits[phase], now);
    return share;
  }
}
