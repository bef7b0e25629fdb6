import { existsSync, statSync } from "node:fs";
import { expect, test } from "vitest";
// @ts-expect-error plain JavaScript
import { executableOf, targetNames } from "../../tools/executable/build.mjs";
// @ts-expect-error plain JavaScript
import { describeExecutable } from "../../tools/executable/describe.mjs";
// @ts-expect-error plain JavaScript
import { emptyProgramSize, PROGRAM_LIMIT } from "../../tools/release/limits.mjs";

const FORMATS: Readonly<Record<string, string>> = { linux: "ELF", darwin: "Mach-O", windows: "PE" };
const built = (targetNames as readonly string[]).filter((target) => existsSync(executableOf(target) as string));
const absent = (targetNames as readonly string[]).filter((target) => !built.includes(target));
if (absent.length > 0) process.stdout.write(`not built, and so not checked: ${absent.join(", ")}\n`);

test.each(built)("the executable for %s is a program of that system and processor", (target) => {
  const [system = "", architecture] = target.split("-");
  expect(describeExecutable(executableOf(target))).toEqual({ format: FORMATS[system], architecture });
});

test.each(built)("the executable for %s is at most 12.6 MB larger than an empty program of its runtime", (target) => {
  const { size } = statSync(executableOf(target) as string);
  expect(size - emptyProgramSize(target)).toBeLessThanOrEqual(PROGRAM_LIMIT);
});
