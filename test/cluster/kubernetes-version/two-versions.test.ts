import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { startServer } from "../../../src/cluster/server.js";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/dynamic/kubernetes-client.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

const VERSIONS = ["1.36", "1.37"] as const;

/** Clusters of one process, each with its version of Kubernetes and every API version on. */
const clusters = new Map<string, Cluster>();
const clients = new Map<string, KubernetesClient>();

beforeAll(async () => {
  await Promise.all(
    VERSIONS.map(async (version) => {
      const runtimeConfig = { "api/all": true };
      const cluster = await startCluster({
        port: false,
        kubernetesVersion: `kube=${version}`,
        nodes: 1,
        runtimeConfig,
      });
      clusters.set(version, cluster);
      clients.set(version, kubernetesClient({ transport: () => cluster.transport() }));
    }),
  );
});

afterAll(() => Promise.all([...clusters.values()].map((cluster) => cluster.close())));

/** Reads a path of the server of a version. */
const read = (version: string, path: string): Promise<Answer> =>
  call((clusters.get(version) as Cluster).transport(), "GET", path);

const readJson = async (version: string, path: string): Promise<unknown> =>
  JSON.parse((await read(version, path)).text);

describe("K37-260: a server of 1.36 and one of 1.37 in one process differ", () => {
  test.each([
    ["1.36", "v1.36.3+kubets", "36", "35"],
    ["1.37", "v1.37.1+kubets", "37", "36"],
  ])("in /version: %s", async (version, gitVersion, minor, compatible) => {
    expect(await readJson(version, "/version")).toMatchObject({
      major: "1",
      minor,
      gitVersion,
      emulationMinor: minor,
      minCompatibilityMinor: compatible,
    });
  });

  test.each([
    ["1.36", "v1.36.3"],
    ["1.37", "v1.37.1"],
  ])("in the version that their nodes report (K37-180): %s", async (version, kubeletVersion) => {
    const node = await clients.get(version)?.of("v1", "Node").get("node-1");
    expect(node?.status?.nodeInfo?.kubeletVersion).toBe(kubeletVersion);
  });

  test.each([
    ["/apis/lifecycle.k8s.io/v1alpha1", { "1.36": 404, "1.37": 200 }],
    ["/apis/scheduling.k8s.io/v1alpha2", { "1.36": 200, "1.37": 404 }],
    ["/apis/scheduling.k8s.io/v1beta1", { "1.36": 404, "1.37": 200 }],
    ["/apis/certificates.k8s.io/v1alpha1", { "1.36": 200, "1.37": 404 }],
    ["/apis/networking.k8s.io/v1beta1", { "1.36": 200, "1.37": 404 }],
    ["/apis/storage.k8s.io/v1beta1", { "1.36": 200, "1.37": 404 }],
  ] as const)("in the APIs that they serve (K37-004, K37-005): %s", async (path, expected) => {
    for (const version of VERSIONS) expect((await read(version, path)).status).toBe(expected[version]);
  });

  test("in the APIServices that they create (K37-010)", async () => {
    const names = async (version: string): Promise<readonly string[]> => {
      const list = (await readJson(version, "/apis/apiregistration.k8s.io/v1/apiservices")) as {
        readonly items: readonly { readonly metadata: { readonly name: string } }[];
      };
      return list.items.map(({ metadata }) => metadata.name);
    };
    expect(await names("1.36")).not.toContain("v1alpha1.lifecycle.k8s.io");
    expect(await names("1.37")).toContain("v1alpha1.lifecycle.k8s.io");
    expect(await names("1.37")).not.toContain("v1alpha1.certificates.k8s.io");
  });

  test("in the fields of their OpenAPI (K37-020)", async () => {
    const published = async (version: string): Promise<{ version: unknown; protocol: unknown }> => {
      const { info, components } = (await readJson(version, "/openapi/v3/api/v1")) as {
        readonly info: { readonly version: string };
        readonly components: { readonly schemas: Record<string, { readonly properties: Record<string, unknown> }> };
      };
      const { properties } = components.schemas["io.k8s.api.core.v1.HTTPGetAction"] ?? { properties: {} };
      return { version: info.version, protocol: properties["protocol"] };
    };
    expect(await published("1.36")).toEqual({ version: "v1.36.0", protocol: undefined });
    expect(await published("1.37")).toMatchObject({ version: "v1.37.0", protocol: { type: "string" } });
  });

  test("in strict decoding and pruning of a field that 1.36 does not know", async () => {
    const spec = {
      containers: [{ name: "c", image: "i", livenessProbe: { httpGet: { port: 80, protocol: "HTTP1" } } }],
    };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" }, spec };
    const of = (version: string) => (clients.get(version) as KubernetesClient).of("v1", "Pod").namespace("default");
    await expect(of("1.36").create(pod as never, { fieldValidation: "Strict", dryRun: true })).rejects.toThrow(
      'unknown field "spec.containers[0].livenessProbe.httpGet.protocol"',
    );
    await of("1.37").create(pod as never, { fieldValidation: "Strict", dryRun: true });
  });

  test("in the default values of new kinds (K37-052)", async () => {
    const group = {
      apiVersion: "scheduling.k8s.io/v1beta1",
      kind: "PodGroup",
      metadata: { name: "g" },
      spec: { schedulingPolicy: { basic: {} } },
    };
    const path = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";
    const created = await call((clusters.get("1.37") as Cluster).transport(), "POST", path, group);
    expect(created.at("spec.disruptionMode")).toEqual({ single: {} });
  });

  test("in admission: 1.36 alone refuses a PodGroup whose Workload does not exist (K37-112)", async () => {
    const create = (version: string, apiVersion: string, spec: object): Promise<Answer> => {
      const group = { apiVersion, kind: "PodGroup", metadata: { name: "of-none" }, spec };
      const path = `/apis/${apiVersion}/namespaces/default/podgroups`;
      return call((clusters.get(version) as Cluster).transport(), "POST", path, group);
    };
    const schedulingPolicy = { basic: {} };
    const workload = { workloadName: "none", podGroupTemplateName: "t" };
    const alpha = { schedulingPolicy, podGroupTemplateRef: { workload } };
    expect((await create("1.36", "scheduling.k8s.io/v1alpha2", alpha)).text).toContain('Workload \\"none\\" not found');
    const beta = { schedulingPolicy, workloadRef: { workloadName: "none", templateName: "t" } };
    expect((await create("1.37", "scheduling.k8s.io/v1beta1", beta)).status).toBe(201);
  });

  test("in the hashes of pod templates, for which one counts unset fields", async () => {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
    const hashes: (string | undefined)[] = [];
    for (const version of VERSIONS) {
      const client = clients.get(version) as KubernetesClient;
      await client
        .of("apps/v1", "Deployment")
        .namespace("default")
        .create({ metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, template } });
      const sets = client.of("apps/v1", "ReplicaSet").namespace("default");
      const [set] = await eventually(async () => {
        const { items } = await sets.listWhole({ labelSelector: "app=web" });
        expect(items).toHaveLength(1);
        return items;
      });
      hashes.push(set?.metadata?.labels?.["pod-template-hash"]);
    }
    expect(new Set(hashes).size).toBe(2);
  });
});

test("K37-260: a server refuses a Kubernetes version that it cannot serve", async () => {
  const text = '"1.35" is no version of Kubernetes that is served: there are 1.36, 1.37';
  await expect(startCluster({ port: false, kubernetesVersion: "1.35" })).rejects.toThrow(text);
  await expect(startServer({ port: false, kubernetesVersion: "1.35" })).rejects.toThrow(text);
});
