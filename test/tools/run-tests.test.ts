import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const script = join(import.meta.dirname, "../../tools/run-tests.mjs");
const ciReport = join(import.meta.dirname, "../../.ci/report.mjs");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-run-tests-"));
  mkdirSync(join(folder, "test"));
  mkdirSync(join(folder, "reports"));
  write(
    "vitest.config.mjs",
    `const project = (name, mode) => ({
       test: { name, globals: true, env: { RUN: mode + " " + name }, include: ["test/" + name + "-*.test.mjs"] },
     });
     export default ({ mode }) => ({ test: { projects: ["one", "two"].map((name) => project(name, mode)) } });`,
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  writeFileSync(join(folder, path), text);
}

/** A test file whose statement `fault` runs only the first time that the file runs; `always` runs every time. */
function writeTests(name: string, { fault, always = "" }: { readonly fault: string; readonly always?: string }): void {
  const ran = JSON.stringify(join(folder, `${name}.ran`));
  write(
    `test/${name}.test.mjs`,
    `import { existsSync, writeFileSync } from "node:fs";
     const first = !existsSync(${ran});
     writeFileSync(${ran}, "");
     test("holds", () => undefined);
     describe("a part", () => {
       test("is tried", async () => {
         if (first) { ${fault} }
         ${always}
       });
     });`,
  );
}

const FAILS = { fault: "expect('a').toBe('b')" };

function run(...words: readonly string[]): { readonly code: number | null; readonly lines: string[] } {
  const { KUBETS_FLAKY_TESTS: _, ...env } = process.env;
  const options = { cwd: folder, encoding: "utf8" as const, env: { ...env, NO_COLOR: "1", FORCE_COLOR: "0" } };
  const { status, stdout } = spawnSync(process.execPath, [script, "--mode", "main", ...words], options);
  return { code: status, lines: stdout.trimEnd().split("\n") };
}

const starting = (lines: readonly string[], start: string): string[] => lines.filter((line) => line.startsWith(start));

describe("the test runner, when test files fail", () => {
  test("once, names them last and passes: for a failed test, an error outside of tests, or the end of their thread", () => {
    writeTests("one-assertion", FAILS);
    writeTests("two-error", {
      fault: "await new Promise((done) => setTimeout(() => { setImmediate(done); throw new Error('out of turn') }))",
      always: "expect(process.env.RUN).toBe('main two')",
    });
    writeTests("two-thread", { fault: "process.reallyExit(3)" });
    writeTests("two-good", { fault: "" });
    const { code, lines } = run();
    expect(lines.slice(-3).toSorted()).toEqual([
      "flaky: test/one-assertion.test.mjs > a part > is tried",
      "flaky: test/two-error.test.mjs > unhandled error: out of turn",
      "flaky: test/two-thread.test.mjs > did not end",
    ]);
    expect(starting(lines, "once more, alone: ").length).toBe(3);
    expect(code).toBe(0);
  });

  test("twice, fails and names them last, after those that failed once", () => {
    writeTests("one-once", FAILS);
    writeTests("two-always", { fault: "", always: "expect('a').toBe('b')" });
    const { code, lines } = run();
    expect(starting(lines, "failed twice: ")).toEqual(["failed twice: test/two-always.test.mjs"]);
    const why = lines.indexOf("why at first: test/one-once.test.mjs > a part > is tried");
    expect(lines.slice(why + 1, why + 4)).toEqual([
      "  expected 'a' to be 'b' // Object.is equality",
      '  Expected: "b"',
      '  Received: "a"',
    ]);
    expect(lines.slice(-2)).toEqual([
      "flaky: test/one-once.test.mjs > a part > is tried",
      "failed: test/two-always.test.mjs > a part > is tried",
    ]);
    expect(code).toBe(1);
  });

  test("and are more than three, fails without trying again", () => {
    for (const name of ["one-a", "one-b", "one-c", "two-d"]) writeTests(name, FAILS);
    const { code, lines } = run();
    expect(starting(lines, "nothing is tried a second time: more than 3 files failed: test/").length).toBe(1);
    expect(lines.slice(-4).toSorted()[0]).toBe("failed: test/one-a.test.mjs > a part > is tried");
    expect(starting(lines, "failed: ").length).toBe(4);
    expect(starting(lines, "flaky: ")).toEqual([]);
    expect(code).toBe(1);
  });
});

test("once, and a command line beside the tests fails, exits with that line's code", () => {
  writeTests("one-once", FAILS);
  const { code, lines } = run("--before", "echo prepared", "--beside", "echo checked && exit 4");
  expect(lines).toContain("prepared");
  expect(lines).toContain("checked");
  expect(lines.at(-1)).toBe("flaky: test/one-once.test.mjs > a part > is tried");
  expect(code).toBe(4);
});

test("the test runner starts no tests after a command line before them that fails", () => {
  writeTests("one-once", FAILS);
  const { code, lines } = run("--before", "exit 5");
  expect([code, lines]).toEqual([5, [""]]);
});

test("the test runner fails for a filter that matches no file", () => {
  const { code, lines } = run("no-such-file");
  expect(code).toBe(1);
  expect(lines.at(-1)).toMatch(/^failed: tests of mode main > /);
});

describe("the test report for CI", () => {
  test("counts a test that passed the second time as passed, and names it before the counts", () => {
    writeTests("one-once", FAILS);
    const reports = join(folder, "reports");
    const list = join(reports, "flaky.jsonl");
    const env = { ...process.env, KUBETS_FLAKY_TESTS: list, KUBETS_TEST_REPORT: join(reports, "1-main.json") };
    const options = { cwd: folder, encoding: "utf8" as const, env };
    const ran = spawnSync(process.execPath, [script, "--mode", "main"], options);
    expect([ran.status, ran.stdout.includes("flaky: ")]).toEqual([0, false]);
    const { stdout } = spawnSync(process.execPath, [ciReport, "0", reports], { encoding: "utf8" });
    expect(stdout.split("\n").slice(-3)).toEqual([
      "flaky: test/one-once.test.mjs > a part > is tried",
      "2 passed, 0 failed, 0 skipped",
      "",
    ]);
  });

  test("counts a run that failed without a failed test as one failure", () => {
    const { stdout } = spawnSync(process.execPath, [ciReport, "1", join(folder, "reports")], { encoding: "utf8" });
    expect(stdout.split("\n").at(-2)).toBe("0 passed, 1 failed, 0 skipped");
  });
});
