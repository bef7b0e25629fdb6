import { expect, test } from "vitest";
import { int64Of } from "../../../src/base/numbers/int64.js";

test.each([
  ["0", 0n],
  ["-0", 0n],
  ["+17", 17n],
  ["0000000000000000000000000000001", 1n],
  ["9223372036854775807", 9_223_372_036_854_775_807n],
  ["-9223372036854775808", -9_223_372_036_854_775_808n],
  ["9223372036854775808", undefined],
  ["-9223372036854775809", undefined],
  ["1".repeat(3_000_000), undefined],
])("int64Of() parses decimal digits exactly and returns undefined outside of int64: %.40s", (digits, value) => {
  expect(int64Of(digits)).toBe(value);
});
