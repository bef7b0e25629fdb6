import { Pace } from "../../../../base/time/pace.js";
import type { Steps } from "../../../../base/async/steps.js";
import type { ContainerMemory } from "../../limits/memory-share.js";

/** Lines of the first text that lines of the second one replace; both may be none. Lines count from 0, the ends are behind them. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly newFrom: number;
  readonly newTo: number;
}

/** Texts with more differences count as different as a whole, from there on. */
const MOST_DIFFERENCES = 2000;

/** The changes that lead from one list of keys to another: as few as there are (Myers, "An O(ND) Difference Algorithm"). */
export function* editScript(a: readonly string[], b: readonly string[], memory: ContainerMemory): Steps<Change[]> {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let [endA, endB] = [a.length, b.length];
  while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const [n, m] = [endA - start, endB - start];
  const most = Math.min(n + m, MOST_DIFFERENCES);
  const pace = new Pace();
  /** The furthest places on each diagonal, after each difference. */
  const trace: Int32Array[] = [];
  let places = new Int32Array(2 * most + 3).fill(0);
  let held = 0;
  const at = (k: number): number => places[k + most + 1] ?? 0;
  let found = false;
  let depth = 0;
  search: for (; depth <= most; depth += 1) {
    const bytes = (2 * depth + 3) * 4;
    memory.take(bytes);
    held += bytes;
    trace.push(places.slice(most - depth, most + depth + 3));
    for (let k = -depth; k <= depth; k += 2) {
      let x = k === -depth || (k !== depth && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      let y = x - k;
      while (x < n && y < m && a[start + x] === b[start + y]) {
        x += 1;
        y += 1;
        if (pace.isDue()) yield;
      }
      places[k + most + 1] = x;
      if (x >= n && y >= m) {
        found = true;
        break search;
      }
      if (pace.isDue()) yield;
    }
  }
  const changes: Change[] = [];
  if (!found) changes.push({ from: start, to: endA, newFrom: start, newTo: endB });
  else {
    let [x, y] = [n, m];
    for (let d = depth; d > 0; d -= 1) {
      const before = trace[d] ?? new Int32Array();
      const value = (k: number): number => before[k + d + 1] ?? 0;
      const k = x - y;
      const previous = k === -d || (k !== d && value(k - 1) < value(k + 1)) ? k + 1 : k - 1;
      const fromX = value(previous);
      const fromY = fromX - previous;
      const isInsertion = previous === k + 1;
      add(changes, start + fromX, start + fromY, isInsertion);
      [x, y] = [fromX, fromY];
      if (pace.isDue()) yield;
    }
    changes.reverse();
  }
  places = new Int32Array();
  memory.give(held);
  return changes;
}

/** Adds a line that goes or comes before the changes behind it. */
function add(changes: Change[], x: number, y: number, isInsertion: boolean): void {
  const one = { from: x, to: isInsertion ? x : x + 1, newFrom: y, newTo: isInsertion ? y + 1 : y };
  const next = changes.at(-1);
  if (next !== undefined && next.from === one.to && next.newFrom === one.newTo)
    changes[changes.length - 1] = { from: one.from, to: next.to, newFrom: one.newFrom, newTo: next.newTo };
  else changes.push(one);
}
