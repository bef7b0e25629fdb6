import { expect, onTestFinished, test } from "vitest";
import { configFromText, kubernetesClient } from "../../src/client/index.js";
import type { Transport } from "../../src/client/transport/transport.js";
import { type ClusterOptions, manualClock, seededRandom, startCluster } from "../../src/cluster/index.js";
import { waitUntilReady, type WaitUntilReadyOptions } from "../../src/cluster/named/wait-until-ready.js";
import { call } from "../helpers/api-caller.js";

const START = "2026-03-01T12:00:00Z";
const PODS = "/api/v1/namespaces/default/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const MINUTES_5 = 300_000;

/** A cluster whose time is driven, and a wait on its clock. */
async function drivenCluster(options: ClusterOptions = {}) {
  const time = manualClock(START);
  const cluster = await startCluster({
    port: false,
    nodes: 1,
    ...options,
    clock: time,
    random: seededRandom("a seed"),
  });
  onTestFinished(() => cluster.close());
  const api = cluster.transport();
  const sent: string[] = [];
  const counting: Transport = {
    ...api,
    send: (request) => (sent.push(request.path), api.send(request)),
    close: () => api.close(),
  };
  const surroundings = { clock: time, timers: time, random: seededRandom("a client") };
  const create = async (path: string, body: object): Promise<void> => {
    const answer = await call(api, "POST", path, body);
    expect([answer.status, answer.status === 201 ? "" : answer.text]).toEqual([201, ""]);
  };
  /** Waits, and notes what is shown and how it ends. */
  const wait = ({ user, ...more }: Partial<WaitUntilReadyOptions> & { readonly user?: string } = {}) => {
    const headers = user === undefined ? {} : { "impersonate-user": user };
    const client = kubernetesClient({ transport: () => counting }, { ...surroundings, headers });
    onTestFinished(() => client.close());
    const shown: string[] = [];
    const lines: string[] = [];
    const seen = { shown, lines, end: undefined as string | undefined };
    const ended = waitUntilReady('cluster "dev"', client, {
      ...surroundings,
      began: 0,
      failedJobs: false,
      signal: new AbortController().signal,
      timeout: MINUTES_5,
      onProgress: (state) => void shown.push(state),
      say: (line) => void lines.push(line),
      ...more,
    }).then(
      () => "ready",
      (error: unknown) => String(error),
    );
    void ended.then((end) => (seen.end = end));
    return Object.assign(seen, { ended });
  };
  return { cluster, api, create, wait, sent };
}

const podSpec = (stages: object, more: object = {}) => ({
  metadata: { labels: { app: "web" }, annotations: { "kubets.dev/stages": JSON.stringify({ "*": stages }) } },
  spec: {
    containers: [{ name: "main", image: "i", readinessProbe: { exec: { command: ["true"] }, periodSeconds: 1 } }],
    ...more,
  },
});
const pod = (name: string, stages: object, more: object = {}) => {
  const { metadata, spec } = podSpec(stages, more);
  return { metadata: { ...metadata, name }, spec };
};
const job = (name: string, stages: object) => ({
  metadata: { name },
  spec: { backoffLimit: 0, template: podSpec(stages, { restartPolicy: "Never" }) },
});

test("waiting until a cluster is ready ends when the Deployment's pods are ready, also those created later, and Jobs have completed", async () => {
  const { cluster, create, wait, sent } = await drivenCluster();
  await create(DEPLOYMENTS, {
    metadata: { name: "web" },
    spec: { replicas: 8, selector: { matchLabels: { app: "web" } }, template: podSpec({ readyAfter: "20s" }) },
  });
  await create(JOBS, job("sum", { exit: { after: "40s" } }));
  const seen = wait();
  await cluster.clock.advance("19s");
  expect([seen.end, seen.shown.at(-1)]).toEqual([undefined, "0 of 9 pods ready"]);
  await cluster.clock.advance("11s");
  expect([seen.end, seen.shown.at(-1)]).toEqual([undefined, "8 of 9 pods ready"]);
  await cluster.clock.advance("30s");
  expect([seen.end, seen.lines]).toEqual(["ready", []]);
  // A list and a watch of each of seven kinds, and seven lists to be sure of it.
  expect(sent.length).toBeLessThanOrEqual(21);
});

