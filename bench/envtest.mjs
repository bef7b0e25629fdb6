// Measures what a Go operator's test waits for: from envtest's Start() until the API is ready, with the programs of `kubets
// envtest` and with a kube-apiserver 1.20 and etcd, in turn, so that a machine that drifts drifts for both.
//   node test/helpers/build-foreign-clients.mjs go && PEER=... node bench/envtest.mjs
//   ROUNDS=7            rounds; the Node that runs this bench is the one that is measured
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { operatorSuite } from "../test/helpers/build-foreign-clients.mjs";
import { interval } from "./paired-ratios.mjs";
import { median } from "./server/statistics.mjs";

const MUST = 4;
const GOAL = 10;

const rounds = Number(process.env.ROUNDS ?? 7);
const peer = process.env.PEER ?? join(homedir(), ".cache/kubets-test-tools/kubernetes-1.20");
const { folder: cwd, program, missing } = operatorSuite();
if (missing !== undefined) throw new Error(missing);
const home = mkdtempSync(join(tmpdir(), "kubets-bench-envtest-"));

try {
  const contenders = { kubets: kubetsAssets(), "kube-apiserver 1.20 and etcd": realAssets() };
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  // The first round fills caches.
  for (let round = -1; round < rounds; round++) {
    for (const [name, assets] of Object.entries(contenders)) {
      const sample = startTime(assets);
      if (round >= 0) samples[name].push(sample);
    }
  }
  process.stdout.write(`node ${process.version}, ${rounds} rounds, medians in ms\n`);
  for (const [name, list] of Object.entries(samples)) {
    const [start, stop] = ["start", "stop"].map((figure) => median(list.map((sample) => sample[figure])));
    process.stdout.write(
      `${name.padEnd(32)} Start to ready ${String(start).padStart(6)}   Stop ${String(stop).padStart(6)}\n`,
    );
  }
  const [ours, theirs] = Object.values(samples);
  const ratios = ours.map(({ start }, round) => theirs[round].start / start);
  const [low, high] = interval(ratios);
  const ratio = median(ratios);
  const verdict = ratio >= GOAL ? "goal met" : ratio >= MUST ? "must met" : "MISSED";
  process.stdout.write(
    `times faster to ready: ${ratio.toFixed(1)} [${low.toFixed(1)}, ${high.toFixed(1)}]   must ${MUST}, goal ${GOAL}: ${verdict}\n`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

function startTime(assets) {
  const env = { PATH: process.env.PATH, HOME: home, KUBEBUILDER_ASSETS: assets, TIME_START: "1" };
  const output = execFileSync(program, ["-test.run=^TestStartTime$"], { cwd, env, encoding: "utf8" });
  return JSON.parse(output.split("\n").find((line) => line.startsWith("{")));
}

function kubetsAssets() {
  const command = [resolve(import.meta.dirname, "../bin/kubets.js"), "envtest", "--print=path"];
  const env = { PATH: process.env.PATH, HOME: home };
  return execFileSync(process.execPath, command, { env, encoding: "utf8" }).trim();
}

function realAssets() {
  const etcd = execFileSync("sh", ["-c", "command -v etcd"], { encoding: "utf8" }).trim();
  symlinkSync(join(peer, "bin/kube-apiserver"), join(home, "kube-apiserver"));
  symlinkSync(etcd, join(home, "etcd"));
  return home;
}
