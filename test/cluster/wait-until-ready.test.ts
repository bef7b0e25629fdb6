import { expect, test } from "vitest";
import { systemTimers } from "../../src/base/timers.js";
import type { ClusterHealth } from "../../src/cluster/named/cluster-health.js";
import { waitUntilReady } from "../../src/cluster/named/wait-until-ready.js";

const health = (nodes: number, pods: number): ClusterHealth => ({
  nodes: { all: 2, ready: nodes },
  pods: { all: 1, ready: pods, completed: 3 },
  problems: [],
});
const { signal } = new AbortController();
const timers = systemTimers;

test("a cluster is ready when its nodes and its pods are", async () => {
  const looks = [health(1, 0), health(2, 0), health(2, 1)];
  const states: string[] = [];
  await waitUntilReady("dev", async () => looks.shift() ?? health(0, 0), {
    timers,
    signal,
    onProgress: (state) => states.push(state),
  });
  expect(states).toEqual(["1/2 nodes ready, 0/1 pods ready", "2/2 nodes ready, 0/1 pods ready"]);
  expect(looks).toEqual([]);
});

test("the error after the limit names what is not ready, and the command that shows why", async () => {
  await expect(waitUntilReady("dev", async () => health(2, 0), { timers, signal, limit: 0 })).rejects.toThrow(
    'cluster "dev" is not ready after 0 s: 2/2 nodes ready, 0/1 pods ready; see what is wrong with: kubets cluster status dev',
  );
});

test("an abort ends the wait without an error", async () => {
  await waitUntilReady("dev", async () => health(0, 0), { timers, signal: AbortSignal.abort() });
});
