// Makes executables of the whole program, which need no Node: the code and its bytecode, inside a copy of bun.
//   npm run build:executable                          for this machine
//   npm run build:executable -- --target=linux-arm64  for another; several with commas; "all"
// They are written to dist.executable/TARGET/. A runtime that cannot be had is named on stderr and left out; the exit code is
// then 1, and the others are made all the same.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { npmFile } from "../npm-file.mjs";
import { describeExecutable } from "./describe.mjs";
import { bundleProgram } from "./program.mjs";

const { version, targets } = JSON.parse(readFileSync(new URL("runtimes.json", import.meta.url), "utf8"));
const root = resolve(import.meta.dirname, "../..");
export const outputFolder = join(root, "dist.executable");

/** "linux-x64": the target that this machine can run. */
export const ownTarget = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** The names of all targets. */
export const targetNames = Object.keys(targets);

/** Where the executable of a target is, once it was built. */
export const executableOf = (target) =>
  join(outputFolder, target, target.startsWith("windows") ? "kubets.exe" : "kubets");

/** Throws where the runtime cannot be had. */
export function runtimeOf(target) {
  if (!targetNames.includes(target)) throw new Error(`there is no runtime for ${target}`);
  const { package: name, integrity, program } = targets[target];
  const file = npmFile({ name, version, path: program, integrity });
  chmodSync(file, 0o755);
  return file;
}

/**
 * Builds for these targets, one after the other.
 * @param {readonly string[]} names
 * @param {(target: string, error: Error) => void} failed Called for each that cannot be built.
 * @returns {Promise<string[]>} The files. Rejects where this machine's runtime cannot be had: it compiles for all.
 */
export async function buildExecutables(names, failed) {
  const workshop = join(root, `.cache/executable-${process.pid}`);
  const built = [];
  try {
    // Bytecode and bundling are the same work for every target: this machine's runtime does it.
    const compiler = runtimeOf(ownTarget);
    const program = await bundleProgram(root, workshop);
    for (const target of names) {
      try {
        const file = join(workshop, "out", target, target.startsWith("windows") ? "kubets.exe" : "kubets");
        compile({ compiler, runtime: runtimeOf(target), program, target, file, folder: workshop });
        const place = executableOf(target);
        mkdirSync(join(outputFolder, target), { recursive: true });
        renameSync(file, place);
        built.push(place);
      } catch (error) {
        failed(target, error);
      }
    }
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
  return built;
}

function compile({ compiler, runtime, program, target, file, folder }) {
  cpSync(join(root, "completions"), join(folder, "completions"), { recursive: true });
  const options = [
    "--compile",
    `--target=bun-${target}`,
    `--compile-executable-path=${runtime}`,
    "--bytecode",
    "--bytecode-depth=2",
    // Most commands end before compiled code is faster than what compiling it took: a fifth less CPU for a get, a quarter for an apply.
    "--compile-jit-policy=10",
    "--format=cjs",
    "--minify",
    "--keep-names",
    // What lies in the folder that the program is run in is the user's, not the runtime's.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    ...["completions", ...program.assets].map((path) => `--asset=${path}`),
    `--outfile=${file}`,
  ];
  execFileSync(compiler, ["build", ...options, ...program.entries], {
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
}

/** The targets that were asked for: npm hands `--target=X` that stands before a `--` to scripts in a variable. */
function askedFor() {
  const given = process.argv.slice(2).flatMap((word) => (word.startsWith("--target=") ? [word.slice(9)] : []));
  const names = given.length > 0 ? given : [process.env.npm_config_target ?? ownTarget];
  const all = names.flatMap((name) => (name === "all" ? targetNames : name.split(",")));
  const unknown = all.find((name) => !targetNames.includes(name));
  if (unknown === undefined) return all;
  process.stderr.write(`there is no target ${unknown}; there are: ${targetNames.join(", ")}, all\n`);
  process.exit(2);
}

if (process.argv[1] === import.meta.filename) {
  const failed = (target, error) => {
    process.stderr.write(`${target}: not built: ${error.stderr?.toString().trim() || error.message}\n`);
    process.exitCode = 1;
  };
  const names = askedFor();
  const files = await buildExecutables(names, failed).catch((error) => {
    for (const name of names) failed(name, error);
    return [];
  });
  for (const file of files) {
    const { format, architecture } = describeExecutable(file);
    process.stdout.write(`${file}: ${format}, ${architecture}, ${(statSync(file).size / 1e6).toFixed(1)} MB\n`);
  }
}
