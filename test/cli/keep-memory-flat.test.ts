import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";

// In a process of its own: what it changes lasts.

const { outputFiles } = buildSync({
  entryPoints: [join(import.meta.dirname, "../../src/cli/keep-memory-flat.ts")],
  bundle: true,
  format: "cjs",
  platform: "node",
  write: false,
});

/** Makes garbage of which a little lives for a while, and says how much room V8 gave new objects in the end. */
const churn = `
  let kept = [];
  for (let i = 0; i < 1e6; i++) {
    kept.push({ i });
    if (kept.length > 20_000) kept = kept.slice(15_000);
  }
  const space = require("node:v8").getHeapSpaceStatistics().find((one) => one.space_name === "new_space");
  process.stdout.write(String(space.space_size));
`;

const youngBytes = (before: string): number =>
  Number(execFileSync(process.execPath, ["-e", before + churn], { encoding: "utf8" }));

test("after keepMemoryFlat() V8's space for new objects does not grow beyond 4 MiB", () => {
  const flat = youngBytes(`${outputFiles[0]?.text}; module.exports.keepMemoryFlat(process);`);
  expect(flat).toBeLessThanOrEqual(4 * 2 ** 20);
  expect(youngBytes("")).toBeGreaterThan(2 * flat);
});
