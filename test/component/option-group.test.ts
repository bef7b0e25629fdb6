import { describe, expect, expectTypeOf, test } from "vitest";
import type { ClusterOptions } from "../../src/cluster/options/cluster-options.js";
import { serverOptionTable } from "../../src/component/apiserver-flags/server-options.js";
import { apiserverSections } from "../../src/component/apiserver-flags/sections.js";
import { FlagTable } from "../../src/component/flags/flag-table.js";
import { parseFlags } from "../../src/component/flags/parse-flags.js";
import {
  argumentsOf,
  optionFaults,
  type OptionGroup,
  type OptionsOf,
  readOptions,
  readWithDefaults,
  rowsOf,
  sectionOf,
} from "../../src/component/option-group.js";

const group = {
  isOpen: { name: "open", type: "bool", usage: "" },
  limit: {
    name: "limit",
    type: "int",
    default: "7",
    usage: "",
    faults: (limit: number) => (limit < 0 ? [`limit is ${limit}`] : []),
  },
  period: { name: "period", type: "duration", usage: "" },
  mode: { name: "mode", type: "string", oneOf: ["a", "b"], usage: "" },
  names: { name: "names", type: "stringSlice", usage: "" },
  pairs: {
    name: "pair",
    type: "stringArray",
    usage: "",
    read: (texts: readonly string[]): ReadonlyMap<string, string> =>
      new Map(texts.map((text) => text.split(":") as [string, string])),
    write: (pairs: ReadonlyMap<string, string>) => [...pairs].map((pair) => pair.join(":")),
  },
  tls: {
    certFile: { name: "cert", type: "string", usage: "", isFile: true, isNeeded: true },
    caFiles: { name: "ca", type: "stringArray", usage: "", isFile: true },
  },
} as const satisfies OptionGroup;

type Options = OptionsOf<typeof group>;

const parsed = (declared: OptionGroup, argv: readonly string[]) =>
  parseFlags(new FlagTable(rowsOf(declared)), argv).flags;
const read = (...argv: string[]): Options => readOptions(group, parsed(group, argv), "/cwd");

const ALL = [
  "--open=true",
  "--limit=3",
  "--period=1.5s",
  "--mode=b",
  '--names=x,"y,z"',
  "--pair=k:v",
  "--cert=c.pem",
  "--ca=1.pem",
  "--ca=/2.pem",
];

const VALUES: Options = {
  isOpen: true,
  limit: 3,
  period: 1500,
  mode: "b",
  names: ["x", "y,z"],
  pairs: new Map([["k", "v"]]),
  tls: { certFile: "/cwd/c.pem", caFiles: ["/cwd/1.pem", "/2.pem"] },
};

describe("START-8: a table row that declares a flag and an option of the code together", () => {
  test("decides the option's TypeScript type", () => {
    expectTypeOf<Options["isOpen"]>().toEqualTypeOf<boolean | undefined>();
    expectTypeOf<Options["period"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Options["mode"]>().toEqualTypeOf<"a" | "b" | undefined>();
    expectTypeOf<Options["pairs"]>().toEqualTypeOf<ReadonlyMap<string, string> | undefined>();
    expectTypeOf<NonNullable<Options["tls"]>["certFile"]>().toEqualTypeOf<string>();
  });

  test("is read from the command line, with file paths from the working directory", () => {
    expect(read(...ALL)).toEqual(VALUES);
  });

  test("leaves the option undefined when the flag was not given or is empty", () => {
    expect(read()).toEqual({});
    expect(read("--mode=", "--limit=7")).toEqual({ limit: 7 });
  });

  test("in a nested group makes the group appear when one of its flags was given, with its required fields", () => {
    expect(read("--ca=1.pem")).toEqual({ tls: { certFile: "", caFiles: ["/cwd/1.pem"] } });
  });

  test("yields the flag's default when the program asks for defaults, unless it is empty", () => {
    expect(readWithDefaults(group, parsed(group, ["--period=1s"]), "/cwd")).toEqual({
      isOpen: false,
      limit: 7,
      period: 1000,
      tls: { certFile: "" },
    });
  });

  test("leaves the option out in a program without the flag", () => {
    const { limit } = group;
    expect(readOptions(group, parsed({ limit }, ["--limit=1"]), "/")).toEqual({ limit: 1 });
  });

  test("turns the option's value back into arguments for another process", () => {
    const again = readOptions(group, parsed(group, argumentsOf(group, VALUES)), "/elsewhere");
    expect(again).toEqual(VALUES);
  });

  test("reports a wrong value, given by flag or by code", () => {
    expect(optionFaults(group, { limit: -1 })).toEqual(["limit is -1"]);
    expect(optionFaults(group, read("--limit=-2"))).toEqual(["limit is -2"]);
  });

  test("appears in a section together with the rows of nested groups and further flags, by name", () => {
    const { flags } = sectionOf("odd", { group }, [{ name: "more", type: "bool", usage: "" }]);
    expect(flags.map(({ name }) => name)).toEqual([
      "ca",
      "cert",
      "limit",
      "mode",
      "more",
      "names",
      "open",
      "pair",
      "period",
    ]);
  });
});

test("START-8: each option that a flag sets exists in startCluster()", () => {
  type Options = OptionsOf<typeof serverOptionTable>;
  expectTypeOf<Exclude<keyof Options, keyof ClusterOptions>>().toEqualTypeOf<never>();
  expectTypeOf<Options>().toExtend<Pick<ClusterOptions, keyof Options>>();
});

test("START-8: each option of a server is set by exactly one flag of kubets apiserver", () => {
  const declared = apiserverSections.flatMap(({ flags }) => flags.map(({ name }) => name));
  const names = rowsOf(serverOptionTable).map(({ name }) => name);
  expect(names.filter((name) => declared.filter((one) => one === name).length !== 1)).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
