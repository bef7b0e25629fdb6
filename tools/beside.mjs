// Runs a command line, and others one after the other beside it at a lower priority, which take the time that it waits.
//   node tools/beside.mjs "vitest run" "npm run typecheck" "npm run lint"
// What the others print is printed when they end. It exits when all have ended: with the first's code, and where that is 0 with
// the first code of the others that is not.
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";

const [first, ...others] = process.argv.slice(2);
const running = exitCodeOf(spawn(first, { shell: true, stdio: "inherit" }));
// Processes have the priority of the one that starts them. At the lowest, they would never end beside other busy programs.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
let code = 0;
for (const line of others) code ||= await quietly(line);
process.exitCode = (await running) || code;

async function quietly(line) {
  const child = spawn(line, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  const printed = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => printed.push(bytes));
  const ended = await exitCodeOf(child);
  process.stdout.write(`\n${line}${ended === 0 ? "" : ` ended with ${ended}`}\n${Buffer.concat(printed)}\n`);
  return ended;
}

/** Of a process that a signal ended, 1. */
function exitCodeOf(child) {
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (ended) => done(ended ?? 1));
  });
}
