// The npm packages of a release, each packed by npm out of a folder that holds what the package holds.
//   kubets                   pure JavaScript, with V8's code caches for several versions of Node
//   @kubets/TARGET           an executable, which is the command `kubets`
//   @kubets/native-TARGET    the same executable without a command, for:
//   create-kubets            `npm create kubets`, which runs `kubets project new` of its version
//   @kubets/native           the command `kubets`; depends on @kubets/native-TARGET of every platform, of which npm installs one
// A package and its dependencies never declare the same command: in a project npm would link it to the one or the other.
import { execFileSync } from "node:child_process";
import { cpSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fillCodeCaches } from "./code-caches.mjs";
import { bundledLicences } from "./licences.mjs";

export const root = resolve(import.meta.dirname, "../..");
const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const licence = join(root, "LICENSE");

/** What is the version of every package. */
export { version };

/**
 * @typedef {{ name: string, file: string, packed: number, unpacked: number }} Tarball
 * Its package's name, its path, and its sizes in bytes.
 */

/**
 * Packs what `npm pack` takes of the project, with a code cache for every Node that can be had. dist/ must be built, for a release with types.
 * @param {string} destination The tarball's folder.
 * @param {(what: string, error: Error) => void} leftOut Called for each Node that cannot be had.
 * @param {typeof fillCodeCaches} fill Fills the code caches; answers the versions of Node that have one.
 * @returns {Tarball & { nodes: string[] }} Also the versions of Node that it has caches for.
 */
export function packKubets(destination, leftOut, fill = fillCodeCaches) {
  return inWorkshop((folder) => {
    const [{ filename }] = npmPack(root, folder);
    execFileSync("tar", ["xzf", filename], { cwd: folder });
    const contents = join(folder, "package");
    const nodes = fill(join(contents, "dist"), leftOut);
    writeFileSync(join(contents, "LICENSE.bundled.md"), bundledLicences(root));
    return { ...pack(contents, destination), nodes };
  });
}

/** Packs an executable as the command `kubets`. */
export const packExecutable = (target, executable, destination) =>
  packProgram(target, executable, destination, {
    name: `@kubets/${target}`,
    use: "`npm install -g @kubets/{{target}}` gives the command `kubets`. `@kubets/native` picks the platform by itself; `kubets` is the same in JavaScript.",
    manifest: { bin: { kubets: basename(executable) } },
  });

/** Packs an executable as what @kubets/native depends on. */
export const packPayload = (target, executable, destination) =>
  packProgram(target, executable, destination, {
    name: `@kubets/native-${target}`,
    use: "It has no command: `@kubets/native` depends on it. Install that, or `@kubets/{{target}}`.",
    manifest: {},
  });

/**
 * Packs @kubets/native.
 * @param {readonly string[]} targets Those whose packages it depends on.
 */
export function packNative(targets, destination) {
  return inWorkshop((folder) => {
    const contents = join(folder, "package");
    cpSync(join(root, "packages/native"), contents, { recursive: true });
    cpSync(licence, join(contents, "LICENSE"));
    const template = JSON.parse(readFileSync(join(contents, "package.json"), "utf8"));
    const optionalDependencies = Object.fromEntries(targets.map((target) => [`@kubets/native-${target}`, version]));
    writeManifest(contents, { ...template, version, optionalDependencies });
    return pack(contents, destination);
  });
}

/** Packs create-kubets, which runs the kubets of its own version. */
export const packCreate = (destination) =>
  inWorkshop((folder) => {
    const contents = join(folder, "package");
    cpSync(join(root, "packages/create-kubets"), contents, { recursive: true });
    cpSync(licence, join(contents, "LICENSE"));
    const manifest = JSON.parse(readFileSync(join(contents, "package.json"), "utf8"));
    writeManifest(contents, { ...manifest, version });
    return pack(contents, destination);
  });

function packProgram(target, executable, destination, { name, use, manifest }) {
  const [platform, cpu] = target.split("-");
  return inWorkshop((folder) => {
    const program = join(folder, basename(executable));
    linkOrCopy(executable, program);
    writeManifest(folder, {
      name,
      version,
      description: `The kubets executable for ${target}`,
      license,
      os: [platform === "windows" ? "win32" : platform],
      cpu: [cpu],
      // bun's runtime for Linux is linked with glibc.
      ...(platform === "linux" && { libc: ["glibc"] }),
      ...manifest,
      files: [basename(executable)],
      publishConfig: { access: "public" },
    });
    const readme = readFileSync(join(root, "packages/executable/README.md"), "utf8").replace("{{use}}", use);
    writeFileSync(join(folder, "README.md"), readme.replaceAll("{{target}}", target).replaceAll("{{name}}", name));
    cpSync(licence, join(folder, "LICENSE"));
    writeFileSync(join(folder, "LICENSE.bundled.md"), bundledLicences(root, { runtime: true }));
    return pack(folder, destination);
  });
}

const writeManifest = (folder, manifest) =>
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);

function linkOrCopy(from, to) {
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to);
  }
}

/** @returns {Tarball} */
function pack(folder, destination) {
  const [{ name, filename, size, unpackedSize }] = npmPack(folder, destination);
  return { name, file: join(destination, filename), packed: size, unpacked: unpackedSize };
}

function npmPack(folder, destination) {
  const options = ["--json", "--ignore-scripts", "--pack-destination", destination];
  const text = execFileSync("npm", ["pack", ...options], { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
  return Object.values(JSON.parse(text.toString()));
}

/** Runs an act with a folder that is gone afterwards. */
function inWorkshop(act) {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/package-"));
  try {
    return act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
