// Lists what a person must decide before kubets can be a new version of Kubernetes. It reads the extracted data, makes the facts in
// memory and compares them with the newest served version and with the code; it writes nothing but to standard output.
// Usage: node tools/next-version.mjs FOLDER VERSION
// docs/kubernetes-versions.md describes the data and the steps.
import { build } from "esbuild";
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readVersionData, versionBefore } from "./api-facts/version-data.mjs";

const HELP = `Usage: node tools/next-version.mjs FOLDER VERSION

Lists what must be decided before kubets can be a version of Kubernetes.

FOLDER has the extracted data, plain or with .gz: kubernetes-VERSION-api.json and kubernetes-VERSION-go-types.json, and where they
are known kubernetes-VERSION-gates.json and kubernetes-VERSION-components.json.
VERSION is what the files are called by: 1.38, 1.38-beta.0.

Exit codes: 0 nothing is left to decide, 1 something is, 2 the data cannot be read.

Examples:
  node tools/next-version.mjs ~/extracted 1.38-beta.0
  node tools/next-version.mjs tools/api-data 1.37
`;

const root = join(import.meta.dirname, "..");
const [folder, name, ...rest] = process.argv.slice(2);
if (folder === "--help" || folder === "-h") process.stdout.write(HELP);
else if (folder === undefined || name === undefined || rest.length > 0) fail(HELP);
else await main(resolve(folder), name);

async function main(from, version) {
  let next;
  let before;
  try {
    next = readVersionData(from, version);
    const older = versionBefore(next.version);
    if (older === undefined) return fail(`error: no served version is older than ${version}\n`);
    before = readVersionData(join(root, "tools/api-data"), older);
  } catch (error) {
    return fail(`error: ${error.message}\n`);
  }
  const { undecided, report } = await routine();
  const lines = await undecided({ next, before, root });
  process.stdout.write(report(next, before, lines));
  process.exitCode = lines.length === 0 ? 0 : 1;
}

/** The routine asks the server's own code, which is TypeScript: it is bundled into a file that is gone again. */
async function routine() {
  // Below the project's folder, so that packages are found.
  const temporary = mkdtempSync(join(root, "node_modules/.next-version-"));
  try {
    const outfile = join(temporary, "routine.mjs");
    const entry = join(root, "tools/next-version/index.ts");
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
      logLevel: "error",
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function fail(text) {
  process.stderr.write(text);
  process.exitCode = 2;
}
