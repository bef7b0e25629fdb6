import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { realTool } from "../helpers/real-tools.js";
import { type MeantDifference, meantDifferences } from "./meant-differences.js";
import { installOurs, installReal, runSession, type SessionResult } from "./run-session.js";
import { parseSession } from "./session.js";

const folder = join(import.meta.dirname, "sessions");
const only = process.env.PARITY_SESSION;
const sessions = readdirSync(folder)
  .filter((file) => file.endsWith(".txtar") && (only === undefined || file.includes(only)))
  .map((file) => parseSession(file.replace(/\.txtar$/, ""), readFileSync(join(folder, file), "utf8")));

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`parity is skipped: ${kubectl.missing}\n`);

describe.skipIf(kubectl.missing !== undefined)("kubets answers as kubectl 1.36.3 does", () => {
  const used = new Set<MeantDifference>();
  let lines = 0;
  let wrong = 0;

  for (const session of sessions) {
    test(session.name, { timeout: 300_000 }, async () => {
      const [real, ours] = await Promise.all([
        runSession(session, installReal(kubectl.path)),
        runSession(session, installOurs),
      ]);
      lines += real.steps.length;
      wrong += real.steps.filter((step) => step.code !== 0).length;
      expect(comparable(ours, used)).toEqual(comparable(real, used));
    });
  }

  afterAll(() => {
    process.stdout.write(`parity: ${lines} command lines by both, ${wrong} of them wrong ones\n`);
  });

  test.skipIf(only !== undefined)(
    "at least 200 command lines, at least 60 of them wrong, and every meant difference is needed",
    () => {
      expect(lines).toBeGreaterThanOrEqual(200);
      expect(wrong).toBeGreaterThanOrEqual(60);
      expect(meantDifferences.filter((difference) => !used.has(difference)).map(({ name }) => name)).toEqual([]);
    },
  );
});

function comparable(result: SessionResult, used: Set<MeantDifference>): object {
  const rewrite = (text: string): string =>
    meantDifferences.reduce((before, difference) => {
      const after = difference.rewrite(before);
      if (after !== before) used.add(difference);
      return after;
    }, text);
  return {
    steps: result.steps.map((step) => ({
      command: step.command,
      code: step.code,
      stdout: rewrite(step.stdout),
      stderr: rewrite(step.stderr),
      requests: step.requests.map(rewrite),
    })),
    objects: Object.fromEntries(result.objects),
  };
}