test("waiting until a cluster is ready gives up after 30 seconds on a pod that no node takes, with a line and a reason for each pod", async () => {
  const { cluster, create, wait } = await drivenCluster();
  const volumes = [{ name: "v", configMap: { name: "missing" } }];
  const volumeMounts = [{ name: "v", mountPath: "/v" }];
  await create(PODS, pod("huge", {}, { nodeSelector: { disk: "tape" } }));
  await create(PODS, pod("late", { readyAfter: "never" }));
  await create(PODS, pod("unmounted", {}, { volumes, containers: [{ name: "main", image: "i", volumeMounts }] }));
  await create(PODS, pod("fine", {}));
  const seen = wait();
  await cluster.clock.advance("29s");
  expect([seen.end, seen.shown.at(-1)]).toEqual([undefined, "1 of 4 pods ready"]);
  await cluster.clock.advance("2s");
  expect(seen.end).toBe('NamedClusterError: cluster "dev" cannot become ready as it is: 1 of 4 pods ready');
  expect(seen.lines).toEqual([
    expect.stringMatching(/^pod\/huge in namespace default: Unschedulable: 0\/1 nodes are available: /),
    expect.stringMatching(
      /^pod\/late in namespace default: ContainersNotReady: containers with unready status: \[main\]; Readiness probe failed/,
    ),
    'pod/unmounted in namespace default: ContainerCreating: container "main"; MountVolume.SetUp failed for volume "v" : configmap "missing" not found',
  ]);
});

test("waiting until a cluster is ready gives up on a container that crashes repeatedly, and waits for one that recovers", async () => {
  const { cluster, create, wait } = await drivenCluster();
  await create(PODS, pod("recovers", { crashes: { runs: 2, after: "1s" } }));
  const first = wait();
  await cluster.clock.advance("2m");
  expect(first.end).toBe("ready");
  await create(PODS, pod("crashes", { crashes: { runs: 1000, after: "1s", code: 7 }, readyAfter: "1m" }));
  const second = wait();
  await cluster.clock.advance("20s");
  expect(second.end).toBe(undefined);
  await cluster.clock.advance("30s");
  expect(second.lines).toEqual([
    expect.stringMatching(
      /^pod\/crashes in .* CrashLoopBackOff: container "main": back-off .*; it last exited with code 7$/,
    ),
  ]);
});

test("waiting until a cluster is ready ends at its time limit with the pods that are not ready, checks once without time, and ends at once with an abort", async () => {
  const { cluster, create, wait } = await drivenCluster();
  await create(PODS, pod("late", { readyAfter: "never" }));
  const ending = new AbortController();
  const aborted = wait({ signal: ending.signal, onProgress: () => ending.abort() });
  expect([await aborted.ended, aborted.lines]).toEqual(["ready", []]);
  const once = wait({ timeout: 0 });
  expect(await once.ended).toBe('NamedClusterError: cluster "dev" is not ready: 0 of 1 pods ready');
  const seen = wait({ timeout: 90_000 });
  await cluster.clock.advance("89s");
  expect(seen.end).toBe(undefined);
  await cluster.clock.advance("2s");
  expect([seen.end, seen.lines.length]).toEqual([
    'NamedClusterError: cluster "dev" is not ready after 1m30s: 0 of 1 pods ready',
    1,
  ]);
});

test("waiting until a cluster is ready ends at once at a failed Job when Jobs are included", async () => {
  const { cluster, create, wait } = await drivenCluster();
  await create(JOBS, job("sum", { exit: { after: "1s", code: 3 } }));
  const counted = wait({ failedJobs: true });
  await cluster.clock.advance("10s");
  expect([counted.end, counted.lines]).toEqual([
    'NamedClusterError: cluster "dev" cannot become ready as it is: 0 of 0 pods ready',
    ["job.batch/sum in namespace default: BackoffLimitExceeded: Job has reached the specified backoff limit"],
  ]);
  expect(await wait().ended).toBe("ready");
});

test("waiting until a cluster is ready escapes the cluster's texts in one line, and ends at once when it may not list pods", async () => {
  const { cluster, create, wait } = await drivenCluster();
  await create(PODS, pod("web", { pullFailure: { message: "first\nsecond\u001b[31m" } }));
  const seen = wait();
  await cluster.clock.advance("40s");
  expect(seen.lines).toEqual([expect.stringMatching(/^pod\/web .*first second\^\[\[31m/)]);
  expect(await wait({ user: "jane" }).ended).toMatch(
    /^NamedClusterError: cluster "dev" cannot be waited for: .*forbidden: User "jane" cannot list resource /,
  );
});

test("waiting until a cluster is ready ends when the server ends", async () => {
  const cluster = await startCluster({ controllers: false, nodes: 1 });
  onTestFinished(() => cluster.close());
  const client = kubernetesClient(await configFromText(cluster.kubeconfig()));
  onTestFinished(() => client.close());
  expect((await call(cluster.transport(), "POST", "/api/v1/nodes", { metadata: { name: "silent" } })).status).toBe(201);
  const ended = waitUntilReady('cluster "dev"', client, {
    began: 0,
    failedJobs: false,
    signal: new AbortController().signal,
    timeout: MINUTES_5,
    onProgress: () => void cluster.close(),
    say: () => {},
  });
  await expect(ended).rejects.toThrow(/^cluster "dev" does not answer any more: .*connection refused$/);
});
