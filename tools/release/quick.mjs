// Packs kubets for this machine out of a fast build, to try a release: no declarations, no tests, no other platform, and the code
// cache of this Node alone. Publishes nothing.
//   npm run release:quick
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildExecutables, ownTarget } from "../executable/build.mjs";
import { packExecutable, packKubets, root } from "./packages.mjs";

const folder = join(root, "release/quick");
const leftOut = (what, error) => process.stderr.write(`left out: ${what}: ${error.message}\n`);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync(process.execPath, ["build.mjs", "--fast"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
// The build has filled the cache of this Node.
print(packKubets(folder, leftOut, () => [process.versions.node]).file);
try {
  const [executable] = await buildExecutables([ownTarget], leftOut);
  if (executable !== undefined) print(packExecutable(ownTarget, executable, folder).file);
} catch (error) {
  leftOut(`the executable for ${ownTarget}`, error);
}

function print(file) {
  process.stdout.write(`${file}\n`);
}
