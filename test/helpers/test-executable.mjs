// Tests the executable of this machine: builds it, runs the suites that start the program with it, and those of disk storage in
// its runtime. Parity takes part in `vitest run --mode long`, which comes after: one run of kubectl serves both programs.
//   node test/helpers/test-executable.mjs
// Where the runtime cannot be had it says so and exits 0.
import { buildExecutables, executableOf, ownTarget, runtimeOf, targetNames } from "../../tools/executable/build.mjs";
import { rmSync } from "node:fs";
import { runTests, withFlakyTests } from "../../tools/run-tests.mjs";

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
process.exitCode = await withFlakyTests(async (env) => {
  const executable = await run([process.execPath], "executable", { ...env, KUBETS_PROGRAM: "executable" });
  const bun = await run([runtimeOf(ownTarget), "--bun"], "bun", env);
  return executable || bun;
});

/** Each mode writes another report. */
function run(program, mode, env) {
  const own = report !== undefined && { KUBETS_TEST_REPORT: report.replace(/\.json$/, `-${mode}.json`) };
  return runTests({ program, mode, env: { ...env, ...own } });
}
