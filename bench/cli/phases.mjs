// Where the time of small commands goes: medians of each phase of a command's life, on each Node.
//   npm run bench:cli -- --phases        ROUNDS=20
// runtime: until Node runs the first line of ours. load: until the kubeconfig is read. configuration: until a connection is
// asked for. dial, tls: until each is there. request: until the last request is written, discovery and other requests before
// it included. answer: until its last byte is read. print: until the process ends.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { node24 } from "../node-24.mjs";
import { median } from "../server/statistics.mjs";

const HOOK = join(import.meta.dirname, "phases-hook.cjs");
const BIN = join(import.meta.dirname, "../../bin/kubets.js");

/**
 * @param {readonly { name: string, words: readonly string[] }[]} measures
 * @param {NodeJS.ProcessEnv} env With the KUBECONFIG of a server, and a HOME for discovery's cache.
 * @param {number} rounds
 */
export async function printPhases(measures, env, rounds) {
  for (const [runtime, node] of [
    [`node ${process.version.slice(1).split(".")[0]}`, process.execPath],
    ["node 24", node24()],
  ]) {
    for (const { name, words } of measures) {
      const runs = [];
      for (let round = -1; round < rounds; round++) {
        const times = await runOnce(node, words, env);
        if (round >= 0) runs.push(times);
      }
      process.stdout.write(`${`${runtime}, ${name}`.padEnd(34)} ${phasesOf(runs)}\n`);
    }
  }
}

async function runOnce(node, words, env) {
  const child = spawn(node, ["--require", HOOK, BIN, ...words], {
    env,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stdio[3].setEncoding("utf8").on("data", (chunk) => (text += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}`);
  return JSON.parse(text);
}

/** "runtime 45.2  load 12.1  ...  of 93.0 ms" */
function phasesOf(runs) {
  const [first] = runs;
  const ends = Object.keys(first).map((phase) => [phase, median(runs.map((times) => times[phase]))]);
  ends.sort(([, a], [, b]) => a - b);
  const parts = ends.map(([phase, end], index) => `${phase} ${(end - (ends[index - 1]?.[1] ?? 0)).toFixed(1)}`);
  return `${parts.join("  ")}  of ${ends.at(-1)[1].toFixed(1)} ms`;
}
