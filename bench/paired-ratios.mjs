import { median } from "./server/statistics.mjs";

/** How much worse than the build before a figure may be. */
const LIMITS = { time: 1.05, tail: 1.1, memory: 1.1 };

/**
 * What this build costs beside the one before it: per figure the ratio of each round's pair, so that a machine that drifts
 * drifts for both. Over 1 is worse, also for rates.
 */
export class PairedRatios {
  #rows = [];

  /** Samples of one figure in rounds of both builds; `kind` is a key of LIMITS. Times and sizes: less is better. */
  add(what, kind, ours, before) {
    this.#rows.push({ what, kind, ratios: ours.map((value, round) => value / before[round]) });
  }

  /** As {@link add}, for figures of which more is better. */
  addRate(what, ours, before) {
    this.add(what, "time", before, ours);
  }

  get isEmpty() {
    return this.#rows.length === 0;
  }

  text() {
    const width = Math.max(...this.#rows.map(({ what }) => what.length));
    const lines = this.#rows.map(({ what, kind, ratios }) => {
      const middle = median(ratios);
      const [low, high] = interval(ratios);
      const shown = `${middle.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]`;
      const limit = LIMITS[kind];
      return `  ${what.padEnd(width)}  ${shown.padEnd(20)}  ${limit.toFixed(2)}: ${middle <= limit ? "met" : "MISSED"}`;
    });
    const head = "cost against the build before: median of the paired ratios [95 % interval], over 1 is worse";
    return `${head}\n${lines.join("\n")}\n`;
  }
}

/** 95 % interval of the median, by the order of the samples: it assumes nothing of how they are distributed. */
export function interval(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const low = Math.max(0, Math.floor(sorted.length / 2 - 0.98 * Math.sqrt(sorted.length)));
  return [sorted[low], sorted[sorted.length - 1 - low]];
}
