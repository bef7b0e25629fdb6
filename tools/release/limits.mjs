// What a release may weigh at most, in bytes.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownTarget, runtimeOf } from "../executable/build.mjs";

/** Of the package `kubets`, unpacked, with the compiled code of three versions of Node. */
export const KUBETS_LIMIT = 13_900_000;

/** Of an executable, above an empty program with the same runtime. */
export const PROGRAM_LIMIT = 12_600_000;

/** The size of a program that does nothing, with the runtime of a target. */
export function emptyProgramSize(target) {
  const folder = mkdtempSync(join(tmpdir(), "kubets-empty-program-"));
  try {
    writeFileSync(join(folder, "empty.js"), "");
    const file = join(folder, "empty.exe");
    const options = [`--target=bun-${target}`, `--compile-executable-path=${runtimeOf(target)}`, `--outfile=${file}`];
    execFileSync(runtimeOf(ownTarget), ["build", "--compile", ...options, "empty.js"], {
      cwd: folder,
      stdio: "ignore",
    });
    return statSync(file).size;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
