import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { executableOf, ownTarget, runtimeOf, targetNames } from "../../tools/executable/build.mjs";
// @ts-expect-error plain JavaScript
import { describeExecutable } from "../../tools/executable/describe.mjs";
import { execFileSync } from "node:child_process";

const FORMATS: Readonly<Record<string, string>> = { linux: "ELF", darwin: "Mach-O", windows: "PE" };
const built = (targetNames as readonly string[]).filter((target) => existsSync(executableOf(target) as string));
const absent = (targetNames as readonly string[]).filter((target) => !built.includes(target));
if (absent.length > 0) process.stdout.write(`not built, and so not checked: ${absent.join(", ")}\n`);

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "kubets-targets-"))));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(built)("%s: it is a program of that system and processor", (target) => {
  const [system = "", architecture] = target.split("-");
  expect(describeExecutable(executableOf(target))).toEqual({ format: FORMATS[system], architecture });
});

test.each(built)("%s: it is at most 12 MB larger than its runtime", (target) => {
  const { size } = statSync(executableOf(target) as string);
  expect(size - statSync(emptyProgram(target)).size).toBeLessThan(12_000_000);
});

/** A program that does nothing, as the same runtime makes it. */
function emptyProgram(target: string): string {
  const source = join(folder, "empty.js");
  writeFileSync(source, "");
  const file = join(folder, target.startsWith("windows") ? `${target}.exe` : target);
  const runtime = runtimeOf(target) as string;
  const options = ["--compile", `--target=bun-${target}`, `--compile-executable-path=${runtime}`, `--outfile=${file}`];
  execFileSync(runtimeOf(ownTarget) as string, ["build", ...options, source], { cwd: folder, stdio: "pipe" });
  return file;
}
