// Runs the tests of one mode of vitest.config.ts. Files that failed run once more, alone, at the end.
//   node tools/run-tests.mjs --mode main [--before LINE]... [--beside LINE]... [FILTER]...
// What passes then is printed as "flaky: FILE > TEST" and does not fail the run. More than three failed files do, as
// does a second failure, and an error that belongs to no file. Command lines before the tests run at the same time, and the
// tests only if all succeed; those beside the tests run one after the other at a lower priority, and must succeed too.
// KUBETS_TEST_REPORT is where vitest's JSON report is written, with the second run in place of the first.
// KUBETS_FLAKY_TESTS is a list of what failed, one JSON object a line: runs that share it have three flaky files together. What is
// in it is printed last of all, as "failed: FILE > TEST" where the run fails for it.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";

/** Files that may fail the first time, of all runs that share a list. */
const MOST_FLAKY_FILES = 3;

const beside = join(import.meta.dirname, "beside.mjs");
const reporter = join(import.meta.dirname, "failed-files.mjs");

if (process.argv[1] === import.meta.filename) process.exitCode = await runCommandLine(process.argv.slice(2));

async function runCommandLine(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      mode: { type: "string", default: "main" },
      before: { type: "string", multiple: true, default: [] },
      beside: { type: "string", multiple: true, default: [] },
    },
  });
  const { mode, before, beside: others } = values;
  return withFlakyTests(async (env) => {
    const code = before.length === 0 ? 0 : await exitCodeOf([process.execPath, beside, ...before], env);
    if (code !== 0) return code;
    // beside.mjs lowers its own priority, which a process cannot raise again.
    const settled = others.length > 0 && exitCodeOf([process.execPath, beside, "exit 0", ...others], env);
    return runTests({ mode, filters: positionals, env, ...(settled && { settled }) });
  });
}

/** Gives `run` an environment with a list of flaky tests; one that was not there before is printed and removed afterwards. */
export async function withFlakyTests(run) {
  if (process.env.KUBETS_FLAKY_TESTS !== undefined) return run(process.env);
  const folder = mkdtempSync(join(tmpdir(), "kubets-run-"));
  const list = join(folder, "flaky.jsonl");
  try {
    return await run({ ...process.env, KUBETS_FLAKY_TESTS: list });
  } finally {
    printWhatFailed(list);
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a mode's tests in the working directory, and its failed files once more when `settled` is; answers the exit code, which is
 * that of `settled` where the tests passed. `program` starts JavaScript. What is flaky is added to the list that
 * `env.KUBETS_FLAKY_TESTS` names.
 */
export async function runTests({
  program = [process.execPath],
  mode,
  filters = [],
  env,
  settled = Promise.resolve(0),
}) {
  const folder = mkdtempSync(join(tmpdir(), "kubets-run-"));
  const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  try {
    const report = env.KUBETS_TEST_REPORT ?? join(folder, "report.json");
    const run = (words, report, record) => {
      const reporters = ["default", "json", reporter].map((name) => `--reporter=${name}`);
      const line = [vitest, "run", "--mode", mode, ...words, ...reporters, `--outputFile.json=${report}`];
      return exitCodeOf([...program, ...line], { ...env, KUBETS_FAILED_FILES: record });
    };
    const record = join(folder, "first.json");
    const code = await run(filters, report, record);
    const settledCode = await settled;
    if (code === 0) return settledCode;
    const list = env.KUBETS_FLAKY_TESTS;
    const { reruns, failures } = whatFailed(record, mode, list);
    if (reruns === undefined) {
      for (const failure of failures) note(list, { ...failure, failed: true });
      return code;
    }
    let failed = false;
    for (const [at, { file, project, tests }] of reruns.entries()) {
      print(`\nonce more, alone: ${file}`);
      const second = join(folder, `second-${at}.json`);
      const words = [...(project === "" ? [] : ["--project", project]), resolve(file)];
      if ((await run(words, second, join(folder, `second-${at}-failed.json`))) !== 0) {
        print(`failed twice: ${file}`);
        for (const { name: test, reason } of tests) note(list, { file, test, reason, failed: true });
        failed = true;
        continue;
      }
      replaceResults(report, second);
      for (const { name: test, reason } of tests) note(list, { file, test, reason });
    }
    return failed ? code : settledCode;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * What failed in a run that did not pass: `reruns` are the files to try again. Where they are not tried, the reason is printed, and
 * `failures` are entries for the list.
 */
function whatFailed(record, mode, list) {
  const refuse = (reason, failures = [{ file: `tests of mode ${mode}`, test: reason }]) => {
    print(`\nnothing is tried a second time: ${reason}`);
    return { failures };
  };
  // Vitest itself ended before it could write what failed.
  if (!existsSync(record)) return refuse("the tests did not run to their end");
  const { files, errors } = JSON.parse(readFileSync(record, "utf8"));
  if (errors.length > 0) return refuse(`an error that belongs to no test file: ${errors.join("; ")}`);
  if (files.length === 0) return refuse("no test file failed, but vitest did");
  const known = new Set([...flakyTests(list), ...files].map(({ file }) => file));
  if (known.size <= MOST_FLAKY_FILES) return { reruns: files };
  const failures = files.flatMap(({ file, tests }) => tests.map(({ name: test, reason }) => ({ file, test, reason })));
  return refuse(`more than ${MOST_FLAKY_FILES} files failed: ${[...known].join(", ")}`, failures);
}

/** Puts the results of a file's second run in place of its first in a JSON report. Counts stay those of the first run. */
function replaceResults(report, second) {
  const [all, { testResults }] = [report, second].map((path) => JSON.parse(readFileSync(path, "utf8")));
  const names = new Set(testResults.map(({ name }) => name));
  const others = all.testResults.filter(({ name }) => !names.has(name));
  writeFileSync(report, JSON.stringify({ ...all, testResults: [...others, ...testResults] }));
}

/** The entries of a list; none where there is no list yet. */
function entriesOf(path) {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

function flakyTests(path) {
  return entriesOf(path).filter(({ failed }) => !failed);
}

function note(path, entry) {
  appendFileSync(path, `${JSON.stringify(entry)}\n`);
}

/** Prints a list, what failed the run last, after the reasons; nothing where it is empty. */
export function printWhatFailed(path) {
  for (const { file, test, reason = "" } of entriesOf(path))
    if (reason !== "") print(`\nwhy at first: ${file} > ${test}\n${reason.replace(/^/gm, "  ")}`);
  const entries = entriesOf(path).map(({ file, test, failed }) => `${failed ? "failed" : "flaky"}: ${file} > ${test}`);
  for (const line of entries.toSorted().toReversed()) print(line);
}

/** Of a process that a signal ended, 1. */
function exitCodeOf([program, ...words], env) {
  return new Promise((done, fail) => {
    const child = spawn(program, words, { stdio: "inherit", env });
    child.once("error", fail);
    child.once("close", (code) => done(code ?? 1));
  });
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
