import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ownTarget, runtimeOf } from "../../tools/executable/build.mjs";
import { goVersion } from "../library/contenders.mjs";
import { NODE_24, node24 } from "../node-24.mjs";

export const REFERENCE = "k8s.io/apiserver";
export const EXECUTABLE = "executable";

const here = (name) => join(import.meta.dirname, name);

/**
 * The servers that are compared: `argv` starts a server of notes; `second`, which ours have, prints what a second server in one process
 * takes. What cannot be had is told on stderr and left out.
 */
export function findContenders(folder) {
  const found = [];
  const add = (name, make) => {
    try {
      found.push({ name, ...make() });
    } catch (error) {
      // A compiler's last line is enough: the others are of the same kind.
      const reason = error.stderr?.toString().trim().split("\n").at(-1) || error.message;
      process.stderr.write(`without ${name}: ${reason}\n`);
    }
  };
  add(REFERENCE, () => ({ argv: [buildGo(folder)] }));
  add(`node ${process.version.slice(1).split(".")[0]}`, () => programsOf(process.execPath));
  if (!process.version.startsWith(`v${NODE_24.split(".")[0]}.`)) add("node 24", () => programsOf(node24()));
  add(EXECUTABLE, () => ({
    argv: [buildExecutable("ours.mjs", join(folder, "ours"))],
    second: [buildExecutable("second-server.mjs", join(folder, "second-server"))],
  }));
  return found;
}

const programsOf = (node) => ({ argv: [node, here("ours.mjs")], second: [node, here("second-server.mjs")] });

/** Builds the Go server. No other toolchain is fetched, and no C compiler needed. */
export function buildGo(folder) {
  if (goVersion() === undefined) throw new Error("there is no Go here");
  const program = join(folder, "notes-server-go");
  const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
  process.stderr.write("building the Go server, which takes minutes the first time\n");
  const options = ["build", "-mod=readonly", "-p", "1", "-ldflags=-s -w", "-o", program, "."];
  execFileSync("go", options, { cwd: here("go"), env, stdio: ["ignore", "ignore", "pipe"] });
  return program;
}

/** What a program of one's own becomes by bun's compiler, with the runtime of our executables. */
function buildExecutable(source, program) {
  process.stderr.write(`building the executable of ${source}\n`);
  const options = ["--compile", "--bytecode", "--format=esm", "--minify", `--outfile=${program}`];
  execFileSync(runtimeOf(ownTarget), ["build", ...options, here(source)], { stdio: ["ignore", "ignore", "pipe"] });
  return program;
}
