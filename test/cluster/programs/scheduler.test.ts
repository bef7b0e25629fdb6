import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kubeScheduler } from "../../../src/cluster/scheduler/component.js";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { eventually } from "../../helpers/eventually.js";
import { freePorts } from "../../helpers/free-ports.js";
import { httpsText } from "../../helpers/https-text.js";
import { type BareServer, beginComponent, type RunningComponent, startBareServer } from "./running-component.js";

const component = kubeScheduler("kubets scheduler", "Kubernetes v1.36.3");

let server: BareServer;
let client: KubernetesClient;
beforeAll(async () => {
  server = await startBareServer();
  client = kubernetesClient(server.cluster);
  await client
    .of("v1", "ServiceAccount")
    .namespace("default")
    .create({ metadata: { name: "default" } } as never);
  for (const name of ["node-a", "node-b"]) {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name } } as const;
    await client.of("v1", "Node").create(node);
    const allocatable = { cpu: "4", memory: "8Gi", pods: "110" };
    await client
      .of("v1", "Node")
      .patchStatus(name, { status: { capacity: allocatable, allocatable } }, { type: "merge" });
    await client.of("v1", "Node").patch(name, { spec: { taints: [] } }, { type: "merge" });
  }
});
afterAll(async () => {
  await client.close();
  await server[Symbol.asyncDispose]();
});

const begin = (...args: string[]): RunningComponent => beginComponent(component, ["--secure-port=0", ...args]);
const connected = (...args: string[]): RunningComponent => begin(`--kubeconfig=${server.kubeconfig}`, ...args);
const configured = (text: string): string => {
  const path = join(server.folder, "scheduler.yaml");
  writeFileSync(path, text);
  return `--config=${path}`;
};
const HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

const createPod = (name: string, spec: object = {}) =>
  client
    .of("v1", "Pod")
    .namespace("default")
    .create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: {
        containers: [{ name: "main", image: "nginx", resources: { requests: { cpu: "100m" } } }],
        ...spec,
      },
    });
const nodeOf = (name: string): Promise<string> =>
  eventually(async () => {
    const { spec } = await client.of("v1", "Pod").namespace("default").get(name);
    expect(spec?.nodeName).toBeTruthy();
    return spec?.nodeName ?? "";
  });

test("scheduler --help has kube-scheduler's sections", async () => {
  const program = beginComponent(component, ["--help"]);
  expect(await program.ended).toBe(0);
  expect([...program.out().matchAll(/^(.+) flags:$/gm)].map(([, name]) => name)).toEqual([
    "Misc",
    "Secure serving",
    "Authentication",
    "Authorization",
    "Deprecated",
    "Leader election",
    "Feature gate",
    "Metrics",
    "Logs",
    "Global",
  ]);
});

test("SCD-3, ARC-15: scheduler reports all faults of its flags in one message on stderr with code 1, and starts nothing", async () => {
  const program = beginComponent(component, ["--secure-port=70000", "--leader-elect-lease-duration=1s"]);
  expect(await program.ended).toBe(1);
  const port = "--secure-port 70000 must be between 0 and 65535, inclusive. 0 for turning off secure port";
  expect(program.log()).toContain(`[${port}, leaseDuration must be greater than renewDeadline]`);
  expect(program.out()).toBe("");
});

test.each([
  ["--policy-config-file=policy.json", "--policy-config-file is not supported: Kubernetes has dropped it"],
  ["--policy-configmap=policy", "--policy-configmap is not supported: Kubernetes has dropped it"],
  [
    "--algorithm-provider=ClusterAutoscalerProvider",
    "--algorithm-provider is not supported: Kubernetes has dropped it",
  ],
  ["--scheduler-name=own", "--scheduler-name is not supported: Kubernetes has dropped it"],
])("SCD-5: scheduler refuses %s, an algorithm source that Kubernetes has dropped", async (flag, message) => {
  const program = begin(flag);
  expect(await program.ended).toBe(1);
  expect(program.log()).toContain(message);
});

