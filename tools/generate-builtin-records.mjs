// Writes src/server/builtin/records.ts: the list of every record that a file below that folder exports.
// Usage: node tools/generate-builtin-records.mjs
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = join(import.meta.dirname, "../src/server/builtin");
export const file = join(folder, "records.ts");

/** The text of records.ts, files in the order of their paths. */
export function builtinRecords() {
  const paths = readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith(".ts"))
    .toSorted();
  const records = paths.flatMap((path) =>
    [
      ...readFileSync(join(folder, path), "utf8").matchAll(
        /^export const (\w+Record): (?:ResourceRecord\b|RecordOf<)/gm,
      ),
    ].map(([, name]) => ({ name, path: path.replace(/\.ts$/, ".js") })),
  );
  return [
    "// Made by tools/generate-builtin-records.mjs of the files beside it.",
    'import type { ResourceRecord } from "../endpoints/resource-record.js";',
    ...records.map(({ name, path }) => `import { ${name} } from "./${path}";`),
    "",
    "/** The built-in resources. A resource of the API facts that is not listed has generic behaviour only. */",
    "export const builtinRecords: readonly ResourceRecord[] = [",
    ...records.map(({ name }) => `  ${name},`),
    "];",
    "",
  ].join("\n");
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) writeFileSync(file, builtinRecords());
