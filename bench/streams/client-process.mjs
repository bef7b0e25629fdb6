import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const SAMPLE_MS = 20;
/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/**
 * Starts a client and watches what it costs. `ended` resolves with its wall and CPU time in milliseconds and the megabytes that it had
 * resident at most, and rejects when it fails.
 */
export function startClient([file, ...args], { env, stdin = "ignore", stdout = "pipe" }) {
  const started = performance.now();
  const child = spawn(file, args, { env, stdio: [stdin, stdout, "pipe"] });
  const cost = { wall: 0, cpu: 0, rss: 0 };
  const sample = () => Object.assign(cost, costOf(child.pid));
  const sampling = setInterval(sample, SAMPLE_MS);
  let errors = "";
  child.stderr.on("data", (text) => (errors += text));
  const ended = new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => {
      cost.wall = performance.now() - started;
      clearInterval(sampling);
    });
    child.on("close", (code, signal) => {
      if (code === 0 || signal === "SIGINT" || code === 130) resolve(cost);
      else reject(new Error(`${[file, ...args].join(" ")} ended with ${code ?? signal}: ${errors}`));
    });
  });
  return { child, ended, sample };
}

/** Nothing once the process is gone. */
function costOf(pid) {
  try {
    const [, resident] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    const cpu = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    return resident === undefined ? {} : { rss: Number(resident) / 1024, cpu };
  } catch {
    return {};
  }
}