test("SCD-1, SCD-5: scheduler serves health, schedules once it leads, and warns about a dropped flag", async () => {
  const [port = 0] = await freePorts(1);
  const held = { holderIdentity: "another", leaseDurationSeconds: 3600, renewTime: "2026-01-01T00:00:00.000000Z" };
  const leases = client.of("coordination.k8s.io/v1", "Lease").namespace("kube-system");
  const metadata = { name: "held" };
  await leases.create({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: held } as never);
  const program = connected(
    `--secure-port=${port}`,
    "--algorithm-provider=DefaultProvider",
    "--lock-object-name=kube-scheduler",
    "--leader-elect-resource-name=held",
    "--leader-elect-retry-period=100ms",
  );
  await eventually(async () => expect((await httpsText(`https://127.0.0.1:${port}/healthz`)).text).toBe("ok"));
  await createPod("waits-for-the-term");
  expect(program.log()).not.toContain("Starting Kubernetes Scheduler");
  await leases.patch("held", { spec: { holderIdentity: "" } }, { type: "merge" });
  await nodeOf("waits-for-the-term");
  const steps = [
    "Serving securely",
    "Attempting to acquire leader lease",
    "Successfully acquired lease",
    "Starting Kubernetes Scheduler",
  ];
  const places = steps.map((step) => program.log().indexOf(step));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  expect(program.log()).toContain(
    "--lock-object-name has no effect: Kubernetes has dropped it, use --leader-elect-resource-name",
  );
  expect(await program.stop()).toBe(0);
});

test("SCD-8: scheduler serves /healthz to everybody, and neither metrics nor profiles", async () => {
  const [port = 0] = await freePorts(1);
  const program = connected(`--secure-port=${port}`, "--leader-elect=false");
  const get = (path: string) => httpsText(`https://127.0.0.1:${port}${path}`);
  await eventually(async () => expect(await get("/healthz")).toEqual({ status: 200, text: "ok" }));
  for (const path of ["/metrics", "/debug/pprof/"]) expect((await get(path)).status).toBe(403);
  await program.stop();
});

test("scheduler binds pods over the network", async () => {
  const program = connected("--leader-elect=false");
  await createPod("plain");
  expect(["node-a", "node-b"]).toContain(await nodeOf("plain"));
  expect(await program.stop()).toBe(0);
});

test("scheduler releases its Lease when it stops", async () => {
  const program = connected("--leader-elect-resource-name=given-up");
  await eventually(() => expect(program.log()).toContain('"Starting Kubernetes Scheduler"'));
  expect(await program.stop()).toBe(0);
  expect(program.log()).toContain('"Requested to terminate, exiting"');
  const { spec } = await client.of("coordination.k8s.io/v1", "Lease").namespace("kube-system").get("given-up");
  expect(spec?.holderIdentity ?? "").toBe("");
});

test("scheduler is ready on /readyz once it knows the nodes and pods", async () => {
  const [port = 0] = await freePorts(1);
  const program = connected(`--secure-port=${port}`, "--leader-elect=false");
  const ready = await eventually(async () => {
    const answer = await httpsText(`https://127.0.0.1:${port}/readyz?verbose`);
    expect(answer.status).toBe(200);
    return answer.text;
  });
  expect(ready).toBe("[+]ping ok\n[+]sched-handler-sync ok\nreadyz check passed\n");
  await program.stop();
});

