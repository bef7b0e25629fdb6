// The npm packages whose code is inside dist/: development dependencies to npm, because nothing installs them with kubets.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * @param {string} root The project, with a built dist.
 * @returns {{ name: string, version: string, folder: string }[]} By name; folders are relative to the project.
 */
export function bundledPackages(root) {
  const { inputs } = JSON.parse(readFileSync(join(root, "dist/metafile.json"), "utf8"));
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const folders = new Set(Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  return [...folders].sort().map((folder) => ({
    name: folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length),
    version: packages[folder].version,
    folder,
  }));
}
