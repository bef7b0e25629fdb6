import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Lets the parent ask what this process has cost: CPU in microseconds since its start, resident bytes. Asked for `held`, it collects
 * garbage first and tells what is left in and beside the heap.
 */
export function answerUsage() {
  process.on("message", (message) => {
    if (message.op !== "usage") return;
    if (message.held === true) collectGarbage();
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed, external } = process.memoryUsage();
    process.send({ usage: { cpu: user + system, rss, held: heapUsed + external } });
  });
}

function collectGarbage() {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  // What was waiting to be finalized goes in a later round.
  for (let round = 0; round < 3; round++) collect();
}
