// Measures kubets against the real kubectl and Node's own floor, side by side in one run: every round runs each
// contender once, in turn, so that a machine that drifts drifts for all of them. Prints medians, ratios and the goals.
//   npm run bench            (ROUNDS=20 by default)
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fetchRealTools, toolsFolder } from "../test/helpers/fetch-real-tools.mjs";

const rounds = Number(process.env.ROUNDS ?? 20);
const bin = resolve(import.meta.dirname, "../bin/kubets.js");
const folder = mkdtempSync(join(tmpdir(), "kubets-bench-"));
const kubectl = findKubectl();

const node = (...args) => [process.execPath, ...args];
const ours = (...args) => node(bin, ...args);
const theirs = kubectl === undefined ? undefined : (...args) => [kubectl, ...args];

try {
  process.stdout.write(
    `node ${process.version}, ${kubectl === undefined ? "no kubectl" : "kubectl 1.37.1"}, ${rounds} rounds, medians in ms\n\n`,
  );
  await startUp();
  await serverStart();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function startUp() {
  const { samples } = await compare(rounds, {
    "node -e 0": node("-e", "0"),
    "kubets version --client": ours("version", "--client"),
    ...(theirs && { "kubectl version --client": theirs("version", "--client") }),
  });
  // Round by round: the two that ran next to each other were slowed by the same things.
  const floor = samples["node -e 0"];
  const over = median(samples["kubets version --client"].map((took, round) => took - floor[round]));
  judge("version --client over Node's floor", over, "ms", 20, 12);
}

async function serverStart() {
  const ready = [];
  const rss = [];
  for (let round = 0; round < Math.max(5, rounds / 2); round++) {
    const started = performance.now();
    const server = startServer();
    await server.ready;
    ready.push(performance.now() - started);
    rss.push(residentMegabytes(server.child.pid));
    await server.stop();
  }
  judge("server: process start to ready", median(ready), "ms", 600, 350);
  judge("server: RSS when ready", median(rss), "MB", 120, 90);
  process.stdout.write("\n");
}

function startServer() {
  const kubeconfig = join(folder, `kubeconfig-${Math.random().toString(36).slice(2)}`);
  const script = `
    import { startCluster } from ${JSON.stringify(resolve(import.meta.dirname, "../dist/cluster.js"))};
    import { writeFileSync } from "node:fs";
    const cluster = await startCluster();
    writeFileSync(process.argv[1], cluster.kubeconfig());
    process.stdout.write("ready\\n");
    process.on("SIGTERM", () => { void cluster.close().then(() => process.exit(0)); });
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, "--", kubeconfig], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((done) => child.once("exit", done));
  return {
    child,
    ready: new Promise((done, fail) => {
      child.stdout.once("data", () => done(kubeconfig));
      child.once("exit", (code) => fail(new Error(`the server ended with ${code}`)));
    }),
    stop: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

async function compare(times, contenders, env = process.env) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -1; round < times; round++) {
    for (const [name, argv] of Object.entries(contenders)) {
      const took = await run(argv, env);
      if (round >= 0) samples[name].push(took);
    }
  }
  const medians = Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, median(list)]));
  const first = Object.keys(medians).at(-1);
  for (const [name, value] of Object.entries(medians)) {
    const ratio = name === first ? "" : `   ${(value / medians[first]).toFixed(2)} x ${first}`;
    process.stdout.write(`${name.padEnd(40)} ${value.toFixed(1).padStart(8)}${ratio}\n`);
  }
  process.stdout.write("\n");
  return { medians, samples };
}

function run([command, ...args], env) {
  const started = performance.now();
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stdout.resume();
  child.stderr.on("data", (text) => (stderr += text));
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => {
      if (code === 0) done(performance.now() - started);
      else fail(new Error(`${command} ${args.join(" ")} ended with ${code}: ${stderr}`));
    });
  });
}

function judge(what, value, unit, must, goal) {
  const verdict =
    value <= goal
      ? "goal met"
      : value <= must
        ? `must met, ${(value - goal).toFixed(1)} ${unit} over the goal`
        : `MISSED by ${(value - must).toFixed(1)} ${unit}`;
  process.stdout.write(
    `${what.padEnd(40)} ${value.toFixed(1).padStart(8)} ${unit}   must ${must}, goal ${goal}: ${verdict}\n\n`,
  );
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function residentMegabytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

function findKubectl() {
  try {
    fetchRealTools();
    return join(toolsFolder, "kubectl", "kubectl");
  } catch (error) {
    process.stdout.write(`without kubectl: ${error.message}\n`);
    return undefined;
  }
}
