import { expect, test } from "vitest";
import { FlagTable } from "../../src/component/flags/flag-table.js";
import { stripFlags, withoutOperand } from "../../src/cli/command-node.js";

const flags = new FlagTable([
  { name: "namespace", short: "n", type: "string", usage: "" },
  { name: "quiet", short: "q", type: "bool", usage: "" },
]);

test.each([
  ["operands of a plain line", ["get", "pods"], ["get", "pods"]],
  ["a flag with its value", ["-n", "x", "get"], ["get"]],
  ["a flag with = takes nothing", ["-n=x", "--namespace=y", "get"], ["get"]],
  ["a flag that stands alone takes nothing", ["-q", "get"], ["get"]],
  ["an unknown flag takes the next word", ["--save-config", "create", "ns"], ["ns"]],
  ["a flag before the last word swallows it", ["--namespace", "get"], []],
  ["nothing counts after --", ["get", "--", "pods"], ["get"]],
  ["letters together take nothing", ["-qn", "x", "get"], ["x", "get"]],
])("words that a command line leaves as operands, by cobra's guess: %s", (_name, argv, operands) => {
  expect(stripFlags(argv, flags)).toEqual(operands);
});

test("the arguments lose the command's name once, and flag values that equal it stay", () => {
  expect(withoutOperand(["-n", "get", "get", "get"], "get", flags)).toEqual(["-n", "get", "get"]);
});
