// Writes the type declarations of what package.json exports.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { publicDeclarations } from "../public-declarations.mjs";

/** Writes types/ into `folder`; `workshop` is a folder for what tsc emits. */
export function declareTypes(folder, workshop) {
  const emitted = join(workshop, "types");
  const tsc = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json", "--outDir", emitted];
  execFileSync(process.execPath, tsc, { stdio: "inherit" });
  const files = new Map(
    readdirSync(emitted, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".d.ts"))
      .map((path) => [path.replaceAll("\\", "/"), readFileSync(join(emitted, path), "utf8")]),
  );
  const { exports, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const entries = typeEntries(exports, [...files.keys()]);
  const declarations = publicDeclarations(files, entries, Object.keys(peerDependencies));
  rmSync(join(folder, "types"), { recursive: true, force: true });
  for (const [path, text] of declarations) {
    const target = join(folder, "types", path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
  }
  const bytes = [...declarations.values()].reduce((sum, text) => sum + text.length, 0);
  const kilobytes = Math.round(bytes / 1000);
  process.stderr.write(`declarations: ${declarations.size} files, ${kilobytes} kB, of ${files.size} that tsc emits\n`);
}

/** The declaration files that package.json's exports name; a "*" stands for any path. */
function typeEntries(exports, paths) {
  return Object.values(exports).flatMap(({ types }) => {
    if (types === undefined) return [];
    const [before, after] = relative("dist/types", types).split("*");
    return after === undefined ? [before] : paths.filter((path) => path.startsWith(before) && path.endsWith(after));
  });
}
