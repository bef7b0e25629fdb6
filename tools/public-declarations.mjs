// Keeps of the declarations that tsc emits those that a public entry exports or refers to, and drops the rest: whole files,
// and within a file single declarations, imports and re-exports. It reads tsc's own output, whose statements begin at the
// start of a line; a declaration that it missed would be an error of the compiler in test/package.test.ts.
import { posix } from "node:path";

/**
 * The public part of `files` (path to text of a declaration file, paths relative to one folder). `entries` are the paths of
 * which everything is public. Throws for an import that no file answers, and for a package other than Node's own and `peers`: users
 * of a bundle have no types of it.
 */
export function publicDeclarations(files, entries, peers) {
  const modules = new Map([...files].map(([path, text]) => [path, readModule(path, text)]));
  const kept = new Map();
  const keptIn = (path) => {
    if (!kept.has(path)) kept.set(path, new Set());
    return kept.get(path);
  };
  const moduleAt = (path, from) => {
    const found = modules.get(path);
    if (found === undefined) throw new Error(`${from} imports ${path}, which tsc did not emit`);
    return found;
  };

  function keepExports(path, from) {
    for (const name of moduleAt(path, from).exports.keys()) keepExport(path, name, from);
    for (const star of moduleAt(path, from).stars) {
      keptIn(path).add(star);
      keepExports(star.from, path);
    }
  }

  /** True when the file exports the name. */
  function keepExport(path, name, from) {
    const module = moduleAt(path, from);
    const exported = module.exports.get(name);
    if (exported === undefined) {
      return module.stars.some((star) => keepExport(star.from, name, path) && keptIn(path).add(star));
    }
    if (exported.from === undefined) keepLocal(path, exported.name);
    else keep(path, exported, () => keepFrom(exported, path));
    return true;
  }

  /** A declaration of the file, or what it imports under that name. */
  function keepLocal(path, name) {
    const module = modules.get(path);
    for (const statement of module.declarations.get(name) ?? []) {
      keep(path, statement, () => {
        for (const word of statement.words) keepLocal(path, word);
        for (const inline of statement.inlineImports) keepFrom(inline, path);
      });
    }
    const imported = module.imports.get(name);
    if (imported !== undefined) keep(path, imported, () => keepFrom(imported, path));
  }

  function keepFrom({ from, name, isPackage }, path) {
    if (isPackage) {
      if (!from.startsWith("node:") && !peers.includes(from))
        throw new Error(`the public declarations of ${path} need the package ${from}`);
    } else if (name === "*") keepExports(from, path);
    else if (!keepExport(from, name, path)) throw new Error(`${path} imports ${name} from ${from}, which lacks it`);
  }

  function keep(path, item, andThen) {
    if (keptIn(path).has(item)) return;
    keptIn(path).add(item);
    andThen();
  }

  for (const entry of entries) keepExports(entry, "the package");
  return new Map([...kept].map(([path, items]) => [path, write(modules.get(path), items)]));
}

const STATEMENT = /^(?:export|import|declare|abstract|interface|type|class|function|const|let|enum|namespace)\b/;
const DECLARATION =
  /^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const|let|enum|namespace) ([\w$]+)/;

