import { afterAll, beforeAll, expect, test } from "vitest";
import { buildWriter } from "../durability/writer-process.js";
import { LONGEST_TURN, Runner } from "./runner.js";

const REQUESTS = Number(process.env["KUBETS_HOSTILE_REQUESTS"] ?? 10_000);
/** KUBETS_HOSTILE_SEED plays a run again that failed; "any" plays one that nobody has seen, to look for faults. */
const ASKED = process.env["KUBETS_HOSTILE_SEED"] ?? "303";
const SEED = ASKED === "any" ? String(Math.floor(Math.random() * 2 ** 30)) : ASKED;
const MEGABYTE = 2 ** 20;

let program: Awaited<ReturnType<typeof buildWriter>>;
let runner: Runner;

beforeAll(async () => {
  program = await buildWriter("server-process", "test/hostile");
  runner = await Runner.start(program.script);
});

afterAll(async () => {
  await runner?.stop();
  await program?.remove();
});

test("a server refuses hostile requests with errors, and keeps serving", { timeout: 1_800_000, retry: 0 }, async () => {
  const { problems, longestTurn, heapBefore, heapAfter, codes, sent } = await runner.run(SEED, REQUESTS);
  if (process.env["KUBETS_HOSTILE_REPORT"] !== undefined) {
    const counts = [...codes].toSorted(([a], [b]) => a - b).map(([code, count]) => `${code}: ${count}`);
    const grown = ((heapAfter - heapBefore) / MEGABYTE).toFixed(1);
    process.stdout.write(
      `seed ${SEED}: ${sent} requests, longest turn ${longestTurn.toFixed(0)} ms, heap ${grown} MB more; ${counts.join(", ")}\n`,
    );
  }
  const shown = problems.slice(0, Number(process.env["KUBETS_HOSTILE_SHOWN"] ?? 20)).join("\n");
  expect(problems.length, `KUBETS_HOSTILE_SEED=${SEED} plays this again; ${problems.length} problems:\n${shown}`).toBe(
    0,
  );
  expect(longestTurn).toBeLessThanOrEqual(LONGEST_TURN);
  // With what the history of events keeps for watchers, which is bounded.
  expect(heapAfter - heapBefore).toBeLessThan(10 * MEGABYTE);
});
