// What a cluster costs whose pods run: fake nodes of its own process, memory storage, one process, over HTTPS from a client's.
// Nodes renew their Leases every 20 s and write their status every 5 min.
//   npm run bench:life
//   NODES=1000 PODS=10000 REPLICAS=1000     nodes; pods of Deployments with REPLICAS each; the last one is rolled out once more
//   ROUNDS=5                                starts of each kind
//   ONLY=ready,idle,scale,day
//   DAY=24h                                 how long the day is
//   PROFILE=FOLDER                          writes the CPU profile of the cluster of `scale` there
import { cpus } from "node:os";
import { resolve } from "node:path";
import { inTurn } from "../in-turn.mjs";
import { startProcess } from "../server/processes.mjs";
import { median, percentile } from "../server/statistics.mjs";
import { tableText } from "../table.mjs";

const nodes = Number(process.env.NODES ?? 1000);
const pods = Number(process.env.PODS ?? 10_000);
const replicas = Number(process.env.REPLICAS ?? 1000);
const rounds = Number(process.env.ROUNDS ?? 5);
const only = process.env.ONLY?.split(",");
const wanted = (name) => only === undefined || only.includes(name);

const day = process.env.DAY ?? "24h";

const MUST_DAY_S = 15;
const GOAL_DAY_S = 6;
const MUST_PER_SECOND = 300;
const GOAL_PER_SECOND = 1000;
const MOST_READY_MS = 50;
const MOST_IDLE_SHARE = 0.005;
const SETTLE_MS = 10_000;
const IDLE_MS = 30_000;

const serve = resolve(import.meta.dirname, "serve.mjs");
const cluster = (options, args = []) => startProcess(serve, [JSON.stringify(options), ...args]);
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const lines = [];
const add = (what, value, verdict = "") => lines.push([what, value, verdict]);
const judge = (met, text) => `${text}: ${met ? "met" : "MISSED"}`;

process.stdout.write(`node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model}), memory storage\n\n`);
if (wanted("ready")) await startToReady();
if (wanted("idle")) await idle();
if (wanted("scale")) await scale();
if (wanted("day")) await cronJobDay();
process.stdout.write(tableText(lines));

/** From the call of startCluster, modules included that it loads itself. CPU time differs less than time on a busy machine. */
async function startToReady() {
  const kinds = [
    { name: "no controllers, no scheduler", options: { controllers: false, scheduler: false } },
    { name: "all controllers and the scheduler", options: {} },
    { name: "the same and a node", options: { nodes: 1 }, limited: false },
  ];
  const samples = await inTurn(kinds, rounds, async ({ options }) => {
    const server = await cluster(options);
    await server.stop();
    return server.ready;
  });
  const medians = kinds.map((kind) => ({
    ...kind,
    took: median(samples.get(kind.name).map(({ startedIn }) => startedIn)),
    cpu: median(samples.get(kind.name).map(({ startCpu }) => startCpu)),
  }));
  const [none] = medians;
  for (const { name, took, cpu, limited = true } of medians) {
    const over = took - none.took;
    const verdict = limited ? judge(over <= MOST_READY_MS, `at most ${MOST_READY_MS} ms over`) : "";
    add(
      `start to ready, ${name}`,
      `${took.toFixed(0)} ms, CPU ${cpu.toFixed(0)} ms`,
      name === none.name ? "" : verdict,
    );
  }
}

async function idle() {
  const server = await cluster({ nodes: 1 });
  await pause(SETTLE_MS);
  const before = await server.usage();
  await pause(IDLE_MS);
  const { cpu, rss } = await server.usage();
  await server.stop();
  const share = (cpu - before.cpu) / 1000 / IDLE_MS;
  add("idle with one node, CPU", `${(share * 100).toFixed(2)} %`, judge(share < MOST_IDLE_SHARE, "below 0.5 %"));
  add("idle with one node, resident", `${megabytes(rss)} MB`);
}

async function scale() {
  const server = await cluster({ nodes }, process.env.PROFILE === undefined ? [] : [resolve(process.env.PROFILE)]);
  const observer = await startProcess(resolve(import.meta.dirname, "observer.mjs"), [server.ready.kubeconfig]);
  add(`start with ${nodes} nodes`, `${(server.ready.startedIn / 1000).toFixed(1)} s`);
  add("  resident", `${megabytes((await server.usage()).rss)} MB`);

  const start = (await observer.ask({ op: "reset" })).now;
  const before = await server.usage();
  const deployments = Math.ceil(pods / replicas);
  for (let index = 0; index < deployments; index++)
    await observer.ask({ op: "deploy", name: `web-${index}`, replicas });
  const filled = await observer.ask({ op: "count", pods: deployments * replicas });
  const after = await server.usage();
  const perSecond = rate(filled.bound, start);
  const verdict = [
    judge(perSecond >= MUST_PER_SECOND, `must ${MUST_PER_SECOND}`),
    judge(perSecond >= GOAL_PER_SECOND, `goal ${GOAL_PER_SECOND}`),
  ];
  add(
    `${deployments * replicas} pods of ${deployments} Deployments, bound`,
    `${perSecond.toFixed(0)} /s`,
    verdict.join(", "),
  );
  add("  until all are ready", `${((filled.ready.at(-1) - start) / 1000).toFixed(1)} s`);
  add("  CPU of a pod", `${((after.cpu - before.cpu) / 1000 / deployments / replicas).toFixed(1)} ms`);
  add("  resident", `${megabytes(after.rss)} MB`);
  latencies(filled);

  const began = (await observer.ask({ op: "reset" })).now;
  await observer.ask({ op: "rollOut", name: "web-0" });
  const rolled = await observer.ask({ op: "count", pods: 0 });
  add(`rollout of ${replicas} replicas`, `${((rolled.now - began) / 1000).toFixed(1)} s`);
  add("  resident", `${megabytes((await server.usage()).rss)} MB`);
  latencies(rolled);
  await observer.kill();
  await server.stop();
}

/** Two runs, one after the other: what they leave must be equal, byte for byte. */
async function cronJobDay() {
  const runs = [];
  for (let run = 0; run < 2; run++) {
    const child = await startProcess(resolve(import.meta.dirname, "day.mjs"), [day]);
    runs.push(child.ready);
    await child.kill();
  }
  const [first, second] = runs;
  const seconds = Math.min(first.took, second.took) / 1000;
  const limits = [
    judge(seconds <= MUST_DAY_S, `must ${MUST_DAY_S}`),
    judge(seconds <= GOAL_DAY_S, `goal ${GOAL_DAY_S}`),
  ];
  add(`${day} of a CronJob every minute`, `${seconds.toFixed(1)} s`, day === "24h" ? limits.join(", ") : "");
  add("  CPU", `${(Math.min(first.cpu, second.cpu) / 1000).toFixed(1)} s`);
  add("  writes", String(first.writes));
  add("  two runs", first.hash === second.hash ? "equal" : "DIFFERENT");
}

/** From the request that made them to the last. */
function rate(times, start) {
  return (times.length / (times.at(-1) - start)) * 1000;
}

function latencies({ probes, faults }) {
  for (const [name, samples] of Object.entries(probes)) {
    const sorted = samples.toSorted((a, b) => a - b);
    const figures = [0.5, 0.99].map((share) => (percentile(sorted, share) ?? Number.NaN).toFixed(0));
    add(`  ${name} meanwhile, median and 99 %`, `${figures.join(" and ")} ms`);
  }
  if (faults.length > 0) add("  watches that broke off", String(faults.length), faults[0]);
}

function megabytes(bytes) {
  return Math.round(bytes / 1e6);
}
