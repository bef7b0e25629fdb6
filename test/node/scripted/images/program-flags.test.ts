import { describe, expect, test } from "vitest";
import { checkRequired, programFlags } from "../../../../src/node/scripted/images/program-flags.js";

const TABLE = { texts: { name: "default", host: "" }, switches: { patch: true, debug: false }, short: { D: "debug" } };
const read = (...args: readonly string[]) => {
  const flags = programFlags(args, TABLE);
  return [flags.text("name"), flags.isOn("patch"), flags.isOn("debug"), flags.words];
};

describe("flags of built-in programs of images", () => {
  test.each([
    ["nothing", [], ["default", true, false, []]],
    ["an equals sign", ["--name=a=b", "--patch=false"], ["a=b", false, false, []]],
    ["a word behind it", ["--name", "a", "word"], ["a", true, false, ["word"]]],
    ["a switch before a word", ["--debug", "false"], ["default", true, true, ["false"]]],
    ["a short switch", ["-D"], ["default", true, true, []]],
    ["an empty value", ["--name="], ["", true, false, []]],
    ["what is behind --", ["--", "--name=a"], ["default", true, false, ["--name=a"]]],
  ])("are parsed: %s", (_name, args, expected) => {
    expect(read(...args)).toEqual(expected);
  });

  test.each([
    [["--nope"], "unknown flag: --nope"],
    [["--__proto__=a"], "unknown flag: --__proto__"],
    [["-x"], "unknown shorthand flag: 'x' in -x"],
    [["--name"], "flag needs an argument: --name"],
    [["--patch=yes"], 'invalid argument "yes" for "--patch" flag: strconv.ParseBool: parsing "yes": invalid syntax'],
  ])("refuse %j in the words of pflag", (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });

  test("are named in the error when they are missing", () => {
    const flags = programFlags(["--name=a"], TABLE);
    expect(() => checkRequired(flags, ["name", "host"])).toThrow('required flag(s) "host" not set');
  });
});
