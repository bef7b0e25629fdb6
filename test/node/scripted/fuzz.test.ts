import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { serverLimits } from "../../../src/node/scripted/limits/server-limits.js";
import { seededRandom } from "../../helpers/seeded-random.js";
import { startScripted } from "../../helpers/scripted-container.js";
import { inShortTurns } from "../../helpers/short-turns.js";
import { ScriptGenerator } from "./generated-scripts.js";

/** How many scripts are run; 100,000 take some minutes: KUBETS_FUZZ_SCRIPTS=100000 npx vitest run test/node/scripted/fuzz.test.ts */
const SCRIPTS = Number(process.env["KUBETS_FUZZ_SCRIPTS"] ?? 200);
const SEED = process.env["KUBETS_FUZZ_SEED"] ?? "shell";
/** A script that has not ended after so many turns of the event loop is killed. */
const MOST_TURNS = 3;
const MEMORY = 16 * 1024 * 1024;
/** What the process may grow by while it runs all of them: a container's memory is counted, not measured. */
const MOST_GROWTH = 8 * MEMORY;

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test(`${SCRIPTS} random scripts never hold the event loop for long, and use no more than their container may`, {
  timeout: 3_600_000,
}, async () => {
  const generator = new ScriptGenerator(seededRandom(SEED));
  const limits = serverLimits({ memory: MEMORY });
  const before = used();
  let most = 0;
  for (let index = 0; index < SCRIPTS; index += 1) {
    const script = generator.script();
    try {
      await inShortTurns(() =>
        runBriefly(index % 2 === 0 ? "bash" : "sh", script, limits, () => (most = Math.max(most, limits.memory.used))),
      );
    } catch (error) {
      throw new Error(`script ${index} of seed ${SEED}: ${JSON.stringify(script)}: ${String(error)}`, { cause: error });
    }
  }
  expect(most).toBeLessThanOrEqual(MEMORY);
  expect(used() - before).toBeLessThan(MOST_GROWTH);
});

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
setFlagsFromString("--no-expose-gc");

/** Bytes of the heap and beside it, without garbage. */
function used(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Runs a script in a container of its own until it ends, or for some turns. Nothing is left of it afterwards. */
async function runBriefly(
  shell: string,
  script: string,
  limits: ReturnType<typeof serverLimits>,
  look: () => void,
): Promise<void> {
  const { runtime, started } = await startScripted({ capacity: MEMORY }, {}, limits);
  const errors: string[] = [];
  let hasEnded = false;
  const running = runtime
    .exec(started.id, [shell, "-c", script], {
      stdout: async () => {},
      stderr: async (chunk) => void (errors.length < 1000 && errors.push(Buffer.from(chunk).toString("utf8"))),
      tty: false,
      signal: new AbortController().signal,
    })
    .finally(() => (hasEnded = true));
  for (let turns = 0; turns < MOST_TURNS && !hasEnded; turns += 1) {
    await turn();
    look();
  }
  await runtime.signal(started.id, "SIGKILL");
  expect(Number.isInteger(await running)).toBe(true);
  await started.exited;
  await runtime.remove(started.id);
  // What JavaScript says, and not the shell or a program.
  expect(errors.join("")).not.toMatch(
    /call stack|undefined|is not a function|Invalid (?:array|string|regular expression:)|\bat .*\.ts/,
  );
  expect([limits.memory.used, limits.files.used, limits.processes.used, limits.users.size]).toEqual([0, 0, 0, 0]);
}
