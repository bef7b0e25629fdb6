import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
// @ts-expect-error plain JavaScript
import { executableOf, ownTarget } from "../../tools/executable/build.mjs";
import { writeProgram } from "./write-program.js";

const BIN = join(import.meta.dirname, "../../bin/kubets.js");

/** With KUBETS_PROGRAM=executable suites run the executable of this machine, else bin/kubets.js. */
export const testsExecutable = process.env["KUBETS_PROGRAM"] === "executable";

const EXECUTABLE = executableOf(ownTarget);

/** Why there is no executable to be tested; undefined when there is one. */
export const executableMissing = existsSync(EXECUTABLE)
  ? undefined
  : "the executable is not tested: it is not built (npm run build:executable)";

/** The words that start the program under test. */
export const programUnderTest: readonly string[] = testsExecutable ? [EXECUTABLE] : [process.execPath, BIN];

/** Whether it was built. */
export const programIsBuilt = testsExecutable
  ? executableMissing === undefined
  : existsSync(join(import.meta.dirname, "../../dist/cli/main.cjs"));

/** Puts the program under test at a path: one that ends with "kubectl" speaks as kubectl. */
export function installProgram(path: string): void {
  if (testsExecutable) return linkExecutable(path);
  const name = path.endsWith("kubectl") ? "KUBETS_PROGRAM=kubectl " : "";
  writeProgram(path, `#!/bin/sh\n${name}exec "${process.execPath}" "${BIN}" "$@"\n`);
}

/** Puts a link to the executable at a path. */
export const linkExecutable = (path: string): void => symlinkSync(EXECUTABLE, path);

/** Makes a folder for PATH in `folder`, with links to the system's programs but those of Node. Returns its path. */
export function linkProgramsWithoutNode(folder: string): string {
  const path = join(folder, "programs");
  mkdirSync(path);
  const names = readdirSync("/usr/bin").filter((name) => !/^(?:node|nodejs|npm|npx|corepack|bun|bunx)$/.test(name));
  for (const name of names) symlinkSync(join("/usr/bin", name), join(path, name));
  return path;
}

export interface ProgramOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program without input to its end. The process is free meanwhile: a cluster may answer from it. */
export function runProgram(
  file: string,
  argv: readonly string[],
  surroundings: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly argv0?: string },
): Promise<ProgramOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...argv], { ...surroundings, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
