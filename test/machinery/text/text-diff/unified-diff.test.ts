import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { changesBetween, unifiedDiff } from "../../../../src/machinery/text/text-diff/unified-diff.js";
import { seededRandom } from "../../../helpers/seeded-random.js";

const hasDiff = spawnSync("diff", ["--version"]).status === 0;
if (!hasDiff) process.stdout.write("unified diffs are not compared with diff(1): it is not there\n");

const ours = (a: string, b: string): string => unifiedDiff({ label: "a", text: a }, { label: "b", text: b });

const lines = (...words: readonly string[]): string => words.map((word) => `${word}\n`).join("");
const ten = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];

/** Pairs with one shortest way between them, so that every tool shows the same. */
const PAIRS: readonly (readonly [name: string, a: string, b: string])[] = [
  ["a changed line", lines(...ten), lines(...ten.map((line) => (line === "5" ? "five" : line)))],
  ["a new file", "", lines("a", "b")],
  ["an emptied file", lines("a", "b"), ""],
  ["one line to none", lines("a"), ""],
  ["changes far apart", lines("x", ...ten, "y"), lines("X", ...ten, "Y")],
  [
    "changes as far apart as context reaches",
    lines("x", "1", "2", "3", "4", "5", "6", "y"),
    lines("X", "1", "2", "3", "4", "5", "6", "Y"),
  ],
  ["changes one line further apart", lines("x", ...ten.slice(0, 7), "y"), lines("X", ...ten.slice(0, 7), "Y")],
  ["no line break at the end", "a\nb", "a\nc"],
  ["a line break that comes", "a\nb", "a\nb\n"],
  ["a line at the end", lines(...ten), lines(...ten, "11")],
  ["a line at the beginning", lines(...ten), lines("0", ...ten)],
];

/** What diff(1) prints, from the hunks on: the names of the files are its own. */
function real(a: string, b: string, ...flags: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "kubets-diff-"));
  try {
    writeFileSync(join(folder, "a"), a);
    writeFileSync(join(folder, "b"), b);
    return spawnSync("diff", ["-u", ...flags, "a", "b"], { cwd: folder, encoding: "utf8" }).stdout.replace(
      /^--- .*\n\+\+\+ .*\n/,
      "",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const withoutHead = (text: string): string => text.replace(/^--- a\n\+\+\+ b\n/, "");

test.skipIf(!hasDiff).each(PAIRS)("a unified diff prints %s as diff(1) does", (_name, a, b) => {
  expect(withoutHead(ours(a, b))).toBe(real(a, b));
});

test("a unified diff of equal texts is empty", () => {
  expect(ours("a\n", "a\n")).toBe("");
});

describe("a unified diff of random texts", () => {
  const random = seededRandom("unified diff");
  const below = (limit: number): number => (random.bytes(1)[0] ?? 0) % limit;
  const word = (): string => ["a", "b", "c", "d"][below(4)] as string;
  const text = (): string => lines(...Array.from({ length: below(25) }, word));
  const pairs = Array.from({ length: 40 }, () => [text(), text()] as const);

  test.skipIf(!hasDiff)("has no more changed lines than the smallest difference of diff(1)", () => {
    const changed = (diff: string): number => diff.split("\n").filter((line) => /^[-+]/.test(line)).length;
    for (const [a, b] of pairs) expect(changed(withoutHead(ours(a, b)))).toBe(changed(real(a, b, "--minimal")));
  });

  test("turns the first text into the second when applied", () => {
    for (const [a, b] of pairs) {
      const [from, to] = [a.split("\n"), b.split("\n")];
      const made = [...from];
      for (const { fromIndex, fromCount, toIndex, toCount } of changesBetween(from, to).toReversed()) {
        made.splice(fromIndex, fromCount, ...to.slice(toIndex, toIndex + toCount));
      }
      expect(made).toEqual(to);
    }
  });
});
