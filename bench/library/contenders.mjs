import { execFileSync } from "node:child_process";
import { join } from "node:path";

export const REFERENCE = "client-node";

const programs = join(import.meta.dirname, "contenders");
const node = (file, ...args) => [process.execPath, "--expose-gc", join(programs, file), ...args];

/** The informers that are compared: each a name and a program. `builds` are dist folders of ours by name. */
export function findContenders(builds, folder) {
  const found = Object.entries(builds).flatMap(([name, dist]) => [
    { name, argv: node("kubets.mjs", dist, "stream") },
    { name: `${name}, lists in pages`, argv: node("kubets.mjs", dist, "pages") },
  ]);
  found.push({ name: REFERENCE, argv: node("client-node.mjs") });
  try {
    found.push({ name: "client-go", argv: [buildGo(folder)] });
  } catch (error) {
    process.stderr.write(`without client-go: ${error.message}\n`);
  }
  return found;
}

/** No other toolchain is fetched, and no C compiler needed. */
function buildGo(folder) {
  if (goVersion() === undefined) throw new Error("there is no Go here");
  const program = join(folder, "follower-go");
  const env = { ...process.env, GOTOOLCHAIN: "local", CGO_ENABLED: "0" };
  process.stderr.write("building the client-go program\n");
  const options = ["build", "-mod=readonly", "-o", program, "."];
  execFileSync("go", options, { cwd: join(import.meta.dirname, "go"), env, stdio: ["ignore", "ignore", "pipe"] });
  return program;
}

/** "go1.26.8", or undefined where there is no Go. */
export function goVersion() {
  try {
    return execFileSync("go", ["env", "GOVERSION"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return undefined;
  }
}
