// Compares kubets with the real kubectl as whole programs against one embedded cluster: wall time, CPU time and memory, under
// Node 20, Node 24 and as an executable. Every round runs each contender once, in turn, so that a machine that drifts
// drifts for all of them; medians and ratios to kubectl are printed.
//   npm run bench:cli
//   ROUNDS=10           rounds of the small ones; the large ones have half of it, but all of it beside a build before
//   BEFORE=FOLDER       another build's dist/ (beside its bin/), measured as one more contender; paired ratios to it are printed
//   ONLY=get,apply,...  only measures whose name holds one of these
//   npm run bench:cli -- --phases   where the time of the small ones goes instead
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "./api-client.mjs";
import { BEFORE, EXECUTABLE, findContenders } from "./contenders.mjs";
import { PairedRatios } from "../paired-ratios.mjs";
import { MeasuredProcesses } from "./measured-process.mjs";

const rounds = Number(process.env.ROUNDS ?? 10);
const only = process.env.ONLY?.split(",");
/** Ratios to kubectl by kind of measure and contender. */
const GOALS = {
  small: {
    [EXECUTABLE]: { must: { wall: 0.9, rss: 1.5 }, goal: { wall: 0.6, rss: 1.0 } },
    "node 24": { must: { wall: 1.2 }, goal: {} },
    "node 20": { must: { wall: 1.8 }, goal: {} },
  },
  writes: { [EXECUTABLE]: { must: { wall: 1.0, rss: 1.5 }, goal: { wall: 0.8, rss: 1.0 } } },
  lists: { [EXECUTABLE]: { must: { wall: 0.5, rss: 1.5 }, goal: { rss: 1.0 } } },
};
/** The contender that a build before is compared with. */
const NODE = `node ${process.version.slice(1).split(".")[0]}`;

const folder = mkdtempSync(join(tmpdir(), "kubets-bench-cli-"));
const contenders = findContenders().map(({ name, argv }) => {
  const home = join(folder, name.replace(" ", "-"));
  mkdirSync(home);
  return { name, argv, home };
});
// What a machine adds to the authorities of Node and bun takes every start of theirs 10 ms and more.
const { NODE_EXTRA_CA_CERTS: _, ...surroundings } = process.env;
const ratios = new PairedRatios();
const programs = new MeasuredProcesses();
const server = spawn(process.execPath, [join(import.meta.dirname, "serve.mjs")], {
  stdio: ["pipe", "pipe", "inherit"],
});
const kubeconfig = join(folder, "kubeconfig");

