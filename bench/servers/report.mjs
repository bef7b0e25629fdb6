import { interval } from "../paired-ratios.mjs";
import { median } from "../server/statistics.mjs";
import { tableText } from "../table.mjs";
import { REFERENCE } from "./contenders.mjs";

/**
 * Collects figures of several servers and prints medians as a table, with the median of the ratios of each round's pair to the Go server,
 * and its 95 % interval. Over 1 is more: slower of times, faster of rates.
 */
export class Report {
  #lines = [["", "measured", `of ${REFERENCE}`, "must", "goal", ""]];

  /**
   * `samples` are each server's own, by its name. `must` and `goal` have `atMost`, a share of the Go server's, or `below`, a value; they are of
   * the servers that `judges` names, by default all of ours. `more` makes a server's remark.
   */
  add(what, { samples, unit, must, goal, judges = (name) => name !== REFERENCE, more = () => "" }) {
    this.#lines.push([what]);
    const reference = samples.get(REFERENCE);
    for (const [name, own] of samples) {
      const isCompared = reference !== undefined && name !== REFERENCE;
      const ratios = isCompared ? own.map((value, round) => value / reference[round]) : undefined;
      const judged = (wanted) => (wanted !== undefined && judges(name) ? verdict(wanted, unit, own, ratios) : "");
      const value = median(own);
      const measured = `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`;
      this.#lines.push([`  ${name}`, measured, shown(ratios), judged(must), judged(goal), more(name)]);
    }
  }

  text() {
    return tableText(this.#lines);
  }
}

function shown(ratios) {
  if (ratios === undefined) return "";
  const [low, high] = interval(ratios);
  return `${median(ratios).toFixed(2)} x [${low.toFixed(2)}, ${high.toFixed(2)}]`;
}

function verdict({ atMost, below }, unit, own, ratios) {
  if (below !== undefined) return `${below} ${unit}: ${median(own) < below ? "met" : "MISSED"}`;
  if (ratios === undefined) return `${atMost} x: not measured`;
  return `${atMost} x: ${median(ratios) <= atMost ? "met" : "MISSED"}`;
}
