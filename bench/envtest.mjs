// Measures what a Go operator's test waits for: from envtest's Start() until the API is ready, with the programs of `kubets
// envtest` and with a kube-apiserver 1.20 and etcd, in turn, so that a machine that drifts drifts for both.
//   node test/helpers/build-foreign-clients.mjs go && PEER=... node bench/envtest.mjs
//   ROUNDS=7            rounds; the Node that runs this bench is the one that is measured, and the executable where it is built
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { executableOf, ownTarget } from "../tools/executable/build.mjs";
import { operatorSuite } from "../test/helpers/build-foreign-clients.mjs";
import { interval } from "./paired-ratios.mjs";
import { median } from "./server/statistics.mjs";

const REAL = "kube-apiserver 1.20 and etcd";
const MUST = 4;
const GOAL = 10;

const rounds = Number(process.env.ROUNDS ?? 7);
const peer = process.env.PEER ?? join(homedir(), ".cache/kubets-test-tools/kubernetes-1.20");
const { folder: cwd, program, missing } = operatorSuite();
if (missing !== undefined) throw new Error(missing);
const home = mkdtempSync(join(tmpdir(), "kubets-bench-envtest-"));

try {
  const script = resolve(import.meta.dirname, "../bin/kubets.js");
  const executable = executableOf(ownTarget);
  const contenders = {
    [`kubets, Node ${process.version}`]: kubetsAssets(process.execPath, script),
    ...(existsSync(executable) && { "kubets, executable": kubetsAssets(executable) }),
    [REAL]: realAssets(),
  };
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  // The first round fills caches.
  for (let round = -1; round < rounds; round++) {
    for (const [name, assets] of Object.entries(contenders)) {
      const sample = startTime(assets);
      if (round >= 0) samples[name].push(sample);
    }
  }
  process.stdout.write(`${rounds} rounds, medians in ms\n`);
  for (const [name, list] of Object.entries(samples)) {
    const [start, stop] = ["start", "stop"].map((figure) => String(median(list.map((sample) => sample[figure]))));
    process.stdout.write(`${name.padEnd(30)} Start to ready ${start.padStart(6)}   Stop ${stop.padStart(6)}\n`);
  }
  const { [REAL]: theirs, ...ours } = samples;
  for (const [name, list] of Object.entries(ours)) {
    const ratios = list.map(({ start }, round) => theirs[round].start / start);
    const [ratio, ...ends] = [median(ratios), ...interval(ratios)].map((value) => value.toFixed(1));
    const verdict = ratio >= GOAL ? "goal met" : ratio >= MUST ? "must met" : "MISSED";
    process.stdout.write(
      `${name.padEnd(30)} ready ${ratio} times faster [${ends.join(", ")}]   must ${MUST}, goal ${GOAL}: ${verdict}\n`,
    );
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

function startTime(assets) {
  const env = { PATH: process.env.PATH, HOME: home, KUBEBUILDER_ASSETS: assets, TIME_START: "1" };
  const output = execFileSync(program, ["-test.run=^TestStartTime$"], { cwd, env, encoding: "utf8" });
  return JSON.parse(output.split("\n").find((line) => line.startsWith("{")));
}

function kubetsAssets(command, ...script) {
  const env = { PATH: process.env.PATH, HOME: home };
  return execFileSync(command, [...script, "envtest", "--print=path"], { env, encoding: "utf8" }).trim();
}

function realAssets() {
  const etcd = execFileSync("sh", ["-c", "command -v etcd"], { encoding: "utf8" }).trim();
  symlinkSync(join(peer, "bin/kube-apiserver"), join(home, "kube-apiserver"));
  symlinkSync(etcd, join(home, "etcd"));
  return home;
}
