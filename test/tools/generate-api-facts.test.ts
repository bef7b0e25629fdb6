import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const committed = join(root, "src/api/facts/data");

test("the files of src/api/facts/data equal the output of tools/generate-api-facts.mjs for tools/api-data", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-facts-"));
  try {
    execFileSync(process.execPath, [join(root, "tools/generate-api-facts.mjs"), folder]);
    const names = readdirSync(folder).sort();
    expect(names).toEqual(readdirSync(committed).sort());
    const stale = names.filter((name) => !readFileSync(join(folder, name)).equals(readFileSync(join(committed, name))));
    expect(stale, "run: node tools/generate-api-facts.mjs").toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
