// Writes what V8 has compiled of the CLI beside it, for bin/cached-require.js: runs some everyday command lines against an
// embedded cluster, so that the cache holds the functions which commands use and no others.
//   node tools/fill-code-cache.mjs dist       for the Node that runs it; a package may hold the caches of several
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const { CachedRequire } = createRequire(import.meta.url)("../bin/cached-require.js");

const MANIFEST = ["a", "b"]
  .map(
    (name) => `apiVersion: v1
kind: ConfigMap
metadata:
  name: ${name}
  labels: {app: cache}
data:
  key: "value"
`,
  )
  .join("---\n");

/**
 * What is cached of a file is read whenever the file is, used or not: only what most lines do with it is worth it. So a
 * file is cached as the first of these groups leaves it that loads it, the shortest commands first; what is not cached is
 * compiled when it is called, as ever.
 */
const GROUPS = [
  ["version --client", "get configmaps", "get configmap none", "__complete get configmap a", "api-resources"],
  [
    "apply -f manifest.yaml",
    "apply -f manifest.yaml",
    "apply --server-side --force-conflicts -f manifest.yaml",
    "get configmap a -o yaml",
    "describe configmaps",
  ],
];

/** @param {string} dist The folder of the built package. */
export async function fillCodeCache(dist) {
  const folder = mkdtempSync(join(tmpdir(), "kubets-code-cache-"));
  const server = await startServer(resolve(dist, "cluster.js"));
  try {
    writeFileSync(join(folder, "kubeconfig"), server.kubeconfig);
    writeFileSync(join(folder, "manifest.yaml"), MANIFEST);
    // Packages hold the cache: it must not name the folder that it was made in.
    const load = new CachedRequire(resolve(dist, "cli"), "kubets/dist/cli");
    const { main } = load.load("./main.cjs");
    const env = { PATH: process.env.PATH, HOME: folder, KUBECONFIG: join(folder, "kubeconfig") };
    const cached = new Map();
    for (const lines of GROUPS) {
      for (const line of lines) {
        const [out, err] = [new PassThrough().resume(), new PassThrough().resume()];
        await main({ argv: line.split(" "), streams: { in: Readable.from([]), out, err }, env, cwd: folder });
      }
      for (const [path, script] of load.scripts) {
        if (!cached.has(path)) cached.set(path, script.createCachedData());
      }
    }
    write(cached, load.cacheFolder);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In a process of its own: the cache is for the CLI's code only. */
async function startServer(cluster) {
  const script = `
    const { startCluster } = await import(${JSON.stringify(pathToFileURL(cluster).href)});
    const cluster = await startCluster();
    process.stdout.write(JSON.stringify(cluster.kubeconfig()));
    process.stdin.resume().on("end", () => void cluster.close().then(() => process.exit()));`;
  const server = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((done) => server.once("exit", done));
  const kubeconfig = await new Promise((done, fail) => {
    server.stdout.once("data", (text) => done(JSON.parse(text)));
    server.once("exit", (code) => fail(new Error(`the server of the code cache's lines ended with ${code}`)));
  });
  const stop = async () => {
    server.stdin.end();
    await ended;
  };
  return { kubeconfig, stop };
}

/** The folder is there whole or not at all. */
function write(cached, folder) {
  const making = `${folder}.new`;
  mkdirSync(making, { recursive: true });
  for (const [path, data] of cached) writeFileSync(join(making, path), data);
  rmSync(folder, { recursive: true, force: true });
  renameSync(making, folder);
}

if (process.argv[1] === import.meta.filename) await fillCodeCache(process.argv[2] ?? "dist");
