import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type DrivenCluster, manualClock, startCluster } from "../../src/cluster/index.js";
import { object, objects } from "../../src/machinery/meta/access.js";
import { httpGet } from "../../src/node/agent/probes/http-get.js";
import { streamPair } from "../../src/node/byte-pipe.js";
import { call } from "../helpers/api-caller.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { serveKubelet } from "../helpers/served-kubelet.js";

const VERSIONS = ["1.36", "1.37"] as const;
type Version = (typeof VERSIONS)[number];

const DEFAULT = "/api/v1/namespaces/default";

/** Clusters with one node each, whose time passes when a test says so. */
const clusters = new Map<Version, DrivenCluster>();

beforeAll(async () => {
  for (const kubernetesVersion of VERSIONS) {
    const nodes = [{ name: "node-1", hasImage: (image: string) => image !== "missing" }];
    const own = { port: false, standIn: false, nodes, clock: manualClock(), kubernetesVersion } as const;
    clusters.set(kubernetesVersion, await startCluster({ ...quietCluster, ...own }));
  }
});
afterAll(async () => {
  for (const cluster of clusters.values()) await cluster.close();
});

const clusterOf = (version: Version): DrivenCluster => clusters.get(version) as DrivenCluster;
const apiOf = (version: Version): Transport => clusterOf(version).transport();
const get = (version: Version, path: string) => call(apiOf(version), "GET", path);

/** Creates a pod on the node with one container, and lets time pass. */
async function create(version: Version, name: string, container: object, spec: object = {}): Promise<void> {
  const containers = [{ name: "main", image: "web:1", ...container }];
  const pod = { metadata: { name }, spec: { nodeName: "node-1", containers, ...spec } };
  const answer = await call(apiOf(version), "POST", `${DEFAULT}/pods`, pod);
  expect(answer.status, answer.text).toBe(201);
  await clusterOf(version).clock.advance("5s");
}

const script = (line: string) => ({ command: ["sh", "-c", line] });

async function eventsOf(version: Version, kind: string, name: string): Promise<readonly Record<string, unknown>[]> {
  const selector = encodeURIComponent(`involvedObject.kind=${kind},involvedObject.name=${name}`);
  return objects((await get(version, `/api/v1/events?fieldSelector=${selector}`)).at("items"));
}

const condition = async (version: Version, pod: string, type: string) =>
  objects((await get(version, `${DEFAULT}/pods/${pod}`)).at("status.conditions")).find((one) => one["type"] === type);

test.each([
  ["1.36", {}],
  ["1.37", { reason: "PodSandboxNotReady", message: "pod sandbox is not ready" }],
] as const)(
  "K37-181: a kubelet of %s sets the condition PodReadyToStartContainers with a reason",
  async (version, why) => {
    await create(version, "ends", script("exit 0"), { restartPolicy: "Never" });
    const { reason, message, status } = (await condition(version, "ends", "PodReadyToStartContainers")) ?? {};
    expect({ status, reason, message }).toEqual({ status: "False", reason: undefined, message: undefined, ...why });
    await create(version, "runs", script("sleep 1h"));
    expect(await condition(version, "runs", "PodReadyToStartContainers")).toMatchObject({ status: "True" });
  },
);

describe("K37-182: a kubelet of 1.37 and image pulls", () => {
  const secrets = { imagePullSecrets: [{ name: "none" }, { name: "there" }, { name: "gone" }] };
  const warnings = async (version: Version, pod: string) =>
    (await eventsOf(version, "Pod", pod))
      .filter(({ reason }) => reason === "FailedToRetrieveImagePullSecret")
      .map(({ message }) => message);

  test("reports missing pull secrets after a failed pull, and not before a successful one", async () => {
    await call(apiOf("1.37"), "POST", `${DEFAULT}/secrets`, { metadata: { name: "there" } });
    await create("1.37", "pulls", { image: "missing" }, secrets);
    expect(await warnings("1.37", "pulls")).toEqual([
      "Unable to retrieve some image pull secrets (none, gone); attempting to pull the image may not succeed.",
    ]);
    await create("1.37", "pulled", { imagePullPolicy: "Always", ...script("sleep 1h") }, secrets);
    expect(await warnings("1.37", "pulled")).toEqual([]);
  });

  test("writes no events for images of volumes", async () => {
    const volumes = [{ name: "data", image: { reference: "data:1" } }];
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    await create("1.37", "mounts", { ...script("sleep 1h"), volumeMounts }, { volumes });
    await clusterOf("1.37").clock.advance("1m");
    expect((await eventsOf("1.37", "Pod", "mounts")).map(({ reason }) => reason)).toEqual([
      "Pulled",
      "Created",
      "Started",
    ]);
  });
});

