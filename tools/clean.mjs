// Removes what builds leave behind, and nothing that a person wrote.
//   npm run clean [-- --dry-run]
import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const args = process.argv.slice(2);
const wrong = args.find((arg) => arg !== "--dry-run");
if (wrong !== undefined) {
  process.stderr.write(`clean: unknown argument "${wrong}"; it takes --dry-run alone\n`);
  process.exit(1);
}

for (const name of ["dist", "dist.executable", ".cache"].filter((one) => existsSync(join(root, one)))) {
  const dryRun = args.includes("--dry-run");
  if (!dryRun) rmSync(join(root, name), { recursive: true, force: true });
  process.stdout.write(`${dryRun ? "would remove" : "removed"} ${name}\n`);
}
