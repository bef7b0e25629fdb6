/** A run of lines that only one side has; both counts are never 0. Indexes count from 0. */
export interface Change {
  readonly fromIndex: number;
  readonly fromCount: number;
  readonly toIndex: number;
  readonly toCount: number;
}

/** The shortest way from one list of lines to another (Myers, "An O(ND) Difference Algorithm", 1986), in order. */
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