test.each([
  ["1.36", "100Gi", "node-1"],
  ["1.37", "107374182400", "the Node's"],
] as const)(
  "K37-183: a node of %s reports this disk capacity, and its events this uid",
  async (version, storage, uid) => {
    const node = await get(version, "/api/v1/nodes/node-1");
    const expected = { cpu: "8", memory: "16Gi", "ephemeral-storage": storage, pods: "110" };
    expect(object(node.at("status"))).toMatchObject({ capacity: expected, allocatable: expected });
    const uids = (await eventsOf(version, "Node", "node-1")).map(({ reason, involvedObject }) => [
      reason,
      object(involvedObject as never)["uid"],
    ]);
    expect(uids).toContainEqual(["Starting", "node-1"]);
    expect(uids).toContainEqual(["NodeReady", uid === "node-1" ? uid : node.at("metadata.uid")]);
  },
);

test("K37-184: readiness probes continue while a pod is being deleted", async () => {
  const readinessProbe = { exec: { command: ["test", "-f", "/ready"] }, periodSeconds: 1, failureThreshold: 1 };
  const line = "trap 'rm /ready' TERM; touch /ready; while true; do sleep 1; done";
  await create("1.37", "leaves", { ...script(line), readinessProbe }, { terminationGracePeriodSeconds: 30 });
  expect(await condition("1.37", "leaves", "Ready")).toMatchObject({ status: "True" });
  await call(apiOf("1.37"), "DELETE", `${DEFAULT}/pods/leaves`);
  await clusterOf("1.37").clock.advance("10s");
  expect(await condition("1.37", "leaves", "Ready")).toMatchObject({ status: "False", reason: "ContainersNotReady" });
});

test.each([
  ["1.36", "61 ef bf bd c3 a9 ef bf bd"],
  ["1.37", "61 ff c3 a9 80"],
] as const)("K37-188: a container of %s gets these bytes of a Secret in its environment", async (version, expected) => {
  const data = { raw: Buffer.of(0x61, 0xff, 0xc3, 0xa9, 0x80).toString("base64") };
  await call(apiOf(version), "POST", `${DEFAULT}/secrets`, { metadata: { name: "bytes" }, data });
  const env = [{ name: "RAW", valueFrom: { secretKeyRef: { name: "bytes", key: "raw" } } }];
  const spec = { restartPolicy: "Never" };
  await create(version, "reads", { ...script('printf %s "$RAW" | od -An -tx1'), env }, spec);
  expect((await get(version, `${DEFAULT}/pods/reads/log`)).text.trim()).toBe(expected);
  await create(
    version,
    "reads-all",
    { ...script('printf %s "$raw" | od -An -tx1'), envFrom: [{ secretRef: { name: "bytes" } }] },
    spec,
  );
  expect((await get(version, `${DEFAULT}/pods/reads-all/log`)).text.trim()).toBe(expected);
});

test("K37-164: a kubelet of 1.37 declares the features that 1.36 declares", async () => {
  const declared = async (version: Version) =>
    (await get(version, "/api/v1/nodes/node-1")).at("status.declaredFeatures");
  expect(await declared("1.37")).toEqual([
    "ExtendWebSocketsToKubelet",
    "InPlacePodLevelResourcesVerticalScaling",
    "InPlacePodVerticalScalingInitContainers",
    "RestartAllContainersOnContainerExits",
  ]);
  expect(await declared("1.36")).toEqual(await declared("1.37"));
});

test.each([
  ["v1.36.3", "kube-probe/1.36"],
  ["v1.37.1", "kube-probe/1.37"],
])("K37-180: a kubelet of %s probes with the User-Agent %s", async (kubeletVersion, agent) => {
  const [near, far] = streamPair();
  const answer = httpGet(near, { path: "/healthz", port: 80 }, { address: "10.0.0.1:80", kubeletVersion });
  let head = "";
  for await (const chunk of far) {
    head += Buffer.from(chunk).toString();
    if (head.endsWith("\r\n\r\n")) break;
  }
  await far.write(Buffer.from("HTTP/1.1 204 No Content\r\n\r\n"));
  expect(await answer).toBe(204);
  expect(head).toContain(`User-Agent: ${agent}\r\n`);
});

test.each([
  ["v1.36.3", 200],
  ["v1.37.1", 405],
])("K37-186: a kubelet of %s answers a POST to read-only paths with %i", async (kubeletVersion, health) => {
  const kubelet = await serveKubelet({}, {}, { kubeletVersion });
  try {
    const post = async (path: string) => (await kubelet.get(path, { method: "POST" })).status;
    expect(await post("/healthz")).toBe(health);
    expect(await post("/containerLogs/default/web/c")).toBe(405);
    expect(await post("/pods")).toBe(405);
    expect((await kubelet.get("/healthz")).status).toBe(200);
  } finally {
    await kubelet.api.close();
  }
});
