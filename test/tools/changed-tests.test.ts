import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { testsReachedBy } from "../../tools/changed-tests.mjs";

const sources = new Map([
  ["src/base/a.ts", ""],
  ["src/cli/b.ts", 'import { a } from "../base/a.js";'],
  ["src/cli/late.ts", 'const { b } = await import("./b.js");'],
  ["test/base/a.test.ts", 'import { a } from "../../src/base/a.js";'],
  ["test/cli/late.test.ts", 'import "../../src/cli/late.js";'],
  ["test/cli/program.test.ts", ""],
  ["test/docs/blocks.test.ts", ""],
  ["test/other.test.ts", ""],
]);
const reached = (...changed: string[]) => testsReachedBy(changed, sources).tests as string[];

describe("a change reaches", () => {
  test("tests whose imports lead to it, static and dynamic", () => {
    expect(reached("src/base/a.ts")).toEqual(["test/base/a.test.ts", "test/cli/late.test.ts"]);
  });

  test("tests in its folder that import nothing of it", () => {
    expect(reached("src/cli/b.ts")).toEqual(["test/cli/late.test.ts", "test/cli/program.test.ts"]);
  });

  test("a test file that changed", () => {
    expect(reached("test/other.test.ts")).toEqual(["test/other.test.ts"]);
  });

  test("the tests of the docs if a page or an example changed", () => {
    expect(reached("docs/cli.md")).toEqual(["test/docs/blocks.test.ts"]);
    expect(reached("examples/demo.mjs")).toEqual(["test/docs/blocks.test.ts"]);
  });

  test("no test for a file that none depends on", () => {
    expect(reached("LICENSE")).toEqual([]);
  });

  test("every test if all depend on the file, and says which", () => {
    const { tests, reason } = testsReachedBy(["vitest.config.ts"], sources);
    expect(tests).toHaveLength(5);
    expect(reason).toBe(": all, because every test depends on vitest.config.ts");
  });
});

describe("the command line of test:changed", () => {
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, ["tools/changed-tests.mjs", ...args], { encoding: "utf8" });
    return { status, stderr };
  };

  test("says what git has against a revision that there is not, and runs no test", () => {
    const { status, stderr } = run("--since", "no-such-revision");
    expect(status).toBe(1);
    expect(stderr).toContain("bad revision 'no-such-revision'");
  });

  test("names an unknown flag, and how it is called", () => {
    const { status, stderr } = run("--help");
    expect(status).toBe(1);
    expect(stderr).toContain("Unknown option '--help'");
    expect(stderr).toContain("Use: npm run test:changed [-- --since REV]");
  });
});
