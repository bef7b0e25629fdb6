import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { machineFiles } from "../../src/base/files/command-files.js";
import { BadPatternError, glob } from "../../src/resource/glob.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-glob-"));
  for (const name of ["a.yaml", "b.yml", "c[1].yaml", ".hidden.yaml", "d1/x.yaml", "d2/x.yaml", "d2/y.yaml"]) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), "");
  }
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["*.yaml", [".hidden.yaml", "a.yaml", "c[1].yaml"]],
  ["?.y[am]*l", ["a.yaml", "b.yml"]],
  ["[^a].*", ["b.yml"]],
  ["c\\[1\\].yaml", ["c[1].yaml"]],
  ["d*/x.yaml", ["d1/x.yaml", "d2/x.yaml"]],
  ["*/[yz].yaml", ["d2/y.yaml"]],
  ["nothing*", []],
])("-f with the pattern %s reads the matching files", async (pattern, matches) => {
  expect(await glob(pattern, posix, (name) => posix.resolve(folder, name), machineFiles)).toEqual(matches);
});

test.each(["[", "[]", "a\\", "[a"])("-f with %s is refused as a pattern", async (pattern) => {
  await expect(glob(pattern, posix, (name) => posix.resolve(folder, name), machineFiles)).rejects.toThrow(
    BadPatternError,
  );
});
