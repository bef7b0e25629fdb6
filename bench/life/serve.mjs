// A cluster in a process of its own, in memory storage; answers what it costs and ends when asked.
//   node serve.mjs OPTIONS [PROFILE]      (options of startCluster, as JSON; a folder for the CPU profile)
import { mkdirSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join, resolve } from "node:path";
import { answerUsage } from "../server/usage.mjs";

const { startCluster } = await import(resolve(import.meta.dirname, "../../dist/cluster.js"));
const [options, profileFolder] = process.argv.slice(2);
const profiler = profileFolder === undefined ? undefined : await startProfiler();
const [before, cpuBefore] = [performance.now(), process.cpuUsage()];
const cluster = await startCluster(JSON.parse(options));
const startedIn = performance.now() - before;
const { user, system } = process.cpuUsage(cpuBefore);

answerUsage();
process.on("message", ({ op }) => {
  if (op === "stop") void stop();
});
process.on("disconnect", () => process.exit(1));
process.send({ kubeconfig: cluster.kubeconfig(), startedIn, startCpu: (user + system) / 1000 });

async function stop() {
  if (profiler !== undefined) {
    const { profile } = await profiler.post("Profiler.stop");
    mkdirSync(profileFolder, { recursive: true });
    writeFileSync(join(profileFolder, "cluster.cpuprofile"), JSON.stringify(profile));
  }
  await cluster.close();
  process.exit(0);
}

async function startProfiler() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 1000 });
  await session.post("Profiler.start");
  return session;
}
