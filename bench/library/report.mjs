import { interval } from "../paired-ratios.mjs";
import { median } from "../server/statistics.mjs";
import { tableText } from "../table.mjs";

/**
 * Collects figures of several contenders and prints them as a table, with what each is to the reference's: the median of the
 * ratios of each round's pair, and its 95 % interval. Ratios of speed (times and rates) are better over 1, ratios of memory
 * below.
 */
export class Report {
  #lines = [["", "measured", "to client-node", "goal", ""]];

  /**
   * `samples` are a contender's own, by its name, all of `unit` and of one `kind`: "time", "rate" or "memory". `reference` and
   * `goals` are names of contenders; a goal has `ratio` (to the reference) or `below` (a value). `more` makes a contender's
   * remark.
   */
  add(what, { samples, unit, kind, reference, goals = {}, more = () => "" }) {
    this.#lines.push([what]);
    for (const [name, own] of samples) {
      const value = median(own);
      const ratios = name === reference ? undefined : ratiosOf(own, samples.get(reference), kind);
      this.#lines.push([
        `  ${name}`,
        `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`,
        ratios === undefined ? "" : shown(ratios),
        verdict(goals[name], value, ratios, kind),
        more(name),
      ]);
    }
  }

  text() {
    return tableText(this.#lines);
  }
}

function ratiosOf(own, reference, kind) {
  if (reference === undefined) return undefined;
  return own.map((value, round) => (kind === "time" ? reference[round] / value : value / reference[round]));
}

function shown(ratios) {
  const [low, high] = interval(ratios);
  return `${median(ratios).toFixed(2)} x [${low.toFixed(2)}, ${high.toFixed(2)}]`;
}

function verdict(goal, value, ratios, kind) {
  if (goal?.below !== undefined) return `below ${goal.below}: ${value < goal.below ? "met" : "MISSED"}`;
  if (goal === undefined || ratios === undefined) return "";
  const reached = kind === "memory" ? median(ratios) <= goal.ratio : median(ratios) >= goal.ratio;
  return `${goal.ratio} x: ${reached ? "met" : "MISSED"}`;
}
