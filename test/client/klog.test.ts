import { expect, test } from "vitest";
import { klogError, klogWarning } from "../../src/client/klog.js";

const now = new Date(2026, 10, 21, 7, 0, 8, 408);

test.each([
  ["one line is quoted", 'no "x"', 'err="no \\"x\\""\n'],
  ["several lines are an indented block", "a:\nb", "err=<\n\ta:\n\tb\n >\n"],
])("an error: %s", (_, error, value) => {
  expect(klogError("memcache.go:265", "Unhandled Error", error, now, 42)).toBe(
    `E1121 07:00:08.408000      42 memcache.go:265] "Unhandled Error" ${value}`,
  );
});

test("a warning", () => {
  expect(klogWarning("helpers.go:718", "old", now)).toBe("W1121 07:00:08.408000       1 helpers.go:718] old\n");
});
