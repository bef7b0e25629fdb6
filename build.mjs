// Builds dist/: the library as ES modules, the CLI as CommonJS with V8's compiled code beside it, and the type
// declarations of what is public. It is made in .cache/ and swapped in whole, so that a dist/ in use is never half there.
// `node build.mjs --help` names the targets and flags (tools/build/command-line.mjs).
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundleLibrary, bundleProgram } from "./tools/build/bundles.mjs";
import { helpText, readCommandLine } from "./tools/build/command-line.mjs";
import { declareTypes } from "./tools/build/declarations.mjs";
import { fillCodeCache } from "./tools/fill-code-cache.mjs";

const outdir = "dist";
const workshop = `.cache/build-${process.pid}`;
const building = join(workshop, "new");
const replaced = join(workshop, "old");

const GENERATORS = ["generate-api-facts", "generate-api-types", "generate-builtin-records"];

const builders = {
  generated: () => {
    for (const name of GENERATORS) execFileSync(process.execPath, [`tools/${name}.mjs`], { stdio: "inherit" });
  },
  library: () => bundleLibrary(building),
  cli: () => bundleProgram(building),
  "code-cache": () => {
    rmSync(join(building, "cli/code-cache"), { recursive: true, force: true });
    return fillCodeCache(building);
  },
  types: () => declareTypes(building, workshop),
};

let line;
try {
  line = readCommandLine(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`build: ${error.message}\n`);
  process.exit(1);
}
if (line.help) process.stdout.write(helpText());
else if (line.dryRun) for (const target of line.targets) process.stdout.write(`would build ${target}\n`);
else await build(line);

async function build({ targets, keepRest }) {
  try {
    mkdirSync(building, { recursive: true });
    if (keepRest && existsSync(outdir)) cpSync(outdir, building, { recursive: true });
    if (targets.includes("code-cache") && !targets.includes("cli") && !existsSync(join(building, "cli/kubectl.cjs")))
      throw new Error("code-cache needs library and cli: build them first");
    for (const target of targets) await builders[target]();
    if (targets.some((target) => target !== "generated")) swapIn();
  } finally {
    rmSync(workshop, { recursive: true, force: true });
  }
}

function swapIn() {
  try {
    renameSync(outdir, replaced);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  renameSync(building, outdir);
}
