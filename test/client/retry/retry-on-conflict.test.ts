import { afterAll, beforeAll, expect, test } from "vitest";
import { isConflict, kubernetesClient, type KubernetesClient, loadConfig } from "../../../src/client/index.js";
import { DEFAULT_BACKOFF, retryOnConflict } from "../../../src/client/retry/retry-on-conflict.js";
import { startCluster } from "../../../src/cluster/index.js";
import { conflict, forbidden } from "../../../src/machinery/errors/status-error.js";

let cluster: Awaited<ReturnType<typeof startCluster>>;
let client: KubernetesClient;
beforeAll(async () => {
  cluster = await startCluster({ port: false, storage: "memory" });
  const config = await loadConfig({ server: "https://in-process.invalid", token: cluster.token, env: {} });
  client = kubernetesClient(config, { transport: cluster.transport() });
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

/** Random bytes are all zero: no jitter. The pauses that were asked for, which take no time. */
function recorded() {
  const pauses: number[] = [];
  const timers = {
    start(milliseconds: number, callback: () => void) {
      pauses.push(milliseconds);
      queueMicrotask(callback);
      return () => {};
    },
  };
  return { pauses, timers, random: { bytes: (length: number) => new Uint8Array(length) } };
}

const pods = { group: "", resource: "pods" };
const alwaysConflict = () => {
  let tries = 0;
  const attempt = () => Promise.reject(conflict(pods, "web", `try ${(tries += 1)}`));
  return { attempt, tries: () => tries };
};

test("retryOnConflict() lets several writers of one object all succeed, each upon the others' changes", async () => {
  const maps = client.resource({ group: "", version: "v1", resource: "configmaps" }).namespace("default");
  await maps.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "counter" }, data: { n: "0" } });
  const raise = () =>
    retryOnConflict(
      async () => {
        const current = await maps.get("counter");
        const { n } = current["data"] as { n: string };
        await maps.update({ ...current, data: { n: String(Number(n) + 1) } });
      },
      { backoff: { steps: 100, duration: 1, factor: 1, jitter: 1 } },
    );
  await Promise.all(Array.from({ length: 10 }, raise));
  expect((await maps.get("counter"))["data"]).toEqual({ n: "10" });
});

test("retryOnConflict() rejects with the last conflict after five tries ten milliseconds apart", async () => {
  const { pauses, ...surroundings } = recorded();
  const { attempt, tries } = alwaysConflict();
  await expect(retryOnConflict(attempt, surroundings)).rejects.toThrow("try 5");
  expect([tries(), pauses]).toEqual([5, [10, 10, 10, 10]]);
});

test("retryOnConflict() with DEFAULT_BACKOFF waits five times as long each time", async () => {
  const { pauses, ...surroundings } = recorded();
  const { attempt } = alwaysConflict();
  const retried = retryOnConflict(attempt, { backoff: DEFAULT_BACKOFF, ...surroundings });
  await expect(retried).rejects.toSatisfy(isConflict);
  expect(pauses).toEqual([10, 50, 250]);
});

test("retryOnConflict() lengthens its waits by up to the jitter", async () => {
  const { pauses, timers } = recorded();
  const { attempt } = alwaysConflict();
  const random = { bytes: (length: number) => new Uint8Array(length).fill(255) };
  await expect(retryOnConflict(attempt, { timers, random })).rejects.toSatisfy(isConflict);
  for (const pause of pauses) expect(pause).toBeCloseTo(11, 4);
});

test("retryOnConflict() rejects with any other error at once", async () => {
  let tries = 0;
  const attempt = () => Promise.reject(forbidden(pods, "web", `try ${(tries += 1)}`));
  await expect(retryOnConflict(attempt)).rejects.toThrow("try 1");
});

test("retryOnConflict() ends with its signal's reason", async () => {
  const stop = new AbortController();
  const attempt = () => {
    stop.abort(new Error("enough"));
    return Promise.reject(conflict(pods, "web", "changed"));
  };
  await expect(retryOnConflict(attempt, { signal: stop.signal })).rejects.toThrow("enough");
});
