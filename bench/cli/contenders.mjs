import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fetchRealTools, toolsFolder } from "../../test/helpers/fetch-real-tools.mjs";
import { node24, npmProgram } from "../npm-program.mjs";

/** The contender that is another build of ours. */
export const BEFORE = "before";

const BUN = "1.4.5";
const root = resolve(import.meta.dirname, "../..");
const bin = join(root, "bin/kubets.js");

/**
 * The programs that are compared, the real kubectl first: each takes a command line's words. What cannot be had is told
 * on stderr and left out.
 */
export function findContenders(folder) {
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
  add("node 24", () => [node24(), bin]);
  add("bun", () => [compiled(npmProgram("@oven/bun-linux-x64", BUN, "bin/bun"), folder)]);
  return found;
}

/** One executable of everything, with its code compiled beforehand. */
function compiled(bun, folder) {
  chmodSync(bun, 0o755);
  const program = join(folder, "kubets-bun");
  const entry = join(folder, "entry.mjs");
  // Bytecode is for CommonJS, which has no await at its top.
  writeFileSync(
    entry,
    `import { runProcess } from ${JSON.stringify(join(root, "dist/cli/main.cjs"))};
runProcess(process).then((code) => { process.exitCode = code; });
`,
  );
  const options = ["--compile", "--minify", "--bytecode", "--format=cjs"];
  execFileSync(bun, ["build", ...options, entry, "--outfile", program], { cwd: folder, stdio: "pipe" });
  return program;
}
