// What vitest reported, for a reader of CI's log: seconds and tests by slow folder, the slowest files, the tests that were
// skipped, those that failed or passed the second time with their errors, and the counts.
//   node .ci/report.mjs EXIT_CODE FOLDER      (FOLDER holds vitest's JSON reports, and flaky.jsonl of tools/run-tests.mjs)
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { printWhatFailed } from "../tools/run-tests.mjs";

/** In seconds: folders that took less are not worth a line. */
const SLOW_FOLDER = 5;
const SLOWEST_FILES = 20;

const [exitCode, folder] = process.argv.slice(2);
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
const reports = files.map((name) => ({ name, ...readReport(join(folder, name)) }));

for (const { name, testResults } of reports) {
  const byFolder = new Map();
  for (const { file, seconds, tests } of testResults.map(fileOf)) {
    const key = file.split("/").slice(0, -1).join("/") || file;
    const { seconds: before = 0, count = 0 } = byFolder.get(key) ?? {};
    byFolder.set(key, { seconds: before + seconds, count: count + tests.length });
  }
  const rows = [...byFolder].sort(([, a], [, b]) => b.seconds - a.seconds);
  print(`\n${name.replace(/\.json$/, "")}: ${wallSeconds(testResults)} seconds. Seconds of one thread, tests, folder`);
  for (const [key, { seconds, count }] of rows.filter(([, { seconds }]) => seconds >= SLOW_FOLDER))
    print(`${seconds.toFixed(1).padStart(8)} ${String(count).padStart(6)}  test/${key}`);
  const slowest = testResults.map(fileOf).sort((a, b) => b.seconds - a.seconds);
  print("the slowest files");
  for (const { file, seconds } of slowest.slice(0, SLOWEST_FILES))
    print(`${seconds.toFixed(1).padStart(8)}  test/${file}`);
}

const skipped = reports
  .flatMap(({ testResults }) => testResults.map(fileOf))
  .map(({ file, tests }) => ({
    file,
    names: tests.filter(({ status }) => status === "skipped" || status === "pending").map((t) => t.fullName),
  }))
  .filter(({ names }) => names.length > 0);
print(`\nskipped: ${skipped.length === 0 ? "none" : ""}`);
for (const { file, names } of skipped) print(`  test/${file}: ${names.length}, the first: ${names[0]}`);

printWhatFailed(join(folder, "flaky.jsonl"));
const statuses = reports
  .flatMap(({ testResults }) => testResults.map(fileOf))
  .flatMap(({ tests }) => tests.map((test) => test.status));
const count = (...wanted) => statuses.filter((status) => wanted.includes(status)).length;
// A file that could not even be loaded fails without a test of its own.
const failed = count("failed") || (Number(exitCode) === 0 ? 0 : 1);
print(`${count("passed")} passed, ${failed} failed, ${count("skipped", "pending", "todo")} skipped`);

/** From the start of the first file to the end of the last. */
function wallSeconds(files) {
  if (files.length === 0) return 0;
  const start = Math.min(...files.map(({ startTime }) => startTime));
  return Math.round((Math.max(...files.map(({ endTime }) => endTime)) - start) / 1000);
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { testResults: [] };
  }
}

function fileOf({ name, startTime, endTime, assertionResults }) {
  const file = name
    .split(/[/\\]test[/\\]/)
    .at(-1)
    .replaceAll("\\", "/");
  return { file, seconds: (endTime - startTime) / 1000, tests: assertionResults };
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
