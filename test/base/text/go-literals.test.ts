import { expect, test } from "vitest";
import { parseGoDuration } from "../../../src/base/text/go-literals.js";

test.each([
  ["1h30m", 5_400_000],
  ["-1.5s", -1500],
  [".5ms", 0.5],
  ["1.h", 3_600_000],
  ["+0", 0],
  ["0", 0],
  ["", undefined],
  ["1", undefined],
  ["1.2.3s", undefined],
  ["1h-1m", undefined],
  // Each of these once took time by the square of its length.
  ["0".repeat(1_000_000), undefined],
  [`${"1.".repeat(500_000)}s`, undefined],
])("parseGoDuration() returns milliseconds, or undefined for invalid text, as Go does: %.20s", (text, milliseconds) => {
  expect(parseGoDuration(text)).toBe(milliseconds);
});
