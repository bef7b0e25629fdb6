import { createInterface } from "node:readline";

/**
 * Runs an informer and measures this process. Its last argument is how many objects there are; the answers are lines of JSON on stdout:
 *
 * - at once: what it cost until the handler was called for every object: `milliseconds`, `cpu` (milliseconds), `rss`;
 *   after two collections of garbage `heap` (V8's and what it holds outside, or Go's HeapInuse) and `settledRss`; `objects` in the cache. Sizes are in bytes.
 * - to a line `count N` on stdin: `counting`, and when the handler was called N times more: `milliseconds` from the first to
 *   the last of these calls, `cpu` since the line came.
 *
 * The process ends with its input. `start(handled)` starts the informer, which calls `handled` for every object and change.
 * It returns a function that counts the objects in its cache.
 */
export async function measureFollower(start) {
  // Also in the middle of a count: the parent may be gone.
  process.stdin.once("end", () => process.exit(0));
  let calls = 0;
  let wanted = Number(process.argv.at(-1));
  let first = 0;
  let finish;
  const handled = () => {
    calls += 1;
    if (calls === 1) first = performance.now();
    if (calls === wanted) finish(performance.now() - first);
  };
  const reached = () => new Promise((resolve) => (finish = resolve));

  const all = reached();
  const cpu = cpuMilliseconds();
  const started = performance.now();
  const objects = await start(handled);
  await all;
  const cost = { milliseconds: performance.now() - started, cpu: cpuMilliseconds() - cpu };
  const rss = process.memoryUsage.rss();
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external, rss: settledRss } = process.memoryUsage();
  say({ ...cost, rss, settledRss, heap: heapUsed + external, objects: objects() });

  for await (const line of createInterface({ input: process.stdin })) {
    calls = 0;
    wanted = Number(line.slice("count ".length));
    const changes = reached();
    const before = cpuMilliseconds();
    say({ counting: wanted });
    say({ milliseconds: await changes, cpu: cpuMilliseconds() - before });
  }
}

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

function cpuMilliseconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
