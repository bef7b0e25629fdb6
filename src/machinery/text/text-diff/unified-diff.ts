import { type Change, changesBetween } from "./edit-script.js";

/** One side of a comparison. */
export interface DiffSide {
  /** What stands after `---` or `+++`: a name, a tab, a time. */
  readonly label: string;
  readonly text: string;
}

const CONTEXT = 3;

/** Two texts in the form of `diff -u`; "" when they are the same. */
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
