import { describe, expect, test } from "vitest";
import type { FlagSpec } from "../../../src/component/flags/flag-set.js";
import { FlagTable } from "../../../src/component/flags/flag-table.js";
import { parseFlags } from "../../../src/component/flags/parse-flags.js";

const specs: readonly FlagSpec[] = [
  { name: "all", short: "A", type: "bool", usage: "" },
  { name: "watch", short: "w", type: "bool", usage: "" },
  { name: "output", short: "o", type: "string", usage: "" },
  { name: "number", short: "n", type: "int", default: "500", usage: "" },
  { name: "small", type: "int32", usage: "" },
  { name: "timeout", type: "duration", default: "30s", usage: "" },
  { name: "file", short: "f", type: "stringSlice", usage: "" },
  { name: "env", type: "stringArray", usage: "" },
  { name: "dry-run", type: "string", default: "none", bare: "unchanged", usage: "" },
  { name: "old", short: "O", type: "bool", usage: "", deprecated: "use --new" },
  { name: "loud", type: "count", usage: "" },
];
const table = new FlagTable(specs);

describe("a program parses its flags by pflag's grammar", () => {
  test.each([
    ["a short flag with its value attached", ["-ojson"], { output: "json" }, []],
    ["a short flag with = and its value", ["-o=json"], { output: "json" }, []],
    ["a short flag with its value next", ["-o", "json", "x"], { output: "json" }, ["x"]],
    ["a long flag with =", ["--output=a=b"], { output: "a=b" }, []],
    ["a long flag with its value next, even one that looks like a flag", ["--output", "-x"], { output: "-x" }, []],
    ["an empty value", ["--output="], { output: "" }, []],
    ["letters in one word, the last with a value", ["-Awojson"], { all: true, watch: true, output: "json" }, []],
    ["a letter with = ends its group", ["-Aw=false"], { all: true, watch: false }, []],
    ["a bool that is not followed by its value", ["--watch", "false"], { watch: true }, ["false"]],
    ["a bool switched off", ["--watch=F"], { watch: false }, []],
    ["a value when bare does not take the operand", ["--dry-run", "pods"], { "dry-run": "unchanged" }, ["pods"]],
    ["flags between operands", ["a", "-w", "b"], { watch: true }, ["a", "b"]],
    ["everything after -- is an operand", ["a", "--", "-w", "--output"], {}, ["a", "-w", "--output"]],
    ["a lone dash is an operand", ["-f", "-", "-"], { file: ["-"] }, ["-"]],
    ["an empty word is an operand", [""], {}, [""]],
    ["underscores for dashes", ["--dry_run=client"], { "dry-run": "client" }, []],
    ["the last of a repeated flag wins", ["-o", "a", "-o", "b"], { output: "b" }, []],
    ["lists add up and split at commas", ["-f", "a,b", "-f", '"c,d"'], { file: ["a", "b", "c,d"] }, []],
    ["arrays add up and do not split", ["--env=a,b", "--env=c"], { env: ["a,b", "c"] }, []],
    ["numbers in other bases", ["--number=0x10", "--small=-0b11"], { number: 16, small: -3 }, []],
    ["an octal number with underscores", ["--number=0_17"], { number: 15 }, []],
    ["a count", ["--loud", "--loud"], { loud: 2 }, []],
    ["a duration", ["--timeout=1h2m3.5s"], { timeout: 3_723_500 }, []],
  ])("for %s", (_name, argv, given, args) => {
    const parsed = parseFlags(table, argv);
    expect(Object.fromEntries(parsed.flags.given)).toEqual(given);
    expect(parsed.args).toEqual(args);
  });

  test.each([
    [["--nope"], "unknown flag: --nope"],
    [["--nope=1"], "unknown flag: --nope"],
    [["-z"], "unknown shorthand flag: 'z' in -z"],
    [["-Az"], "unknown shorthand flag: 'z' in -z"],
    [["-A'"], "unknown shorthand flag: '\\'' in -'"],
    [["--output"], "flag needs an argument: --output"],
    [["-wo"], "flag needs an argument: 'o' in -o"],
    [["---x"], "bad flag syntax: ---x"],
    [["--=x"], "bad flag syntax: --=x"],
    [["--watch=x"], 'invalid argument "x" for "-w, --watch" flag: strconv.ParseBool: parsing "x": invalid syntax'],
    [["-n", "3x"], 'invalid argument "3x" for "-n, --number" flag: strconv.ParseInt: parsing "3x": invalid syntax'],
    [["-n08"], 'invalid argument "08" for "-n, --number" flag: strconv.ParseInt: parsing "08": invalid syntax'],
    [
      ["--small=2147483648"],
      'invalid argument "2147483648" for "--small" flag: strconv.ParseInt: parsing "2147483648": value out of range',
    ],
    [["--timeout=5"], 'invalid argument "5" for "--timeout" flag: time: missing unit in duration "5"'],
    [["--timeout=5x"], 'invalid argument "5x" for "--timeout" flag: time: unknown unit "x" in duration "5x"'],
    [["--timeout="], 'invalid argument "" for "--timeout" flag: time: invalid duration ""'],
    [
      ["-f", 'a"b'],
      'invalid argument "a\\"b" for "-f, --file" flag: parse error on line 1, column 2: bare " in non-quoted-field',
    ],
    [
      ["-f", '"a'],
      'invalid argument "\\"a" for "-f, --file" flag: parse error on line 1, column 3: extraneous or missing " in quoted-field',
    ],
  ])("and refuses %j with Go's message", (argv, message) => {
    expect(() => parseFlags(table, argv)).toThrow(expect.objectContaining({ name: "FlagError", message }));
  });

  test("and a flag that was not given has its default and is not marked as changed", () => {
    const { flags } = parseFlags(table, []);
    expect([flags.number("number"), flags.duration("timeout"), flags.strings("file"), flags.string("dry-run")]).toEqual(
      [500, 30_000, [], "none"],
    );
    expect(flags.changed("number")).toBe(false);
  });

  test("and knows the place of --", () => {
    expect(parseFlags(table, ["a", "b", "--", "c"]).argsLenAtDash).toBe(2);
    expect(parseFlags(table, ["a"]).argsLenAtDash).toBe(-1);
  });

  test("and prints a notice for a deprecated flag", () => {
    expect(parseFlags(table, ["-O"]).notices).toEqual(["Flag --old has been deprecated, use --new"]);
  });

  test("and throws when the program reads a flag that it did not declare, or as another type", () => {
    const { flags } = parseFlags(table, []);
    expect(() => flags.bool("nope")).toThrow("flag accessed but not defined: nope");
    expect(() => flags.bool("output")).toThrow("flag of type string");
  });

  test("and a command's own flag hides the inherited one with its short letter", () => {
    const own: FlagSpec = { name: "output", type: "string", usage: "" };
    const both = new FlagTable([own], specs);
    expect(both.named("output")).toBe(own);
    expect(both.isOwn("output")).toBe(true);
    expect(both.short("o")).toBeUndefined();
  });
});
