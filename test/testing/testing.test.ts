import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { isReady } from "../../src/testing/readiness.js";

const suites = join(import.meta.dirname, "suites");

/** What a suite prints, without colours, and its exit code. */
async function run(...words: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined, NODE_V8_COVERAGE: undefined, VITEST: undefined };
  const child = spawn(process.execPath, words, { cwd: suites, env: { ...env, NODE_TEST_CONTEXT: undefined } });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, output };
}

test("kubets/vitest gives tests a cluster, and a failing test prints what is not ready and why", async () => {
  const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  const { code, output } = await run(vitest, "run", "--reporter=verbose");
  expect(code).toBe(1);
  expect(output).toContain("2 failed | 2 passed");
  expect(output).toContain("NotReadyError: Pod web is not ready after 2500 ms: Ready=False (ContainersNotReady:");
  expect(output).toMatch(
    /pod\/web is not ready: ContainersNotReady: .*\n {2}conditions: Ready=False .*\n {2}container web: running, not ready\n {4}its last lines:\n {6}last words\n {2}events:\n(?: {4}.*\n)* {4}Warning Unhealthy/,
  );
  expect(output).toMatch(
    /AssertionError: expected 1 to be 2 .*\n\npod\/web is not ready: Unschedulable: 0\/1 nodes are available.*\n {2}conditions: PodScheduled=False/,
  );
});

test("kubets/node-test gives tests of node:test a cluster, and a failing test prints what is not ready and why", async () => {
  const { code, output } = await run("--test", "--test-reporter=spec", "node-suite.mjs");
  expect(code).toBe(1);
  expect(output).toContain("✔ a kind of a file");
  expect(output).toMatch(/1 !== 2\n[\s\S]*deployment\.apps\/web is not ready: /);
});

describe("isReady()", () => {
  const pod = (status: object) => ({ apiVersion: "v1", kind: "Pod", status });
  const job = (...conditions: object[]) => ({ apiVersion: "batch/v1", kind: "Job", status: { conditions } });
  test.each([
    [{ apiVersion: "v1", kind: "ConfigMap" }, true],
    [pod({ phase: "Pending" }), false],
    [pod({ phase: "Running", conditions: [{ type: "Ready", status: "True" }] }), true],
    [pod({ phase: "Running", conditions: [{ type: "Ready", status: "False" }] }), false],
    [pod({ phase: "Succeeded" }), true],
    [job(), false],
    [job({ type: "Complete", status: "True" }), true],
    [{ apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } }, false],
    [{ apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Bound" } }, true],
    [{ apiVersion: "v1", kind: "Namespace", status: { phase: "Terminating" } }, false],
    [
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { generation: 2 }, status: { observedGeneration: 1 } },
      false,
    ],
    [{ apiVersion: "a/v1", kind: "Own", status: { conditions: [{ type: "Ready", status: "Unknown" }] } }, false],
    [{ apiVersion: "a/v1", kind: "Own", status: { conditions: [{ type: "Degraded", status: "False" }] } }, true],
    [{ apiVersion: "a/v1", kind: "Own", metadata: { generation: 2 }, status: { observedGeneration: 1 } }, false],
  ])("of %j is %j", (object, ready) => {
    expect(isReady(object)).toBe(ready);
  });

  test("throws for an object that has finally failed", () => {
    expect(() => isReady(pod({ phase: "Failed", reason: "Evicted", message: "no room" }))).toThrow(
      "the pod has failed: Evicted: no room",
    );
    expect(() => isReady(job({ type: "Failed", status: "True", reason: "BackoffLimitExceeded" }))).toThrow(
      "the Job has failed: BackoffLimitExceeded",
    );
  });
});
