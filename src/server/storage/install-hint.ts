import { existsSync } from "node:fs";
import { join } from "node:path";

/** What to run so that the module at `file` finds a package: it depends on how the program was installed. */
export function installHint(file: string, name: string, exists: (path: string) => boolean = existsSync): string {
  const [root = "", ...below] = file.split(/[\\/]node_modules[\\/]/);
  if (/[\\/]_npx[\\/][^\\/]+$/.test(root)) return `run it by \`npx --package=kubets --package=${name} kubets ...\``;
  if (below[0]?.startsWith(".pnpm") === true) return `run \`pnpm add ${name}\` where kubets was added`;
  // A package installed for all users lies in a folder that is no package itself.
  if (below.length > 0 && !exists(join(root, "package.json"))) return `run \`npm install --global ${name}\``;
  return `run \`npm install ${name}\`${below.length > 0 ? ` in ${root}` : ""}`;
}
