/** One side of a comparison. */
export interface DiffSide {
  /** What stands after `---` or `+++`: a name, a tab, a time. */
  readonly label: string;
  readonly text: string;
}

const CONTEXT = 3;

/** Compares two texts, and formats their differences as `diff -u` does; "" when they are the same. */
export function unifiedDiff(from: DiffSide, to: DiffSide): string {
  if (from.text === to.text) return "";
  const [a, b] = [linesOf(from.text), linesOf(to.text)];
  const hunks = hunksOf(changesBetween(a, b));
  return `--- ${from.label}\n+++ ${to.label}\n${hunks.map((changes) => formatHunk(changes, a, b)).join("")}`;
}

/** Each with its line break; what ends without one says so. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/(?<=\n)/);
  return lines
    .filter((line) => line !== "")
    .map((line) => (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`));
}

/** Changes whose context would touch or overlap are shown together. */
function hunksOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    const gap = last === undefined ? Infinity : change.fromIndex - (last.fromIndex + last.fromCount);
    if (gap <= 2 * CONTEXT) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

function formatHunk(changes: readonly Change[], a: readonly string[], b: readonly string[]): string {
  const first = changes[0] as Change;
  const last = changes.at(-1) as Change;
  const before = Math.min(CONTEXT, first.fromIndex);
  const after = Math.min(CONTEXT, a.length - last.fromIndex - last.fromCount);
  const fromStart = first.fromIndex - before;
  const fromEnd = last.fromIndex + last.fromCount + after;
  const toStart = first.toIndex - before;
  const toEnd = last.toIndex + last.toCount + after;
  let text = `@@ -${range(fromStart, fromEnd)} +${range(toStart, toEnd)} @@\n`;
  let at = fromStart;
  for (const { fromIndex, fromCount, toIndex, toCount } of changes) {
    text += marked(" ", a.slice(at, fromIndex));
    text += marked("-", a.slice(fromIndex, fromIndex + fromCount));
    text += marked("+", b.slice(toIndex, toIndex + toCount));
    at = fromIndex + fromCount;
  }
  return text + marked(" ", a.slice(at, fromEnd));
}

/** The number of the first line and how many there are; of none, the number of the line before. */
function range(start: number, end: number): string {
  const count = end - start;
  if (count === 1) return String(start + 1);
  return `${count === 0 ? start : start + 1},${count}`;
}

const marked = (mark: string, lines: readonly string[]): string => lines.map((line) => mark + line).join("");

/** A run of lines that only one side has; both counts are never 0. Indexes count from 0. */
interface Change {
  readonly fromIndex: number;
  readonly fromCount: number;
  readonly toIndex: number;
  readonly toCount: number;
}

/** Computes the shortest list of changes from one list of lines to another, in order (Myers, "An O(ND) Difference Algorithm", 1986). */
export function changesBetween(from: readonly string[], to: readonly string[]): readonly Change[] {
  const kept = keptPairs(from, to);
  const changes: Change[] = [];
  let [x, y] = [0, 0];
  for (const [keptX, keptY] of [...kept, [from.length, to.length] as const]) {
    if (keptX > x || keptY > y) changes.push({ fromIndex: x, fromCount: keptX - x, toIndex: y, toCount: keptY - y });
    [x, y] = [keptX + 1, keptY + 1];
  }
  return changes;
}

type Pair = readonly [x: number, y: number];

/** Indexes of lines that stay, in order. */
function keptPairs(from: readonly string[], to: readonly string[]): readonly Pair[] {
  const trace = furthestReaches(from, to);
  const kept: Pair[] = [];
  let [x, y] = [from.length, to.length];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits] as ReadonlyMap<number, number>;
    const diagonal = x - y;
    const before = cameFromAbove(reach, diagonal, edits) ? diagonal + 1 : diagonal - 1;
    const startX = edits === 0 ? 0 : (reach.get(before) ?? 0);
    const startY = edits === 0 ? 0 : startX - before;
    while (x > startX && y > startY && from[x - 1] === to[y - 1]) kept.push([--x, --y]);
    [x, y] = [startX, startY];
  }
  return kept.toReversed();
}

/** For each number of edits, how far along `from` each diagonal was reached with one edit less. */
function furthestReaches(from: readonly string[], to: readonly string[]): readonly ReadonlyMap<number, number>[] {
  const trace: ReadonlyMap<number, number>[] = [];
  let reach: ReadonlyMap<number, number> = new Map([[1, 0]]);
  for (let edits = 0; ; edits++) {
    trace.push(reach);
    const next = new Map<number, number>();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = cameFromAbove(reach, diagonal, edits)
        ? (reach.get(diagonal + 1) ?? 0)
        : (reach.get(diagonal - 1) ?? 0) + 1;
      while (x < from.length && x - diagonal < to.length && from[x] === to[x - diagonal]) x++;
      next.set(diagonal, x);
      if (x >= from.length && x - diagonal >= to.length) return trace;
    }
    reach = next;
  }
}

/** Whether the last edit before this diagonal was an insertion. */
function cameFromAbove(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  if (diagonal === -edits) return true;
  return diagonal !== edits && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1);
}
