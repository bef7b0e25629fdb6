// How large files, folders and functions of src are: what CONTRIBUTING.md and reviews speak of.
//   node tools/count-rooms.mjs [--list]      (--list names the folders, files and functions that are over)
// Files that a tool makes are not counted.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const SMALL = 20;
const LARGE = 450;
const CROWDED = 30;
const LONG = 80;

const root = join(import.meta.dirname, "..");
const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map((path) => ({ path: `src/${path.replaceAll("\\", "/")}`, text: readFileSync(join(root, "src", path), "utf8") }))
  .filter(({ text }) => !text.startsWith("// Made by tools/"))
  .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));

const folders = new Map();
for (const file of files) folders.set(dirname(file.path), [...(folders.get(dirname(file.path)) ?? []), file]);
const over = {
  [`files of at most ${SMALL} lines`]: files.filter(({ lines }) => lines <= SMALL).map(({ path }) => path),
  [`files of more than ${LARGE} lines`]: files
    .filter(({ lines }) => lines > LARGE)
    .map(({ path, lines }) => `${path}: ${lines}`),
  [`folders of more than ${CROWDED} files`]: [...folders]
    .filter(([, own]) => own.length > CROWDED)
    .map(([path, own]) => `${path}: ${own.length}`),
  [`functions of more than ${LONG} lines`]: longFunctions(),
};

print(`${files.length} files, ${files.reduce((sum, { lines }) => sum + lines, 0)} lines, ${folders.size} folders`);
for (const [what, found] of Object.entries(over)) {
  print(`${found.length} ${what}`);
  if (process.argv.includes("--list")) for (const one of found) print(`  ${one}`);
}

/** As the linter counts them. */
function longFunctions() {
  const words = ["oxlint", "--allow", "all", "--deny", "max-lines-per-function", "--format=json", "src"];
  const { stdout } = spawnSync("npx", words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  return JSON.parse(stdout)
    .diagnostics.map(({ filename, message, labels: [{ span }] }) => {
      const [, name = "(no name)"] = /`(\w+)`/.exec(message) ?? [];
      return { at: `${filename}:${span.line}`, name, lines: Number(/\((\d+)\)/.exec(message)?.[1]) };
    })
    .filter(({ lines }) => lines > LONG)
    .map(({ at, name, lines }) => `${at}: ${name}, ${lines}`);
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