describe("the configuration file of scheduler --config", () => {
  const connection = () => `clientConnection: {kubeconfig: ${JSON.stringify(server.kubeconfig)}}\n`;

  test("names the kubeconfig, the election and the profiles", async () => {
    const program = begin(
      configured(
        `${HEAD}${connection()}leaderElection: {leaderElect: true, resourceName: from-file}\nprofiles: [{schedulerName: own}]\n`,
      ),
    );
    await createPod("of-own", { schedulerName: "own" });
    await createPod("of-default");
    await nodeOf("of-own");
    expect((await client.of("v1", "Pod").namespace("default").get("of-default")).spec?.nodeName).toBeUndefined();
    expect(program.log()).toContain('lock="kube-system/from-file"');
    await program.stop();
  });

  test("switches plugins off at single extension points", async () => {
    await client.of("v1", "Node").patch("node-a", { spec: { unschedulable: true } }, { type: "merge" });
    const program = begin(
      configured(
        `${HEAD}${connection()}leaderElection: {leaderElect: false}\nprofiles:\n- schedulerName: careless\n  plugins:\n    filter: {disabled: [{name: NodeUnschedulable}]}\n`,
      ),
    );
    await createPod("careless", {
      schedulerName: "careless",
      nodeSelector: { "kubernetes.io/hostname": "a" },
      tolerations: [{ operator: "Exists" }],
    });
    await client
      .of("v1", "Node")
      .patch("node-a", { metadata: { labels: { "kubernetes.io/hostname": "a" } } }, { type: "merge" });
    expect(await nodeOf("careless")).toBe("node-a");
    await program.stop();
    await client.of("v1", "Node").patch("node-a", { spec: { unschedulable: false } }, { type: "merge" });
  });

  test.each([
    ["a field that there is none of", "profils: []\n", 'strict decoding error: unknown field "profils"'],
    ["an extender", "extenders: [{urlPrefix: http://x}]\n", "extenders: not supported"],
    [
      "a plugin there is none of",
      "profiles: [{plugins: {multiPoint: {enabled: [{name: Nope}]}}}]\n",
      'there is no plugin "Nope"',
    ],
    [
      "arguments that a plugin does not have",
      "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {nope: 1}}]}]\n",
      'decoding args for plugin "NodeResourcesFit": strict decoding error: unknown field "nope"',
    ],
    ["a duration that is none", "leaderElection: {leaseDuration: soon}\n", "leaderElection.leaseDuration"],
  ])("is refused with %s", async (_what, text, message) => {
    const election = text.includes("leaderElection") ? "" : "leaderElection: {leaderElect: false}\n";
    const program = begin(configured(`${HEAD}${connection()}${election}${text}`));
    expect(await program.ended).toBe(1);
    expect(program.log()).toContain(message.replaceAll('"', '\\"'));
  });

  test("is refused when it is no KubeSchedulerConfiguration", async () => {
    const program = begin(configured("apiVersion: v1\nkind: ConfigMap\n"));
    expect(await program.ended).toBe(1);
    expect(program.log()).toContain('no kind \\"ConfigMap\\" is registered for version \\"v1\\"');
  });
});

test("scheduler without PodDisruptionBudgets on the server skips them and still preempts pods", async () => {
  await using small = await startBareServer({ runtimeConfig: { "policy/v1": false } });
  const own = kubernetesClient(small.cluster);
  const program = beginComponent(component, [
    `--kubeconfig=${small.kubeconfig}`,
    "--secure-port=0",
    "--leader-elect=false",
  ]);
  await own
    .of("v1", "ServiceAccount")
    .namespace("default")
    .create({ metadata: { name: "default" } } as never);
  await own.of("v1", "Node").create({ apiVersion: "v1", kind: "Node", metadata: { name: "only" } });
  const allocatable = { cpu: "1", memory: "1Gi", pods: "10" };
  await own.of("v1", "Node").patchStatus("only", { status: { capacity: allocatable, allocatable } }, { type: "merge" });
  await own.of("v1", "Node").patch("only", { spec: { taints: [] } }, { type: "merge" });
  const pods = own.of("v1", "Pod").namespace("default");
  const podOf = (name: string, more: object) => ({
    apiVersion: "v1" as const,
    kind: "Pod" as const,
    metadata: { name },
    spec: { containers: [{ name: "main", image: "nginx", resources: { requests: { cpu: "1" } } }], ...more },
  });
  await pods.create(podOf("low", {}));
  await eventually(async () => expect((await pods.get("low")).spec?.nodeName).toBe("only"));
  await pods.create(podOf("high", { priorityClassName: "system-node-critical" }));
  await eventually(() => expect(program.log()).toContain("Skipping PodDisruptionBudget of policy/v1"));
  await eventually(async () => {
    const low = await pods.get("low").catch(() => undefined);
    expect(low === undefined || low.metadata.deletionTimestamp !== undefined).toBe(true);
  });
  await program.stop();
  await own.close();
});
