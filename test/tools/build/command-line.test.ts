import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { helpText, readCommandLine, TARGETS } from "../../../tools/build/command-line.mjs";

const root = resolve(import.meta.dirname, "../../..");
const runBuild = (...args: string[]) =>
  spawnSync(process.execPath, ["build.mjs", ...args], { cwd: root, encoding: "utf8" });

test("a build generates first, and then builds every target", () => {
  expect(readCommandLine([]).targets).toEqual(["generated", "library", "cli", "code-cache", "types"]);
});

test("--fast leaves out generated files and types", () => {
  expect(readCommandLine(["--fast"])).toMatchObject({ targets: ["library", "cli", "code-cache"], keepRest: false });
});

test("--only builds its targets in the order of a build and keeps the rest of dist", () => {
  expect(readCommandLine(["--only=types,library"])).toMatchObject({ targets: ["library", "types"], keepRest: true });
});

test("--help has a line for each target and flag", () => {
  for (const name of [...Object.keys(TARGETS), "--fast", "--only=TARGET", "--dry-run", "--help"])
    expect(helpText().split("\n")).toContainEqual(expect.stringMatching(new RegExp(`^ {2}${name} +\\S`)));
});

test("--dry-run prints the order and leaves dist as it is", () => {
  const file = join(root, "dist/metafile.json");
  const state = () => existsSync(file) && [statSync(file).ino, readFileSync(file, "utf8")];
  const before = state();
  const { status, stdout } = runBuild("--dry-run", "--only=types,cli");
  expect([status, stdout]).toEqual([0, "would build cli\nwould build types\n"]);
  expect(state()).toEqual(before);
});

test.each([
  [["--only=libary"], 'unknown target "libary"; did you mean "library"?'],
  [["--fats"], 'unknown flag "--fats"; did you mean "--fast"?'],
  [["--only="], "--only needs a target: generated, library, cli, code-cache, types"],
  [["--only"], "--only needs a target"],
  [["--dry-run=true"], "--dry-run takes no value"],
  [["--fast", "--only=cli"], "--fast and --only cannot be used together"],
])("%j is refused with exit code 1", (args, message) => {
  const { status, stderr } = runBuild(...args);
  expect(status).toBe(1);
  expect(stderr).toContain(message);
});
