// Makes a release in release/: every npm package as a tarball, checksums, a bill of materials and release notes. Publishes nothing.
//   npm run release:pack
// What cannot be had (a runtime, a Node for the code caches) is named and left out. The exit code is 1 where a package is larger
// than it may be; the files are there all the same.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildExecutables, executableOf, targetNames } from "../executable/build.mjs";
import { billOfMaterials } from "./bill-of-materials.mjs";
import { emptyProgramSize, KUBETS_LIMIT, PROGRAM_LIMIT } from "./limits.mjs";
import { releaseNotes } from "./notes.mjs";
import { packCreate, packExecutable, packKubets, packNative, packPayload, root, version } from "./packages.mjs";

const release = join(root, "release");
const missing = [];
const tooLarge = [];

const leftOut = (what, error) => missing.push(`${what}: ${error.stderr?.toString().trim() || error.message}`);
const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
const step = (text) => process.stderr.write(`${text}\n`);

rmSync(release, { recursive: true, force: true });
mkdirSync(release);
const notes = releaseNotes(root, version, readFileSync(join(root, "CHANGELOG.md"), "utf8"));

step("building dist");
execFileSync(process.execPath, ["build.mjs"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
step("building the executables");
const failed = new Set();
const notBuilt = (target, error) => {
  failed.add(target);
  leftOut(`the executable for ${target}`, error);
};
try {
  await buildExecutables(targetNames, notBuilt);
} catch (error) {
  // Without this machine's runtime there is no compiler for any of them.
  for (const target of targetNames) notBuilt(target, error);
}
const targets = targetNames.filter((target) => !failed.has(target));

step("packing kubets, with its code caches");
const { nodes, ...kubets } = packKubets(release, leftOut);
if (kubets.unpacked > KUBETS_LIMIT) tooLarge.push(over("kubets, unpacked,", kubets.unpacked, KUBETS_LIMIT));
const tarballs = [kubets, packCreate(release)];
if (targets.length > 0) tarballs.push(packNative(targets, release));
const programs = [];
for (const target of targets) {
  step(`packing @kubets/${target}`);
  const executable = executableOf(target);
  tarballs.push(packExecutable(target, executable, release), packPayload(target, executable, release));
  const own = statSync(executable).size - emptyProgramSize(target);
  programs.push(`${target} ${megabytes(own)} MB`);
  if (own > PROGRAM_LIMIT)
    tooLarge.push(over(`the executable for ${target}, above an empty program,`, own, PROGRAM_LIMIT));
}

step("writing checksums, bill of materials and notes");
write("sbom.cdx.json", `${JSON.stringify(billOfMaterials(root, targets), undefined, 2)}\n`);
write("RELEASE-NOTES.md", notes);
const files = [...tarballs.map(({ file }) => basename(file)), "sbom.cdx.json", "RELEASE-NOTES.md"];
write("SHA256SUMS", files.map((name) => `${sha256(join(release, name))}  ${name}\n`).join(""));

process.stdout.write(table(tarballs));
process.stdout.write(`\ncode caches in kubets: Node ${nodes.join(", ") || "none"}\n`);
process.stdout.write(`executables above an empty program: ${programs.join(", ") || "none"}\n`);
for (const line of missing) process.stderr.write(`left out: ${line}\n`);
for (const line of tooLarge) process.stderr.write(`too large: ${line}\n`);
if (tooLarge.length > 0) process.exitCode = 1;

function over(what, size, limit) {
  return `${what} takes ${size} bytes of at most ${limit}`;
}

function write(name, text) {
  writeFileSync(join(release, name), text);
}

function sha256(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}

/** A line for each tarball. */
function table(rows) {
  const lines = [
    ["PACKAGE", "PACKED MB", "UNPACKED MB", "FILE"],
    ...rows.map(({ name, packed, unpacked, file }) => [name, megabytes(packed), megabytes(unpacked), basename(file)]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map(([name, packed, unpacked, file]) =>
      [name.padEnd(widths[0]), packed.padStart(widths[1]), unpacked.padStart(widths[2]), file].join("   "),
    )
    .map((line) => `${line}\n`)
    .join("");
}
