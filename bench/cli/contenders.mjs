import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { executableOf, ownTarget } from "../../tools/executable/build.mjs";
import { fetchRealTools, toolsFolder } from "../../test/helpers/fetch-real-tools.mjs";
import { node24 } from "../node-24.mjs";

/** The contender that is another build of ours. */
export const BEFORE = "before";

const root = resolve(import.meta.dirname, "../..");
const bin = join(root, "bin/kubets.js");

/** The contender that needs no Node. */
export const EXECUTABLE = "executable";

/**
 * The programs that are compared, the real kubectl first: each takes a command line's words. What cannot be had is told
 * on stderr and left out.
 */
export function findContenders() {
  fetchRealTools();
  const found = [{ name: "kubectl", argv: (words) => [join(toolsFolder, "kubectl", "kubectl"), ...words] }];
  const add = (name, make) => {
    try {
      const program = make();
      found.push({ name, argv: (words) => [...program, ...words] });
    } catch (error) {
      process.stderr.write(`without ${name}: ${error.message}\n`);
    }
  };
  add(`node ${process.version.slice(1).split(".")[0]}`, () => [process.execPath, bin]);
  if (process.env.BEFORE !== undefined) {
    const program = resolve(process.env.BEFORE, "../bin/kubets.js");
    found.push({ name: BEFORE, argv: (words) => [process.execPath, program, ...words] });
    // Two builds are compared under one Node.
    return found;
  }
  add("node 24", () => [cachedNode24(), bin]);
  add(EXECUTABLE, () => [builtExecutable()]);
  return found;
}

/** The package holds a code cache for it; the build fills the one of the Node that builds alone. */
function cachedNode24() {
  const node = node24();
  execFileSync(node, [join(root, "tools/fill-code-cache.mjs"), join(root, "dist")], { stdio: "pipe" });
  return node;
}

function builtExecutable() {
  const file = executableOf(ownTarget);
  if (!existsSync(file)) throw new Error("it is not built: npm run build:executable");
  return file;
}
