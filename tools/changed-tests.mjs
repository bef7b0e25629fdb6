// Runs the test files of `npm test` that a change can reach.
//   npm run test:changed [-- --since REV]     default: the merge base with origin/main or main; always with uncommitted and new files
// A test file is reached if it changed, if its imports lead to a changed file, or if its folder belongs to a changed file: test/cli
// to src/cli. The latter finds tests that start programs of dist, which no import shows (vitest --changed does not), so dist is built first.
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, resolve } from "node:path";
import { parseArgs } from "node:util";

const root = resolve(import.meta.dirname, "..");

/** What every test depends on. */
const OF_ALL = /^(?:package(?:-lock)?\.json|tsconfig\.json|vitest\.config\.ts)$/;

/** What dist is made of. */
const OF_DIST = /^(?:src|bin|tools\/build)\/|^build\.mjs$/;

const IMPORT = /(?:from|import|import\()\s*"(\.[^"]+)"/g;

function runCommandLine(args) {
  let changed;
  try {
    changed = changedFiles(parseArgs({ args, options: { since: { type: "string" } } }).values.since);
  } catch (error) {
    process.stderr.write(`test:changed: ${error.message}\nUse: npm run test:changed [-- --since REV]\n`);
    return 1;
  }
  const sources = readSources(root);
  const { tests, reason } = testsReachedBy(changed, sources);
  process.stdout.write(`${changed.length} changed files reach ${tests.length} test files${reason}\n`);
  if (tests.length === 0) return 0;
  const run = (words) => spawnSync(process.execPath, words, { cwd: root, stdio: "inherit" }).status ?? 1;
  if (changed.some((file) => OF_DIST.test(file)) && run(["build.mjs", "--fast"]) !== 0) return 1;
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--mode", "main", "--passWithNoTests"];
  return run([...vitest, ...(reason === "" ? tests : [])]);
}

/**
 * @param {readonly string[]} changed Paths from the project's folder, deleted ones too.
 * @param {ReadonlyMap<string, string>} sources The texts of src, test and tools by path.
 * @returns {{ tests: string[], reason: string }} The reason says why all tests are chosen, or is empty.
 */
export function testsReachedBy(changed, sources) {
  const all = [...sources.keys()].filter((path) => path.endsWith(".test.ts")).sort();
  const ofAll = changed.find((path) => OF_ALL.test(path));
  if (ofAll !== undefined) return { tests: all, reason: `: all, because every test depends on ${ofAll}` };
  const reached = withImporters(changed, importersOf(sources));
  const folders = changed.flatMap(testFolder);
  // It reads every file of these.
  if (changed.some((path) => /^(?:src|test)\//.test(path))) reached.add("test/architecture.test.ts");
  const tests = all.filter((test) => reached.has(test) || folders.some((folder) => test.startsWith(folder)));
  return { tests, reason: "" };
}

/** The folder of tests that a file belongs to, with a slash at its end. */
function testFolder(path) {
  const [top, ...rest] = path.split("/").slice(0, -1);
  // Every page and every example is tried there.
  if (path.endsWith(".md") || top === "examples") return ["test/docs/"];
  const folder = ["src", "test"].includes(top) ? rest : [top, ...rest];
  const isTestCode = top === "test" && path.endsWith(".ts");
  return top === undefined || folder.length === 0 || isTestCode ? [] : [`test/${folder.join("/")}/`];
}

/** @returns {Map<string, string[]>} By path, also of files that are gone: what imports it. */
function importersOf(sources) {
  const importers = new Map();
  for (const [path, text] of sources)
    for (const [, specifier] of text.matchAll(IMPORT)) {
      const imported = posix.join(dirname(path), specifier);
      for (const file of [imported, imported.replace(/\.js$/, ".ts")])
        importers.set(file, [...(importers.get(file) ?? []), path]);
    }
  return importers;
}

function withImporters(changed, importers) {
  const reached = new Set(changed);
  for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer);
  return reached;
}

function readSources(folder) {
  const paths = ["src", "test", "tools"].flatMap((top) =>
    readdirSync(join(folder, top), { recursive: true, encoding: "utf8" }).map((path) => posix.join(top, path)),
  );
  const code = paths.filter((path) => /\.(?:ts|mjs|js)$/.test(path));
  return new Map(code.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

function changedFiles(since) {
  const base = since ?? mergeBase();
  const paths = (words) => git(words).split("\0").filter(Boolean);
  const known = paths(["diff", "--name-only", "--no-renames", "-z", base, "--"]);
  return [...new Set([...known, ...paths(["ls-files", "--others", "--exclude-standard", "-z"])])].sort();
}

function mergeBase() {
  for (const branch of ["origin/main", "main"]) {
    const { status, stdout } = spawnSync("git", ["merge-base", "HEAD", branch], { cwd: root, encoding: "utf8" });
    if (status === 0) return stdout.trim();
  }
  throw new Error("neither origin/main nor main has a commit in common with HEAD: give --since REV");
}

const git = (words) => execFileSync("git", words, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });

// Behind all constants, which the functions use.
if (process.argv[1] === import.meta.filename) process.exitCode = runCommandLine(process.argv.slice(2));
