import { describe, expect, test } from "vitest";
import { leveledLog } from "../../../../src/machinery/text/klog/leveled-log.js";
import { FixedClock } from "../../../helpers/fixed-clock.js";

function logOf(level: number, modules = "") {
  const lines: string[] = [];
  const clock = new FixedClock(new Date(2026, 10, 21, 7, 0, 8, 408).getTime());
  return { lines, log: leveledLog({ level, modules, clock, pid: 42, write: (line) => void lines.push(String(line)) }) };
}

describe("whether a leveled log writes a line", () => {
  test.each([
    ["when -v reaches its level", 6, "", true],
    ["not when -v stays below", 5, "", false],
    ["when --vmodule gives its file the level", 0, "loader=6", true],
    ["not when --vmodule gives it less", 0, "loader=5", false],
    ["when -v suffices and --vmodule gives its file less", 6, "loader=1", true],
    ["not for another file", 0, "loade=9,oader=9", false],
    ["by the first pattern that fits", 0, "load*=5,loader=9", false],
    ["when a star fits", 0, "l*r=6", true],
    ["when a question mark fits", 0, "loade?=6", true],
    ["when a set fits", 0, "[a-l]oader=6", true],
    ["not when a set excludes it", 0, "[^l]oader=6", false],
    ["with a dot that stands for itself", 0, "l.ader=6", false],
  ])("%s", (_, level, modules, written) => {
    const { log, lines } = logOf(level, modules);
    log.info(6, "loader.go:408", "Config loaded");
    expect(lines.length === 1).toBe(written);
    expect(log.enabled(6, "loader")).toBe(written);
  });
});

test("a leveled log prints a plain line as it is, with its header", () => {
  const { log, lines } = logOf(6);
  log.info(6, "loader.go:408", "Config loaded from file:  a");
  expect(lines).toEqual(["I1121 07:00:08.408000      42 loader.go:408] Config loaded from file:  a\n"]);
});

test("a leveled log quotes texts of a structured line, indents those of several lines, and omits undefined values", () => {
  const { log, lines } = logOf(9);
  log.structured(9, "round_trippers.go:632", "Response", {
    status: "200 OK",
    absent: undefined,
    empty: "",
    headers: "A: 1\nB: 2\n",
    milliseconds: 4,
    enabled: true,
    address: [{ IP: "127.0.0.1", Zone: "" }],
  });
  expect(lines.join("")).toBe(
    'I1121 07:00:08.408000      42 round_trippers.go:632] "Response" status="200 OK" empty="" headers=<\n' +
      '\tA: 1\n\tB: 2\n > milliseconds=4 enabled=true address=[{"IP":"127.0.0.1","Zone":""}]\n',
  );
});
