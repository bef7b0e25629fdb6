import { describe, expect, test } from "vitest";
import { KNOWN_FAILURES } from "./known-failures.js";
import { runTest } from "./run-test.js";
import { conformanceFiles } from "./suite.js";

/** How many tests of each file pass; a file without tests is left out. */
const PASSING: Readonly<Record<string, number>> = {
  basic: 43,
  bindings_ext: 5,
  block_ext: 37,
  comparisons: 394,
  conversions: 109,
  dynamic: 225,
  encoders_ext: 4,
  enums: 54,
  fields: 60,
  fp_math: 30,
  integer_math: 64,
  lists: 39,
  logic: 30,
  macros: 44,
  macros2: 46,
  math_ext: 199,
  namespace: 3,
  optionals: 70,
  parse: 219,
  plumbing: 5,
  proto2: 108,
  proto2_ext: 0,
  proto3: 75,
  string: 51,
  string_ext: 207,
  timestamps: 75,
  type_deductions: 43,
  wrappers: 36,
};

const files = conformanceFiles().filter(({ tests }) => tests.length > 0);

describe("CEL's conformance suite", () => {
  const expected = new Set(KNOWN_FAILURES.flatMap(({ tests }) => tests));
  const isExpected = (name: string): boolean =>
    expected.has(name) || expected.has(name.split("/").slice(0, 2).join("/"));

  test.each(files)("$file passes, but for what is known to fail", ({ file, tests }) => {
    const failures = new Map<string, string>();
    for (const { name, test } of tests) {
      const wrong = runTest(test);
      if (wrong !== undefined) failures.set(`${file}/${name}`, wrong);
    }
    expect(Object.fromEntries([...failures].filter(([name]) => !isExpected(name)))).toEqual({});
    const all = tests.map(({ name }) => `${file}/${name}`);
    expect(all.filter((name) => isExpected(name) && !failures.has(name))).toEqual([]);
    expect(tests.length - failures.size).toBe(PASSING[file]);
  });

  test("passes at least 2,200 of 2,344", () => {
    const count = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
    expect(count(files.map(({ tests }) => tests.length))).toBe(2344);
    expect(count(Object.values(PASSING))).toBeGreaterThanOrEqual(2200);
  });

  test("every known failure is a test of the suite", () => {
    const names = files.flatMap(({ file, tests }) => tests.map(({ name }) => `${file}/${name}`));
    const known = new Set(names.flatMap((name) => [name, name.split("/").slice(0, 2).join("/")]));
    expect([...expected].filter((name) => !known.has(name))).toEqual([]);
  });
});