try {
  const text = await new Promise((resolve, reject) => {
    server.stdout.once("data", (chunk) => resolve(chunk.toString()));
    server.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  writeFileSync(kubeconfig, text);
  const api = new ApiClient(JSON.parse(text));
  process.stdout.write(
    `${cpus().length} cores (${cpus()[0]?.model}), ${rounds} rounds, medians; ratios are to kubectl 1.37.1\n\n`,
  );
  const wanted = (await measures(api)).filter(
    ({ name }) => only === undefined || only.some((part) => name.includes(part)),
  );
  if (process.argv.includes("--phases")) await printPhasesOf(wanted);
  else for (const measure of wanted) await compare(measure);
  if (!ratios.isEmpty) process.stdout.write(`\n${ratios.text()}`);
  api.close();
} finally {
  await programs.stop();
  server.stdin.end();
  rmSync(folder, { recursive: true, force: true });
}

/** `before` runs before each run, outside of what is measured. */
async function measures(api) {
  for (const [namespace, count] of [
    ["ten", 10],
    ["many", 10_000],
  ]) {
    await api.namespace(namespace);
    await api.fill(namespace, "configmaps", count, (index) => configMap(namespace, index));
  }
  await api.namespace("pods");
  await api.fill("pods", "pods", 100, pod);
  const applies = [1, 100, 1000].flatMap((count) => {
    const namespace = `apply-${count}`;
    const file = join(folder, `${namespace}.yaml`);
    const objects = Array.from({ length: count }, (_, index) => JSON.stringify(configMap(namespace, index)));
    writeFileSync(file, objects.join("\n---\n"));
    const words = ["apply", "-f", file];
    const size = count === 1 ? "small" : "writes";
    const clear = () => api.clear(namespace, "configmaps");
    const start = () => api.namespace(namespace);
    return [
      { name: `apply of ${count}, new`, words, size, start, before: clear },
      { name: `apply of ${count}, unchanged`, words, size, start },
      { name: `apply of ${count}, server-side`, words: [...words, "--server-side", "--force-conflicts"], size, start },
    ];
  });
  const cold = ({ home }) => rmSync(join(home, ".kube"), { recursive: true, force: true });
  const get = (namespace, ...words) => ["get", "configmaps", "-n", namespace, "-l", "bench", ...words];
  return [
    { name: "version --client", words: ["version", "--client"], size: "small" },
    { name: "get of 10", words: get("ten"), size: "small" },
    { name: "get of 10,000", words: get("many"), size: "lists", paged: true },
    { name: "get of 10,000, --chunk-size=0", words: get("many", "--chunk-size=0"), size: "lists" },
    {
      name: "get -o json of 10,000, --chunk-size=0",
      words: get("many", "-o", "json", "--chunk-size=0"),
      size: "lists",
    },
    ...applies,
    { name: "describe of 100 pods", words: ["describe", "pods", "-n", "pods"], size: "small" },
    { name: "api-resources, cold", words: ["api-resources"], size: "small", before: cold },
    { name: "api-resources, warm", words: ["api-resources"], size: "small" },
    {
      name: "exec of echo",
      words: ["exec", "web", "-n", "exec", "--", "echo", "hi"],
      size: "small",
      start: () => api.runningPod("exec", "web"),
    },
    { name: "completion of a name", words: ["__complete", "get", "configmap", "-n", "ten", "cm-"], size: "small" },
  ];
}

/** Of the small commands. */
async function printPhasesOf(wanted) {
  const { printPhases } = await import("./phases.mjs");
  const small = wanted.filter(({ size, before }) => size === "small" && before === undefined);
  for (const { start } of small) await start?.();
  await printPhases(small, { ...surroundings, KUBECONFIG: kubeconfig, HOME: folder }, rounds);
}

async function compare({ name, words, size, paged, start, before }) {
  await start?.();
  const samples = new Map(contenders.map((contender) => [contender.name, []]));
  const all = size === "small" || samples.has(BEFORE);
  const times = all ? rounds : Math.max(3, Math.round(rounds / 2));
  for (let round = -1; round < times; round++) {
    // What comes second finds another machine.
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      await before?.(contender);
      const env = { ...surroundings, KUBECONFIG: kubeconfig, HOME: contender.home };
      const cost = await programs.run(contender.argv(words), env);
      if (round >= 0) samples.get(contender.name).push(cost);
    }
  }
  process.stdout.write(`${name}${paged ? " (kubectl waits between pages by its own limit)" : ""}\n`);
  if (samples.has(BEFORE)) {
    for (const [figure, kind] of Object.entries({ wall: "time", cpu: "time", rss: "memory" })) {
      const [ours, before] = [NODE, BEFORE].map((who) => samples.get(who).map((sample) => sample[figure]));
      ratios.add(`${name}: ${figure}`, kind, ours, before);
    }
  }
  const reference = medians(samples.get("kubectl"));
  for (const { name: who } of contenders) {
    const own = medians(samples.get(who));
    const figures = ["wall", "cpu", "rss"].map((figure) => {
      const unit = figure === "rss" ? "MB" : "ms";
      const ratio = who === "kubectl" ? "" : ` (${(own[figure] / reference[figure]).toFixed(2)} x)`;
      return `${figure} ${own[figure].toFixed(0).padStart(5)} ${unit}${ratio.padEnd(9)}`;
    });
    const goals = GOALS[size][who];
    const judged = goals === undefined ? "" : verdict(own, reference, goals);
    process.stdout.write(`  ${who.padEnd(10)} ${figures.join("  ")} ${judged}`.trimEnd().concat("\n"));
  }
}

function verdict(own, reference, { must, goal }) {
  return Object.keys(must)
    .map((figure) => {
      const ratio = own[figure] / reference[figure];
      if (ratio <= (goal[figure] ?? 0)) return `${figure}: goal met`;
      return ratio <= must[figure] ? `${figure}: must met` : `${figure}: MISSED (must ${must[figure]} x)`;
    })
    .join(", ");
}

function medians(samples) {
  const median = (figure) => {
    const sorted = samples.map((sample) => sample[figure]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)];
  };
  return { wall: median("wall"), cpu: median("cpu"), rss: median("rss") };
}

function configMap(namespace, index) {
  const name = `cm-${String(index).padStart(5, "0")}`;
  const metadata = { name, namespace, labels: { bench: "yes" } };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { key: "value" } };
}

function pod(index) {
  const container = {
    name: "app",
    image: "registry.example.com/app:1.0",
    ports: [{ containerPort: 8080 }],
    env: [{ name: "MODE", value: "bench" }],
    resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
    readinessProbe: { httpGet: { path: "/ready", port: 8080 } },
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: `pod-${String(index).padStart(3, "0")}`, labels: { app: "bench" } },
    // Not the node that has the pod of exec.
    spec: { nodeName: "elsewhere", containers: [container] },
  };
}
