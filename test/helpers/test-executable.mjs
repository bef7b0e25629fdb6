// Tests the executable of this machine: builds it, runs the suites that start the program with it, and those of disk storage in
// its runtime. Parity takes part in `vitest run --mode long`, which comes after: one run of kubectl serves both programs.
//   node test/helpers/test-executable.mjs
// Where the runtime cannot be had it says so and exits 0.
import { execFileSync } from "node:child_process";
import { buildExecutables, executableOf, ownTarget, runtimeOf, targetNames } from "../../tools/executable/build.mjs";
import { rmSync } from "node:fs";

const vitest = "node_modules/vitest/vitest.mjs";
const report = process.env.KUBETS_TEST_REPORT;

for (const target of targetNames) rmSync(executableOf(target), { force: true });
try {
  runtimeOf(ownTarget);
} catch (error) {
  process.stdout.write(`the executable is not tested: ${error.stderr?.toString().trim() || error.message}\n`);
  process.exit(0);
}
await buildExecutables(targetNames, (target, error) => {
  if (target === ownTarget) throw error;
  process.stdout.write(`${target} is not built: ${error.stderr?.toString().trim() || error.message}\n`);
});
let failed = false;
run([process.execPath, vitest], "executable", { KUBETS_PROGRAM: "executable" });
run([runtimeOf(ownTarget), "--bun", vitest], "bun", {});
if (failed) process.exitCode = 1;

/** Each mode writes another report. */
function run([program, ...words], mode, variables) {
  const env = { ...process.env, ...variables };
  if (report !== undefined) env.KUBETS_TEST_REPORT = report.replace(/\.json$/, `-${mode}.json`);
  try {
    execFileSync(program, [...words, "run", "--mode", mode], { stdio: "inherit", env });
  } catch {
    failed = true;
  }
}