function readModule(path, text) {
  const module = { statements: [], declarations: new Map(), imports: new Map(), exports: new Map(), stars: [] };
  for (const source of statementsOf(text)) {
    const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "").trim();
    const from = /\bfrom "([^"]+)";$/.exec(code)?.[1];
    const target = from?.startsWith(".")
      ? { from: posix.join(posix.dirname(path), from.replace(/\.js$/, ".d.ts")), isPackage: false }
      : { from, isPackage: true };
    const statement = { source, code, path };
    module.statements.push(statement);
    const declared = DECLARATION.exec(code);
    if (code.startsWith("import ")) readImport(module, statement, target);
    else if (code.startsWith("export *")) {
      statement.star = { ...target, name: "*" };
      module.stars.push(statement.star);
    } else if (/^export (?:type )?\{/.test(code)) readExport(module, statement, from === undefined ? {} : target);
    else if (declared === null) throw new Error(`${path}: no declaration in ${JSON.stringify(code.slice(0, 80))}`);
    else {
      const [, exported, name] = declared;
      statement.words = new Set(code.replaceAll(/"[^"]*"/g, "").match(/[A-Za-z_$][\w$]*/g));
      statement.inlineImports = [...code.matchAll(/\bimport\("([^"]+)"\)\.(\w+)/g)].map(([, specifier, inner]) => ({
        from: posix.join(posix.dirname(path), specifier.replace(/\.js$/, ".d.ts")),
        name: inner,
        isPackage: !specifier.startsWith("."),
      }));
      module.declarations.set(name, [...(module.declarations.get(name) ?? []), statement]);
      if (exported !== undefined) module.exports.set(name, { name });
    }
  }
  return module;
}

/** The statements of a declaration file, each with the comments above it. */
function statementsOf(text) {
  const lines = text.split("\n");
  const starts = lines.flatMap((line, index) => (STATEMENT.test(line) ? [withComments(lines, index)] : []));
  return starts.map((start, index) =>
    lines
      .slice(start, starts[index + 1])
      .join("\n")
      .trim(),
  );
}

/** The first line of the comments that stand right above a line. */
function withComments(lines, statement) {
  let start = statement;
  for (;;) {
    if (lines[start - 1]?.startsWith("//")) start -= 1;
    else if (lines[start - 1]?.endsWith("*/")) {
      start = lines.findLastIndex((line, index) => index < start && line.startsWith("/*"));
    } else return start;
  }
}

function readImport(module, statement, target) {
  const clause = /^import (type )?([\s\S]*?) from "/.exec(statement.code)?.[2];
  if (clause === undefined) throw new Error(`${statement.path}: an import for its effect: ${statement.code}`);
  statement.specifiers = [];
  for (const [local, name, text] of specifiersOf(clause)) {
    const imported = { ...target, name, text };
    statement.specifiers.push(imported);
    module.imports.set(local, imported);
  }
}

function readExport(module, statement, target) {
  const clause = /\{[\s\S]*\}/.exec(statement.code)?.[0] ?? "{}";
  statement.specifiers = [];
  for (const [exported, name, text] of specifiersOf(clause)) {
    const item = { ...target, name, text };
    statement.specifiers.push(item);
    module.exports.set(exported, item);
  }
}

/** [local name, name in the other file, text] of each name in an import or export clause. */
function specifiersOf(clause) {
  const all = /^\* as ([\w$]+)$/.exec(clause);
  if (all !== null) return [[all[1], "*", clause]];
  const named = /^(?:([\w$]+),? ?)?(?:\{([\s\S]*)\})?$/.exec(clause);
  if (named === null) throw new Error(`unknown clause ${clause}`);
  const [, fallback, names = ""] = named;
  const parts = names.split(",").flatMap((part) => {
    const text = part.trim().replaceAll(/\s+/g, " ");
    const [name, local = name] = text.replace(/^type /, "").split(" as ");
    return text === "" ? [] : [[local, name, text]];
  });
  return fallback === undefined ? parts : [[fallback, "default", fallback], ...parts];
}

/** The kept statements of a module; of an import or a re-export the kept names. */
function write(module, items) {
  const written = module.statements.flatMap((statement) => {
    const { source, code, specifiers, star } = statement;
    if (star !== undefined) return items.has(star) ? [source] : [];
    if (specifiers === undefined) return items.has(statement) ? [source] : [];
    const names = specifiers.filter((one) => items.has(one)).map(({ text }) => text);
    // "export {};" makes what is not exported private to the file.
    if (specifiers.length === 0) return [source];
    if (names.length === specifiers.length) return [source];
    if (names.length === 0) return [];
    return [code.replace(/\{[\s\S]*\}/, `{ ${names.join(", ")} }`)];
  });
  return `${written.join("\n")}\n`;
}
