// Whether tsc refuses a misspelled field: draws places of src that read or write a property with the name of a field of an API
// type, misspells each of them alone, and prints those that compile nevertheless, and how many did not. It changes no file.
//   node tools/misspell-fields.mjs [--seed N] [--count N] [FOLDER...]
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { SyntaxKind } from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

const root = join(import.meta.dirname, "..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "200" } },
});
const [seed, count] = [values.seed, values.count].map(Number);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count)) {
  throw new Error(`--seed and --count are whole numbers, not ${values.seed} and ${values.count}`);
}
const folders =
  positionals.length > 0
    ? positionals
    : ["api/validation", "server", "node", "polymorphic-helpers", "controllers", "scheduler"].map(
        (name) => `src/${name}`,
      );

/** Functions of src/machinery/meta that take the name of a field as their second argument. */
const READERS = new Set(["child", "children", "ensureChild", "setDefault"]);

const fields = fieldNames();
const changed = new Map();
/** The compiler keeps some of every project that it has checked: it is started anew after so many places. */
const PLACES_OF_ONE_COMPILER = 40;
let api, snapshot, project;
start();
const random = seeded(seed);

const places = project.program
  .getSourceFileNames()
  .filter((path) => folders.some((folder) => path.startsWith(join(root, folder, "/"))))
  .sort()
  .flatMap((path) => placesOf(path));
const drawn = draw(places, count);
const accepted = drawn.filter((place, index) => {
  if (index % PLACES_OF_ONE_COMPILER === PLACES_OF_ONE_COMPILER - 1) start();
  return compiles(place);
});
for (const { path, line, name, misspelled } of accepted) print(`${relative(root, path)}:${line} ${name} ${misspelled}`);
print(`${drawn.length - accepted.length} of ${drawn.length} refused, seed ${seed}, ${places.length} places`);
api.close();

/** The names of the fields of all API types of all releases. */
function fieldNames() {
  const lines = ["kubernetes-1.37.json", "kubernetes-1.36-delta.json", "unpublished.json"].flatMap((file) => {
    const facts = JSON.parse(readFileSync(join(root, "src/api/facts/data", file), "utf8"));
    return [facts, facts.published, facts.unpublished]
      .flatMap((part) => Object.values(part?.definitions ?? {}))
      .flatMap((types) => Object.values(types ?? {}));
  });
  const words = lines.flatMap((line) => (line ?? "").split(";")).filter((word) => word !== "" && !word.startsWith("@"));
  return new Set(words.map((word) => word.split(" ")[0]));
}

/** The reads and writes of a file: where the name stands, and what takes its place. */
function placesOf(path) {
  const file = project.program.getSourceFile(path);
  const found = [];
  const add = (node, write = (name) => name) => {
    if (node === undefined || !fields.has(node.text)) return;
    const start = node.getStart(file);
    const line = file.text.slice(0, start).split("\n").length;
    found.push({ path, line, start, end: node.getEnd(), name: node.text, write });
  };
  const quoted = (node) => {
    if (node?.kind === SyntaxKind.StringLiteral) add(node, (name) => JSON.stringify(name));
  };
  const named = (node) => (node?.kind === SyntaxKind.Identifier ? add(node) : quoted(node));
  const visit = (node) => {
    if (node.kind === SyntaxKind.PropertyAccessExpression) named(node.name);
    else if (node.kind === SyntaxKind.ElementAccessExpression) quoted(node.argumentExpression);
    else if (node.kind === SyntaxKind.PropertyAssignment) named(node.name);
    else if (node.kind === SyntaxKind.ShorthandPropertyAssignment)
      add(node.name, (name) => `${name}: ${node.name.text}`);
    else if (node.kind === SyntaxKind.CallExpression && READERS.has(node.expression.text)) quoted(node.arguments[1]);
    else if (node.kind === SyntaxKind.BindingElement && node.parent.kind === SyntaxKind.ObjectBindingPattern) {
      if (node.propertyName !== undefined) named(node.propertyName);
      else if (node.dotDotDotToken === undefined) add(node.name, (name) => `${name}: ${node.name.text}`);
    }
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

/** Whether the project compiles with the place's name misspelled; the file's own errors are looked for first. */
function compiles(place) {
  const { path, start, end, write } = place;
  place.misspelled = misspell(place.name);
  const text = readFileSync(path, "utf8");
  changed.set(path, text.slice(0, start) + write(place.misspelled) + text.slice(end));
  refresh(path);
  const refused = () =>
    project.program.getSemanticDiagnostics(path).length > 0 || project.program.getSemanticDiagnostics().length > 0;
  const result = !refused();
  changed.delete(path);
  refresh(path);
  return result;
}

function start() {
  api?.close();
  api = new API({ cwd: root, fs: { readFile: (path) => changed.get(path) } });
  snapshot = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] });
  [project] = snapshot.getProjects();
}

/** Each snapshot has the checked project in memory. */
function refresh(path) {
  const before = snapshot;
  snapshot = api.updateSnapshot({ fileChanges: { changed: [path] } });
  [project] = snapshot.getProjects();
  before.dispose();
}

/** The name with one letter doubled or dropped, which is no other field's. */
function misspell(name) {
  for (;;) {
    const at = random(name.length);
    const misspelled = name.slice(0, at) + (random(2) === 0 ? name.charAt(at).repeat(2) : "") + name.slice(at + 1);
    if (!fields.has(misspelled) && /^\D/.test(misspelled)) return misspelled;
  }
}

/** `count` of the items, each at most once. */
function draw(items, count) {
  const left = [...items];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random(left.length), 1)[0]);
}

/** Numbers from 0 to below a limit, the same for the same seed: mulberry32. */
function seeded(seed) {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
