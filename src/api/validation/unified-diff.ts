import { append } from "../../base/collections/append.js";
/** Lines that `a` and `b` have in common, `size` of them, starting at these places. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

const CONTEXT = 3;
/** In texts longer than this, lines that make up more than a hundredth of them anchor nothing. */
const POPULAR_FROM = 200;
/** Comparisons of two lines. difflib makes as many as the product of the texts' lengths where their lines changed places. */
const MOST_COMPARISONS = 500_000;

/**
 * A unified diff without file names, "" for equal texts. Matches are those of Python's difflib, up to a limit of comparisons;
 * lines beyond it are shown as replaced.
 */
export function unifiedDiff(a: readonly string[], b: readonly string[]): string {
  return hunks(matches(a, b), a.length, b.length)
    .map((hunk) => hunkText(hunk, a, b))
    .join("");
}

function matches(a: readonly string[], b: readonly string[]): Match[] {
  const places = placesOf(b);
  const found: Match[] = [];
  const queue: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  const budget = { left: MOST_COMPARISONS };
  for (let range = queue.pop(); range !== undefined; range = queue.pop()) {
    const [aLow, aHigh, bLow, bHigh] = range;
    const match = longest(a, b, places, range, budget);
    if (match.size === 0) continue;
    found.push(match);
    queue.push([aLow, match.a, bLow, match.b], [match.a + match.size, aHigh, match.b + match.size, bHigh]);
  }
  found.sort((left, right) => left.a - right.a || left.b - right.b);
  return joined(found);
}

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const known = places.get(line);
    if (known === undefined) places.set(line, [index]);
    else known.push(index);
  }
  const most = Math.floor(lines.length / 100) + 1;
  if (lines.length >= POPULAR_FROM) {
    for (const [line, indexes] of places) if (indexes.length > most) places.delete(line);
  }
  return places;
}

/** The longest run of equal lines in the range, the first of them; then stretched over lines that anchor nothing. */
function longest(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  [aLow, aHigh, bLow, bHigh]: readonly [number, number, number, number],
  budget: { left: number },
): Match {
  let [bestA, bestB, size] = [aLow, bLow, 0];
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh && budget.left > 0; i++) {
    const next = new Map<number, number>();
    budget.left -= 1;
    for (const j of places.get(a[i] ?? "") ?? []) {
      budget.left -= 1;
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const length = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, length);
      if (length > size) [bestA, bestB, size] = [i - length + 1, j - length + 1, length];
    }
    lengths = next;
  }
  while (bestA > aLow && bestB > bLow && a[bestA - 1] === b[bestB - 1]) {
    bestA--;
    bestB--;
    size++;
  }
  while (bestA + size < aHigh && bestB + size < bHigh && a[bestA + size] === b[bestB + size]) size++;
  return { a: bestA, b: bestB, size };
}

function joined(found: readonly Match[]): Match[] {
  const all: Match[] = [];
  for (const match of found) {
    const last = all.at(-1);
    if (last !== undefined && last.a + last.size === match.a && last.b + last.size === match.b) {
      all[all.length - 1] = { ...last, size: last.size + match.size };
    } else all.push(match);
  }
  return all;
}

/** Part of a hunk: equal lines, or lines of `a` that lines of `b` replace. */
interface Block {
  readonly equal: boolean;
  readonly a: readonly [from: number, to: number];
  readonly b: readonly [from: number, to: number];
}

function hunks(found: readonly Match[], aLength: number, bLength: number): Block[][] {
  const blocks: Block[] = [];
  let [a, b] = [0, 0];
  for (const match of [...found, { a: aLength, b: bLength, size: 0 }]) {
    if (a < match.a || b < match.b) blocks.push({ equal: false, a: [a, match.a], b: [b, match.b] });
    [a, b] = [match.a + match.size, match.b + match.size];
    if (match.size > 0) blocks.push({ equal: true, a: [match.a, a], b: [match.b, b] });
  }
  const groups: Block[][] = [[]];
  for (const [index, block] of blocks.entries()) {
    const group = groups.at(-1) ?? [];
    const first = index === 0;
    const last = index === blocks.length - 1;
    const size = block.a[1] - block.a[0];
    if (!block.equal) group.push(block);
    else if (first) group.push(tail(block));
    else if (last) group.push(head(block));
    else if (size > CONTEXT * 2) {
      group.push(head(block));
      groups.push([tail(block)]);
    } else group.push(block);
  }
  return groups.filter((group) => group.some(({ equal }) => !equal));
}

function head({ a, b }: Block): Block {
  const size = Math.min(CONTEXT, a[1] - a[0]);
  return { equal: true, a: [a[0], a[0] + size], b: [b[0], b[0] + size] };
}

function tail({ a, b }: Block): Block {
  const size = Math.min(CONTEXT, a[1] - a[0]);
  return { equal: true, a: [a[1] - size, a[1]], b: [b[1] - size, b[1]] };
}

function hunkText(hunk: readonly Block[], a: readonly string[], b: readonly string[]): string {
  const [first, last] = [hunk[0], hunk.at(-1)];
  if (first === undefined || last === undefined) return "";
  const lines = [`@@ -${range(first.a[0], last.a[1])} +${range(first.b[0], last.b[1])} @@`];
  for (const block of hunk) {
    if (block.equal)
      append(
        lines,
        a.slice(...block.a).map((line) => ` ${line}`),
      );
    else {
      append(
        lines,
        a.slice(...block.a).map((line) => `-${line}`),
      );
      append(
        lines,
        b.slice(...block.b).map((line) => `+${line}`),
      );
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

function range(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}
