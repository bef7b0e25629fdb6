// A server in a process of its own, in memory, that fills itself and says what it costs: bench/event-loop.mjs and
// bench/stalled-reader.mjs start it.
import { fork } from "node:child_process";
import { resolve } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

export const MAPS = "/api/v1/namespaces/default/configmaps";

/** Starts it; `ask` sends one message and resolves with the answer. */
export async function startObservedServer() {
  const child = fork(fileURLToPath(import.meta.url), ["serve"], { execArgv: ["--expose-gc"] });
  let failed = () => {};
  child.once("exit", (code) => failed(new Error(`the server ended with ${code}`)));
  const next = () =>
    new Promise((done, fail) => {
      failed = fail;
      child.once("message", done);
    });
  const reach = await next();
  return {
    ...reach,
    pid: child.pid,
    ask: (message) => {
      const answer = next();
      child.send(message);
      return answer;
    },
    stop: () =>
      new Promise((done) => {
        child.once("exit", done);
        child.send({ op: "stop" });
      }),
  };
}

if (process.argv[2] === "serve") {
  const { startCluster } = await import(resolve(import.meta.dirname, "../dist/cluster.js"));
  const cluster = await startCluster();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // CPU time from turn to turn tells what this process did, however busy the machine is; waiting costs none.
  let turns = { longest: 0, watched: false };
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const watchTurns = (watched, since = cpu()) => {
    if (!watched.watched) return;
    const now = cpu();
    watched.longest = Math.max(watched.longest, now - since);
    setImmediate(watchTurns, watched, now);
  };
  const operations = {
    async fill({ count, bytes }) {
      const api = cluster.transport();
      const text = "value ".repeat(Math.ceil(bytes / 6)).slice(0, bytes);
      let next = 0;
      const one = async () => {
        while (next < count) {
          const name = `map-${String(next++).padStart(6, "0")}`;
          const body = { metadata: { name, labels: { bench: "yes" } }, data: { text } };
          const headers = { "content-type": "application/json" };
          const answer = await api.send({
            method: "POST",
            path: MAPS,
            headers,
            body: Buffer.from(JSON.stringify(body)),
          });
          for await (const chunk of answer.body) void chunk;
        }
      };
      await Promise.all(Array.from({ length: 32 }, one));
    },
    async reset() {
      globalThis.gc();
      await new Promise((done) => setTimeout(done, 50));
      delay.reset();
      turns = { longest: 0, watched: true };
      watchTurns(turns);
    },
    usage() {
      turns.watched = false;
      return {
        longestTurn: turns.longest,
        // The monitor's own timer is due every millisecond: what it waits is no delay.
        maxDelay: delay.max / 1e6 - 1,
        rss: process.memoryUsage.rss(),
      };
    },
    async stop() {
      await cluster.close();
      process.exit(0);
    },
  };
  process.on("message", async ({ op, ...options }) => process.send((await operations[op](options)) ?? {}));
  process.on("disconnect", () => process.exit(1));
  process.send({ url: cluster.url, token: cluster.token, caCertificate: cluster.caCertificate });
}
