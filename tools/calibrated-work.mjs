// Measures how fast this thread is at this moment, so that a limit on CPU time holds on every machine: "50 calibrated milliseconds"
// are as much work as the reference machine does in 50 ms, whether it takes a slower or a busier machine 40 ms or 400.
import { readFileSync } from "node:fs";

/**
 * What {@link workload} took the reference machine, two cores of a virtual server of 2026 with nothing beside it, in ms. It is shorter
 * than the system's time slices, so that on a busy machine too some runs are not interrupted.
 */
const REFERENCE_MILLISECONDS = 0.25;
/** Runs of the workload in one measurement, and how many of them may be faster than the one that counts. */
const [RUNS, FASTER] = [16, 3];

const OBJECT = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [`field-${at}`, { name: `n${at}`, values: [at, at] }]),
);

/** What servers do most: writes and reads JSON, makes objects, looks names up and joins text. */
function workload() {
  let length = 0;
  for (let round = 0; round < 6; round++) {
    const copy = JSON.parse(JSON.stringify(OBJECT));
    const byName = new Map();
    for (const [field, { name, values }] of Object.entries(copy)) byName.set(`${field}/${name}`, [...values, round]);
    for (const [key, values] of byName) length += key.split("/").length + values.length;
  }
  return length;
}

// The first runs are those of code that is not compiled yet.
for (let run = 0; run < 200; run++) workload();

/**
 * How many milliseconds of CPU time this thread needs now for what the reference machine does in one; takes about 4 ms. By the
 * clock, because Linux counts the CPU time of a running thread by ticks: a fast one of many short runs is one without an interruption.
 */
export function measurePace() {
  const took = Array.from({ length: RUNS }, () => {
    const began = performance.now();
    workload();
    return performance.now() - began;
  }).sort((a, b) => a - b);
  return took[FASTER] / REFERENCE_MILLISECONDS;
}

/** CPU time of this thread where Linux tells it, else of the whole process, which is more. */
export function cpuMilliseconds() {
  try {
    const [running = "0"] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ");
    return Number(running) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}
