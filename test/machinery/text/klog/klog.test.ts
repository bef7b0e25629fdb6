import { expect, test } from "vitest";
import { klogError, klogWarning } from "../../../../src/machinery/text/klog/klog.js";

const now = new Date(2026, 10, 21, 7, 0, 8, 408);

test.each([
  ["one line is quoted", 'no "x"', 'err="no \\"x\\""\n'],
  ["several lines are an indented block", "a:\nb", "err=<\n\ta:\n\tb\n >\n"],
])("klog prints an error: %s", (_, error, value) => {
  expect(klogError({ source: "memcache.go:381", message: "No groups", error }, now, 42)).toBe(
    `E1121 07:00:08.408000      42 memcache.go:381] "No groups" ${value}`,
  );
});

test("klog prints values after an error, texts in quotes and numbers without", () => {
  const error = {
    source: "portforward.go:549",
    message: "No",
    error: "reset",
    values: { gv: "apps/v1", localPort: 80 },
  };
  expect(klogError(error, now, 42)).toMatch(/ err="reset" gv="apps\/v1" localPort=80\n$/);
});

test("klog prints a warning", () => {
  expect(klogWarning("helpers.go:714", "old", now)).toBe("W1121 07:00:08.408000       1 helpers.go:714] old\n");
});
