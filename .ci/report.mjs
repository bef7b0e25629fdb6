// What vitest reported, for a reader of CI's log: seconds and tests by folder, the tests that were skipped, and the counts.
//   node .ci/report.mjs EXIT_CODE FOLDER      (FOLDER holds vitest's JSON reports)
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [exitCode, folder] = process.argv.slice(2);
const reports = readdirSync(folder).map((name) => ({ name, ...readReport(join(folder, name)) }));

for (const { name, testResults } of reports) {
  const byFolder = new Map();
  for (const { file, seconds, tests } of testResults.map(fileOf)) {
    const key = file.split("/").slice(0, -1).join("/") || file;
    const { seconds: before = 0, count = 0 } = byFolder.get(key) ?? {};
    byFolder.set(key, { seconds: before + seconds, count: count + tests.length });
  }
  const rows = [...byFolder].sort(([, a], [, b]) => b.seconds - a.seconds);
  print(`\n${name.replace(/\.json$/, "")}: seconds of one of two threads, tests, folder`);
  for (const [key, { seconds, count }] of rows)
    print(`${seconds.toFixed(1).padStart(8)} ${String(count).padStart(6)}  test/${key}`);
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

const sum = (key) => reports.reduce((total, report) => total + report[key], 0);
// A file that could not even be loaded fails without a test of its own.
const failed = sum("numFailedTests") || (Number(exitCode) === 0 ? 0 : 1);
print(`${sum("numPassedTests")} passed, ${failed} failed, ${sum("numPendingTests")} skipped`);

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { testResults: [], numPassedTests: 0, numFailedTests: 0, numPendingTests: 0 };
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
