import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfigurationDocument } from "../../../../src/machinery/text/yaml/configuration-document.js";
import {
  resourceQuota,
  type LimitedResource,
  type ResourceQuotaConfiguration,
  readResourceQuotaConfiguration,
} from "../../../../src/server/admission/plugins/resource-quota.js";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import type { AdmissionOptions } from "../../../../src/server/admission/enabled-plugins.js";
import { done } from "../../../helpers/admitting-server.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { boxDefinition, DEFINITIONS, established, versionOf } from "../../../helpers/custom-definitions.js";

type Amounts = Readonly<Record<string, string>>;
interface Quota {
  readonly hard: Amounts;
  readonly used?: Amounts;
  readonly spec?: object;
}

interface Server {
  readonly api: Transport;
}

let cluster: Cluster;
let server: Server;
let count = 0;
let namespace: string;

beforeAll(async () => {
  cluster = await withoutQuotaController();
  server = { api: cluster.transport() };
  const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  await done(server.api, "POST", classes, { metadata: { name: "high" }, value: 1000 });
  const card = { metadata: { name: "card" }, spec: { extendedResourceName: "example.com/card" } };
  await done(server.api, "POST", "/apis/resource.k8s.io/v1/deviceclasses", card);
});

afterAll(() => cluster.close());

/** Statuses of quotas are written by the test. */
const withoutQuotaController = (admission: AdmissionOptions = {}): Promise<Cluster> =>
  startCluster({ port: false, controllers: [], scheduler: false, admission });

beforeEach(async () => {
  namespace = await namespaceOf(server);
});

async function namespaceOf({ api }: Server): Promise<string> {
  const name = `space-${++count}`;
  await done(api, "POST", "/api/v1/namespaces", { metadata: { name } });
  await done(api, "POST", `/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: "default" } });
  return name;
}

const at = (path: string): string => {
  const [plural = "", group] = path.split("/")[0]?.split(/\.(.*)/) ?? [];
  const rest = path.slice(path.split("/")[0]?.length);
  return group === undefined
    ? `/api/v1/namespaces/${namespace}/${plural}${rest}`
    : `/apis/${group}/v1/namespaces/${namespace}/${plural}${rest}`;
};

/** A quota with a status as the controller would write it. */
async function quotaOf({ hard, used, spec = {} }: Quota, name = "q", { api } = server): Promise<void> {
  const zero = Object.fromEntries(Object.keys(hard).map((amount) => [amount, "0"]));
  const made = await done(api, "POST", at("resourcequotas"), { metadata: { name }, spec: { hard, ...spec } });
  const metadata = { name, resourceVersion: made.at("metadata.resourceVersion") };
  const status = { hard, used: { ...zero, ...used } };
  await done(api, "PUT", at(`resourcequotas/${name}/status`), { metadata, spec: { hard, ...spec }, status });
}

const usedOf = async (name = "q", { api } = server) =>
  (await call(api, "GET", at(`resourcequotas/${name}`))).at("status.used");
const outcome = ({ status, at: found }: Answer): unknown[] => [status, found("message")];

const named = (more: object = {}): object => ({ metadata: { name: "x" }, ...more });
const container = (requests?: object, limits?: object, name = "a"): object => ({
  name,
  image: "i",
  resources: { requests, limits },
});
const pod = (spec: object = {}): object => named({ spec: { containers: [container()], ...spec } });
const asking = (requests: object, limits?: object): object => pod({ containers: [container(requests, limits)] });
const service = (type: string, ports: number, more: object = {}): object =>
  named({ spec: { type, ports: Array.from({ length: ports }, (_, n) => ({ name: `p${n}`, port: n + 1 })), ...more } });
const claim = (storage: string, more: object = {}): object =>
  named({ spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...more } });
const devices = (...requests: object[]): object =>
  named({ spec: { devices: { requests: requests.map((request, n) => ({ name: `r${n}`, ...request })) } } });
const exactly = (count: number, more: object = {}): object => ({ exactly: { deviceClassName: "gpu", count, ...more } });
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = named({ spec: { selector: { matchLabels: { a: "b" } }, template } });
const box = (name: string): object => ({ apiVersion: "quota.example.com/v1", kind: "Box", metadata: { name } });
const exceeded = (requested: string, used: string, limited: string): string =>
  `exceeded quota: q, requested: ${requested}, used: ${used}, limited: ${limited}`;

interface Row extends Quota {
  readonly resource: string;
  readonly bad: object;
  readonly message: string;
  readonly good: object;
  readonly charged: Amounts;
}

const rows: Readonly<Record<string, Row>> = {
  "pods are counted": {
    hard: { pods: "1", "count/pods": "5" },
    used: { "count/pods": "5" },
    resource: "pods",
    bad: pod(),
    message: exceeded("count/pods=1", "count/pods=5", "count/pods=5"),
    good: { dry: true },
    charged: { pods: "0", "count/pods": "5" },
  },
  "the processors of a pod are its containers' together": {
    hard: { "requests.cpu": "2" },
    used: { "requests.cpu": "500m" },
    resource: "pods",
    bad: pod({ containers: [container({ cpu: "1" }), container({ cpu: "501m" }, undefined, "b")] }),
    message: exceeded("requests.cpu=1501m", "requests.cpu=500m", "requests.cpu=2"),
    good: pod({ containers: [container({ cpu: "1" }), container({ cpu: "500m" }, undefined, "b")] }),
    charged: { "requests.cpu": "2" },
  },
  "an init container that asks for more counts instead": {
    hard: { cpu: "1" },
    resource: "pods",
    bad: pod({ containers: [container({ cpu: "1" })], initContainers: [container({ cpu: "2" }, undefined, "b")] }),
    message: exceeded("cpu=2", "cpu=0", "cpu=1"),
    good: pod({ containers: [container({ cpu: "500m" })], initContainers: [container({ cpu: "1" }, undefined, "b")] }),
    charged: { cpu: "1" },
  },
  "sidecars count beside the containers": {
    hard: { "requests.memory": "1Gi" },
    resource: "pods",
    bad: pod({
      containers: [container({ memory: "1Gi" })],
      initContainers: [{ ...container({ memory: "1Mi" }, undefined, "b"), restartPolicy: "Always" }],
    }),
    message: exceeded("requests.memory=1025Mi", "requests.memory=0", "requests.memory=1Gi"),
    good: pod({
      containers: [container({ memory: "512Mi" })],
      initContainers: [{ ...container({ memory: "512Mi" }, undefined, "b"), restartPolicy: "Always" }],
    }),
    charged: { "requests.memory": "1Gi" },
  },
  "what the pod says as a whole replaces its containers' sum": {
    hard: { "requests.cpu": "2" },
    resource: "pods",
    bad: pod({ containers: [container({ cpu: "1" })], resources: { requests: { cpu: "3" } } }),
    message: exceeded("requests.cpu=3", "requests.cpu=0", "requests.cpu=2"),
    good: pod({ resources: { requests: { cpu: "2" } } }),
    charged: { "requests.cpu": "2" },
  },
  "limits have names of their own": {
    hard: { "limits.cpu": "1", "limits.memory": "1Gi" },
    resource: "pods",
    bad: asking({ cpu: "1m" }, { cpu: "2", memory: "2Gi" }),
    message: exceeded(
      "limits.cpu=2,limits.memory=2Gi",
      "limits.cpu=0,limits.memory=0",
      "limits.cpu=1,limits.memory=1Gi",
    ),
    good: asking({}, { cpu: "1", memory: "1Gi" }),
    charged: { "limits.cpu": "1", "limits.memory": "1Gi" },
  },
  "only what is exceeded is told": {
    hard: { "requests.cpu": "1", "requests.memory": "9Gi", pods: "9" },
    resource: "pods",
    bad: asking({ cpu: "1100m", memory: "1Gi" }),
    message: exceeded("requests.cpu=1100m", "requests.cpu=0", "requests.cpu=1"),
    good: asking({ cpu: "1", memory: "1Gi" }),
    charged: { "requests.cpu": "1", "requests.memory": "1Gi", pods: "1" },
  },
  "ephemeral storage need not be said": {
    hard: { "requests.ephemeral-storage": "1Gi" },
    resource: "pods",
    bad: asking({ "ephemeral-storage": "2Gi" }),
    message: exceeded(
      "requests.ephemeral-storage=2Gi",
      "requests.ephemeral-storage=0",
      "requests.ephemeral-storage=1Gi",
    ),
    good: pod(),
    charged: { "requests.ephemeral-storage": "0" },
  },
  "extended resources are counted as requests": {
    hard: { "requests.example.com/gpu": "3" },
    used: { "requests.example.com/gpu": "1" },
    resource: "pods",
    bad: asking({ "example.com/gpu": "3" }, { "example.com/gpu": "3" }),
    message: exceeded("requests.example.com/gpu=3", "requests.example.com/gpu=1", "requests.example.com/gpu=3"),
    good: asking({ "example.com/gpu": "2" }, { "example.com/gpu": "2" }),
    charged: { "requests.example.com/gpu": "3" },
  },
  "huge pages are counted": {
    hard: { "hugepages-2Mi": "4Mi" },
    resource: "pods",
    bad: asking({ cpu: "1", "hugepages-2Mi": "6Mi" }, { "hugepages-2Mi": "6Mi" }),
    message: exceeded("hugepages-2Mi=6Mi", "hugepages-2Mi=0", "hugepages-2Mi=4Mi"),
    good: asking({ cpu: "1", "hugepages-2Mi": "4Mi" }, { "hugepages-2Mi": "4Mi" }),
    charged: { "hugepages-2Mi": "4Mi" },
  },
  "a container must say the processors that are counted": {
    hard: { "limits.cpu": "9", "requests.memory": "9Gi" },
    resource: "pods",
    bad: pod({ containers: [container({}, {}, "b"), container({ memory: "1Mi" }, {}, "a")] }),
    message: "failed quota: q: must specify limits.cpu for: a,b; requests.memory for: b",
    good: asking({ memory: "1Mi" }, { cpu: "1" }),
    charged: { "limits.cpu": "1", "requests.memory": "1Mi" },
  },
  "an init container must say them too": {
    hard: { cpu: "9" },
    resource: "pods",
    bad: pod({ containers: [container({ cpu: "1" })], initContainers: [container({}, {}, "first")] }),
    message: "failed quota: q: must specify cpu for: first",
    good: pod({ containers: [container({ cpu: "1" })], initContainers: [container({ cpu: "1" }, {}, "first")] }),
    charged: { cpu: "1" },
  },
  "services are counted": {
    hard: { services: "1", "count/services": "3" },
    used: { services: "1" },
    resource: "services",
    bad: service("ClusterIP", 1),
    message: exceeded("services=1", "services=1", "services=1"),
    good: { dry: true },
    charged: { services: "1", "count/services": "0" },
  },
  "node ports are counted": {
    hard: { "services.nodeports": "2" },
    resource: "services",
    bad: service("NodePort", 3),
    message: exceeded("services.nodeports=3", "services.nodeports=0", "services.nodeports=2"),
    good: service("NodePort", 2),
    charged: { "services.nodeports": "2" },
  },
  "load balancers are counted, and their node ports": {
    hard: { "services.loadbalancers": "1", "services.nodeports": "1" },
    resource: "services",
    bad: service("LoadBalancer", 2),
    message: exceeded("services.nodeports=2", "services.nodeports=0", "services.nodeports=1"),
    good: service("LoadBalancer", 2, { allocateLoadBalancerNodePorts: false }),
    charged: { "services.loadbalancers": "1", "services.nodeports": "0" },
  },
  "storage that claims ask for is counted": {
    hard: { "requests.storage": "10Gi", persistentvolumeclaims: "2" },
    used: { "requests.storage": "4Gi", persistentvolumeclaims: "1" },
    resource: "persistentvolumeclaims",
    bad: claim("7Gi"),
    message: exceeded("requests.storage=7Gi", "requests.storage=4Gi", "requests.storage=10Gi"),
    good: claim("6Gi"),
    charged: { "requests.storage": "10Gi", persistentvolumeclaims: "2" },
  },
  "storage of a class is counted": {
    hard: {
      "gold.storageclass.storage.k8s.io/requests.storage": "5Gi",
      "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
    },
    resource: "persistentvolumeclaims",
    bad: claim("6Gi", { storageClassName: "gold" }),
    message: exceeded(
      "gold.storageclass.storage.k8s.io/requests.storage=6Gi",
      "gold.storageclass.storage.k8s.io/requests.storage=0",
      "gold.storageclass.storage.k8s.io/requests.storage=5Gi",
    ),
    good: claim("6Gi", { storageClassName: "iron" }),
    charged: {
      "gold.storageclass.storage.k8s.io/requests.storage": "0",
      "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "0",
    },
  },
  "claims of a class of volume attributes are counted": {
    hard: { persistentvolumeclaims: "1" },
    used: { persistentvolumeclaims: "1" },
    spec: { scopes: ["VolumeAttributesClass"] },
    resource: "persistentvolumeclaims",
    bad: claim("1Gi", { volumeAttributesClassName: "fast" }),
    message: exceeded("persistentvolumeclaims=1", "persistentvolumeclaims=1", "persistentvolumeclaims=1"),
    good: claim("1Gi"),
    charged: { persistentvolumeclaims: "1" },
  },
  "claims of chosen classes of volume attributes are counted": {
    hard: { persistentvolumeclaims: "1" },
    used: { persistentvolumeclaims: "1" },
    spec: {
      scopeSelector: {
        matchExpressions: [{ scopeName: "VolumeAttributesClass", operator: "In", values: ["fast", "faster"] }],
      },
    },
    resource: "persistentvolumeclaims",
    bad: claim("1Gi", { volumeAttributesClassName: "faster" }),
    message: exceeded("persistentvolumeclaims=1", "persistentvolumeclaims=1", "persistentvolumeclaims=1"),
    good: claim("1Gi", { volumeAttributesClassName: "slow" }),
    charged: { persistentvolumeclaims: "1" },
  },
  "claims of devices are counted by class": {
    hard: { "gpu.deviceclass.resource.k8s.io/devices": "4", "count/resourceclaims.resource.k8s.io": "9" },
    used: { "gpu.deviceclass.resource.k8s.io/devices": "1" },
    resource: "resourceclaims.resource.k8s.io",
    bad: devices(exactly(2), exactly(2)),
    message: exceeded(
      "gpu.deviceclass.resource.k8s.io/devices=4",
      "gpu.deviceclass.resource.k8s.io/devices=1",
      "gpu.deviceclass.resource.k8s.io/devices=4",
    ),
    good: devices(exactly(2), exactly(1)),
    charged: { "gpu.deviceclass.resource.k8s.io/devices": "4", "count/resourceclaims.resource.k8s.io": "1" },
  },
  "a claim of all devices counts as many as an allocation can have": {
    hard: { "gpu.deviceclass.resource.k8s.io/devices": "31" },
    resource: "resourceclaims.resource.k8s.io",
    bad: devices({ exactly: { deviceClassName: "gpu", allocationMode: "All" } }),
    message: exceeded(
      "gpu.deviceclass.resource.k8s.io/devices=32",
      "gpu.deviceclass.resource.k8s.io/devices=0",
      "gpu.deviceclass.resource.k8s.io/devices=31",
    ),
    good: devices({ exactly: { deviceClassName: "other", allocationMode: "All" } }),
    charged: { "gpu.deviceclass.resource.k8s.io/devices": "0" },
  },
  "a claim with alternatives counts by the largest of each class": {
    hard: { "gpu.deviceclass.resource.k8s.io/devices": "2" },
    resource: "resourceclaims.resource.k8s.io",
    bad: devices({
      firstAvailable: [
        { name: "a", deviceClassName: "gpu", count: 3 },
        { name: "b", deviceClassName: "gpu", count: 1 },
      ],
    }),
    message: exceeded(
      "gpu.deviceclass.resource.k8s.io/devices=3",
      "gpu.deviceclass.resource.k8s.io/devices=0",
      "gpu.deviceclass.resource.k8s.io/devices=2",
    ),
    good: devices({
      firstAvailable: [
        { name: "a", deviceClassName: "gpu", count: 2 },
        { name: "b", deviceClassName: "other", count: 3 },
      ],
    }),
    charged: { "gpu.deviceclass.resource.k8s.io/devices": "2" },
  },
};

const CARD = "requests.example.com/card";
const CARD_OF_CLASS = "requests.deviceclass.resource.kubernetes.io/card";
const cards = (count: number): object => devices({ exactly: { deviceClassName: "card", count } });

describe("ResourceQuota for an extended resource", () => {
  test.each([CARD, CARD_OF_CLASS])("counts pods and claims together as %s", async (name) => {
    await quotaOf({ hard: { [name]: "3" } });
    const asked = asking({ [name.slice("requests.".length)]: "1" }, { [name.slice("requests.".length)]: "1" });
    await done(server.api, "POST", at("pods"), asked);
    await done(server.api, "POST", at("resourceclaims.resource.k8s.io"), cards(1));
    expect(await usedOf()).toEqual({ [name]: "2" });
    const more = { ...cards(2), metadata: { name: "y" } };
    const refusal = await call(server.api, "POST", at("resourceclaims.resource.k8s.io"), more);
    expect(outcome(refusal)).toEqual([
      403,
      `resourceclaims.resource.k8s.io "y" is forbidden: ${exceeded(`${name}=2`, `${name}=2`, `${name}=3`)}`,
    ]);
  });

  test("ignores a claim of a class without that resource", async () => {
    await quotaOf({ hard: { [CARD]: "0", "requests.example.com/other": "0" } });
    await done(server.api, "POST", at("resourceclaims.resource.k8s.io"), devices(exactly(4)));
    expect(await usedOf()).toEqual({ [CARD]: "0", "requests.example.com/other": "0" });
  });

  test("counts once what a pod requests and its claim is given", async () => {
    await quotaOf({ hard: { [CARD]: "4", [CARD_OF_CLASS]: "9" } });
    const amounts = { "example.com/card": "2" };
    const owner = (await done(server.api, "POST", at("pods"), asking(amounts, amounts))).at("metadata.uid");
    const claimed = (name: string, uid: unknown): object => ({
      ...cards(2),
      metadata: {
        name,
        annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid, controller: true }],
      },
    });
    const path = at("resourceclaims.resource.k8s.io");
    await done(server.api, "POST", path, claimed("a", owner));
    expect(await usedOf()).toEqual({ [CARD]: "2", [CARD_OF_CLASS]: "2" });
    // The pod pays for one claim: quotas are charged for another.
    await done(server.api, "POST", path, claimed("b", owner));
    expect(await usedOf()).toEqual({ [CARD]: "4", [CARD_OF_CLASS]: "4" });
    const refusal = await call(server.api, "POST", path, claimed("c", "another"));
    expect(refusal.status, refusal.text).toBe(403);
  });
});

const counted: readonly (readonly [resource: string, name: string, object: object])[] = [
  ["configmaps", "configmaps", named()],
  ["secrets", "secrets", named()],
  ["resourcequotas", "resourcequotas", named()],
  ["replicationcontrollers", "replicationcontrollers", named({ spec: { selector: { a: "b" }, template } })],
  ["configmaps", "count/configmaps", named()],
  ["serviceaccounts", "count/serviceaccounts", named()],
  ["endpoints", "count/endpoints", named()],
  ["limitranges", "count/limitranges", named()],
  ["podtemplates", "count/podtemplates", named({ template })],
  ["deployments.apps", "count/deployments.apps", deployment],
  ["replicasets.apps", "count/replicasets.apps", deployment],
  [
    "jobs.batch",
    "count/jobs.batch",
    named({ spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } }),
  ],
  ["leases.coordination.k8s.io", "count/leases.coordination.k8s.io", named()],
  ["roles.rbac.authorization.k8s.io", "count/roles.rbac.authorization.k8s.io", named({ rules: [] })],
];

describe("the admission plugin ResourceQuota", () => {
  test.each(Object.entries(rows))("when %s", async (_, { resource, bad, message, good, charged, ...quota }) => {
    await quotaOf(quota);
    const before = await usedOf();
    const refusal = await call(server.api, "POST", at(resource), bad);
    expect(outcome(refusal)).toEqual([403, `${resource} "x" is forbidden: ${message}`]);
    expect(await usedOf()).toEqual(before);
    if (!("dry" in good)) await done(server.api, "POST", at(resource), good);
    expect(await usedOf()).toEqual(charged);
  });

  test.each(counted)("counts %s as %s", async (resource, name, object) => {
    await quotaOf({ hard: { [name]: "7" }, used: { [name]: "6" } });
    await done(server.api, "POST", at(resource), object);
    expect(await usedOf()).toEqual({ [name]: "7" });
    const second = await call(server.api, "POST", at(resource), { ...object, metadata: { name: "y" } });
    expect(outcome(second)).toEqual([
      403,
      `${resource} "y" is forbidden: ${exceeded(`${name}=1`, `${name}=7`, `${name}=7`)}`,
    ]);
  });

  const pair = { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] };
  const term = { topologyKey: "zone", labelSelector: { matchLabels: { a: "b" } }, namespaces: ["other"] };
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const scopes: readonly (readonly [name: string, spec: object, inside: object, outside: object])[] = [
    ["Terminating", { scopes: ["Terminating"] }, { activeDeadlineSeconds: 5 }, {}],
    ["NotTerminating", { scopes: ["NotTerminating"] }, {}, { activeDeadlineSeconds: 5 }],
    ["BestEffort", { scopes: ["BestEffort"] }, {}, { containers: [container({ cpu: "1" })] }],
    ["NotBestEffort", { scopes: ["NotBestEffort"] }, { containers: [container({ cpu: "1" })] }, {}],
    ["PriorityClass", { scopeSelector: pair }, { priorityClassName: "high" }, {}],
    ["CrossNamespacePodAffinity", { scopes: ["CrossNamespacePodAffinity"] }, { affinity }, {}],
    ["two scopes", { scopes: ["NotTerminating", "BestEffort"] }, {}, { containers: [container({ cpu: "1" })] }],
  ];
  test.each(scopes)("with the scope %s counts pods in it and no others", async (_, spec, inside, outside) => {
    await quotaOf({ hard: { pods: "0" }, spec });
    await done(server.api, "POST", at("pods"), pod(outside));
    const refusal = await call(server.api, "POST", at("pods"), pod(inside));
    expect(outcome(refusal)).toEqual([403, `pods "x" is forbidden: ${exceeded("pods=1", "pods=0", "pods=0")}`]);
  });

  test("refuses objects that it has not counted yet, and limits nothing before its first status", async () => {
    const hard = { pods: "1", "requests.example.com/gpu": "1", "count/pods": "3" };
    const made = await done(server.api, "POST", at("resourcequotas"), { metadata: { name: "q" }, spec: { hard } });
    await done(server.api, "POST", at("pods"), pod());
    const metadata = { name: "q", resourceVersion: made.at("metadata.resourceVersion") };
    await done(server.api, "PUT", at("resourcequotas/q/status"), { metadata, spec: { hard }, status: { hard } });
    const refusal = await call(server.api, "POST", at("pods"), { ...pod(), metadata: { generateName: "web-" } });
    expect(outcome(refusal)).toEqual([
      403,
      expect.stringMatching(
        /^pods "web-.*" is forbidden: status unknown for quota: q, resources: count\/pods,pods,requests.example.com\/gpu$/,
      ),
    ]);
  });

  test("needs room in all quotas of a namespace", async () => {
    await quotaOf({ hard: { pods: "3" } }, "a");
    await quotaOf({ hard: { "count/pods": "1", secrets: "1" } }, "b");
    await done(server.api, "POST", at("pods"), pod());
    expect([await usedOf("a"), await usedOf("b")]).toEqual([{ pods: "1" }, { "count/pods": "1", secrets: "0" }]);
    const second = await call(server.api, "POST", at("pods"), { ...pod(), metadata: { name: "y" } });
    expect(second.at("message")).toBe(
      'pods "y" is forbidden: exceeded quota: b, requested: count/pods=1, used: count/pods=1, limited: count/pods=1',
    );
    expect(await usedOf("a")).toEqual({ pods: "1" });
  });

  test("checks a dry run without charging it", async () => {
    await quotaOf({ hard: { configmaps: "1" } });
    await done(server.api, "POST", `${at("configmaps")}?dryRun=All`, named());
    expect(await usedOf()).toEqual({ configmaps: "0" });
    await done(server.api, "POST", at("configmaps"), named());
    const refusal = await call(server.api, "POST", `${at("configmaps")}?dryRun=All`, { metadata: { name: "y" } });
    expect(refusal.at("message")).toBe(
      `configmaps "y" is forbidden: ${exceeded("configmaps=1", "configmaps=1", "configmaps=1")}`,
    );
  });

  test("never counts events, namespaces and reviews", async () => {
    await quotaOf({ hard: { "count/events": "0", "count/localsubjectaccessreviews.authorization.k8s.io": "0" } });
    const involvedObject = { kind: "Pod", name: "p", namespace };
    await done(server.api, "POST", at("events"), named({ involvedObject }));
    const resourceAttributes = { namespace, verb: "get", resource: "pods" };
    const review = { metadata: { namespace }, spec: { user: "u", resourceAttributes } };
    await done(server.api, "POST", at("localsubjectaccessreviews.authorization.k8s.io"), review);
  });

  test("counts custom resources", async () => {
    const properties = { size: { type: "integer" } };
    await done(server.api, "POST", DEFINITIONS, boxDefinition("quota.example.com", [versionOf("v1", properties)]));
    await established(server.api, "boxes.quota.example.com");
    await quotaOf({ hard: { "count/boxes.quota.example.com": "1" } });
    await done(server.api, "POST", at("boxes.quota.example.com"), box("x"));
    const refusal = await call(server.api, "POST", at("boxes.quota.example.com"), box("y"));
    const name = "count/boxes.quota.example.com";
    expect(outcome(refusal)).toEqual([
      403,
      `boxes.quota.example.com "y" is forbidden: ${exceeded(`${name}=1`, `${name}=1`, `${name}=1`)}`,
    ]);
  });

  test("does not count objects of other namespaces", async () => {
    await quotaOf({ hard: { configmaps: "0" } });
    namespace = await namespaceOf(server);
    await done(server.api, "POST", at("configmaps"), named());
  });
});

describe("ResourceQuota, for an update,", () => {
  const MERGE = "application/merge-patch+json";

  test("charges nothing for a pod", async () => {
    await done(server.api, "POST", at("pods"), pod());
    await quotaOf({ hard: { pods: "0" }, used: { pods: "1" } });
    await done(server.api, "PATCH", at("pods/x"), { metadata: { labels: { a: "b" } } }, MERGE);
    await done(server.api, "PATCH", at("pods/x/status"), { status: { phase: "Running" } }, MERGE);
    expect(await usedOf()).toEqual({ pods: "1" });
  });

  test("charges a service by what it adds", async () => {
    await done(server.api, "POST", at("services"), service("NodePort", 1));
    await quotaOf({
      hard: { "services.nodeports": "2", services: "1" },
      used: { "services.nodeports": "1", services: "1" },
    });
    const ports = (count: number): object => service("NodePort", count);
    const { spec } = ports(3) as { spec: object };
    const refusal = await call(server.api, "PATCH", at("services/x"), { spec }, { type: MERGE });
    expect(outcome(refusal)).toEqual([
      403,
      `services "x" is forbidden: ${exceeded("services.nodeports=2", "services.nodeports=1", "services.nodeports=2")}`,
    ]);
    await done(server.api, "PATCH", at("services/x"), { spec: (ports(2) as { spec: object }).spec }, MERGE);
    expect(await usedOf()).toEqual({ "services.nodeports": "2", services: "1" });
  });

  test("refunds nothing for a smaller object: the controller recounts", async () => {
    await done(server.api, "POST", at("services"), service("NodePort", 2));
    await quotaOf({ hard: { "services.nodeports": "2" }, used: { "services.nodeports": "2" } });
    await done(server.api, "PATCH", at("services/x"), { spec: { type: "ClusterIP" } }, MERGE);
    expect(await usedOf()).toEqual({ "services.nodeports": "2" });
  });

  test("charges an object in full that enters the scope of a quota", async () => {
    await done(server.api, "POST", at("persistentvolumeclaims"), claim("1Gi", { volumeAttributesClassName: "slow" }));
    const matchExpressions = [{ scopeName: "VolumeAttributesClass", operator: "In", values: ["fast"] }];
    await quotaOf({ hard: { persistentvolumeclaims: "1" }, spec: { scopeSelector: { matchExpressions } } });
    const status = { phase: "Bound", currentVolumeAttributesClassName: "fast" };
    await done(server.api, "PATCH", at("persistentvolumeclaims/x/status"), { status }, MERGE);
    expect(await usedOf()).toEqual({ persistentvolumeclaims: "1" });
  });

  test("charges a claim's status beyond the limit", async () => {
    await done(server.api, "POST", at("persistentvolumeclaims"), claim("1Gi"));
    await quotaOf({ hard: { "requests.storage": "1Gi" }, used: { "requests.storage": "1Gi" } });
    const status = { phase: "Bound", capacity: { storage: "1Gi" }, allocatedResources: { storage: "3Gi" } };
    await done(server.api, "PATCH", at("persistentvolumeclaims/x/status"), { status }, MERGE);
    expect(await usedOf()).toEqual({ "requests.storage": "3Gi" });
  });

  test("charges the resize of a pod by what it adds", async () => {
    await done(server.api, "POST", at("pods"), asking({ cpu: "1" }));
    await quotaOf({ hard: { "requests.cpu": "2", pods: "1" }, used: { "requests.cpu": "1", pods: "1" } });
    const type = "application/strategic-merge-patch+json";
    const to = (cpu: string): object => ({ spec: { containers: [{ name: "a", resources: { requests: { cpu } } }] } });
    const refusal = await call(server.api, "PATCH", at("pods/x/resize"), to("2500m"), { type });
    expect(outcome(refusal)).toEqual([
      403,
      `pods "x" is forbidden: ${exceeded("requests.cpu=1500m", "requests.cpu=1", "requests.cpu=2")}`,
    ]);
    await done(server.api, "PATCH", at("pods/x/resize"), to("1500m"), type);
    expect(await usedOf()).toEqual({ "requests.cpu": "1500m", pods: "1" });
  });
});

describe("resources that ResourceQuota's configuration limits", () => {
  const limited = async (
    limitedResources: NonNullable<ResourceQuotaConfiguration["limitedResources"]>,
  ): Promise<Server & AsyncDisposable> => {
    const running = await withoutQuotaController({ configuration: { ResourceQuota: { limitedResources } } });
    const other = { api: running.transport(), [Symbol.asyncDispose]: () => running.close() };
    namespace = await namespaceOf(other);
    const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    await done(other.api, "POST", classes, { metadata: { name: "high" }, value: 1000 });
    return other;
  };

  test("may be used only where a quota counts them", async () => {
    await using other = await limited([{ resource: "pods", matchContains: ["cpu", "memory"] }]);
    const refusal = await call(other.api, "POST", at("pods"), asking({ cpu: "1", memory: "1Gi" }));
    expect(outcome(refusal)).toEqual([
      403,
      'pods "x" is forbidden: insufficient quota to consume: cpu,memory,requests.cpu,requests.memory',
    ]);
    await done(other.api, "POST", at("pods"), { ...pod(), metadata: { name: "free" } });
    const hard = { cpu: "9", memory: "9Gi", "requests.cpu": "9", "requests.memory": "9Gi" };
    await quotaOf({ hard }, "q", other);
    await done(other.api, "POST", at("pods"), asking({ cpu: "1", memory: "1Gi" }));
    expect(await usedOf("q", other)).toEqual({
      cpu: "1",
      memory: "1Gi",
      "requests.cpu": "1",
      "requests.memory": "1Gi",
    });
  });

  test("are of one resource and group", async () => {
    await using other = await limited([{ apiGroup: "apps", resource: "deployments", matchContains: ["count/"] }]);
    const refusal = await call(other.api, "POST", at("deployments.apps"), deployment);
    expect(outcome(refusal)).toEqual([
      403,
      'deployments.apps "x" is forbidden: insufficient quota to consume: count/deployments.apps',
    ]);
    await done(other.api, "POST", at("configmaps"), named());
    await quotaOf({ hard: { "count/deployments.apps": "1" } }, "q", other);
    await done(other.api, "POST", at("deployments.apps"), deployment);
  });

  test("may be limited by scope", async () => {
    const matchScopes = [{ scopeName: "PriorityClass" as const, operator: "In" as const, values: ["high", "higher"] }];
    await using other = await limited([{ resource: "pods", matchScopes }]);
    const high = pod({ priorityClassName: "high" });
    const refusal = await call(other.api, "POST", at("pods"), high);
    expect([...outcome(refusal), refusal.at("reason")]).toEqual([
      500,
      "insufficient quota to match these scopes: [{PriorityClass In [high higher]}]",
      undefined,
    ]);
    await done(other.api, "POST", at("pods"), { ...pod(), metadata: { name: "low" } });
    const matchExpressions = [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }];
    await quotaOf({ hard: { pods: "1" }, spec: { scopeSelector: { matchExpressions } } }, "q", other);
    await done(other.api, "POST", at("pods"), high);
    expect(await usedOf("q", other)).toEqual({ pods: "1" });
  });
});

describe("the configuration of ResourceQuota", () => {
  const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\n";
  const read = (text: string) => readResourceQuotaConfiguration(readConfigurationDocument(text));

  test("is read from a document", () => {
    const text = `${head}limitedResources:\n- resource: pods\n  matchScopes:\n  - {scopeName: PriorityClass, operator: In, values: [high]}\n- {apiGroup: apps, resource: deployments, matchContains: [count/]}\n`;
    expect(read(text)).toEqual({
      limitedResources: [
        { resource: "pods", matchScopes: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
        { apiGroup: "apps", resource: "deployments", matchContains: ["count/"] },
      ],
    });
    expect(read(head)).toEqual({ limitedResources: [] });
  });

  test.each(["v1alpha1", "v1beta1"])("is read from a document of its former group in version %s", (version) => {
    const former = `apiVersion: resourcequota.admission.k8s.io/${version}\nkind: Configuration\n`;
    expect(read(`${former}limitedResources: [{resource: pods}]\n`)).toEqual({
      limitedResources: [{ resource: "pods" }],
    });
  });

  const scheme = 'in scheme "pkg/admission/plugin/resourcequota/config.go:31"';
  const documents: readonly (readonly [name: string, text: string, message: string])[] = [
    ["nothing", "", "Object 'Kind' is missing in ''"],
    [
      "another version",
      head.replace("/v1", "/v2"),
      `no kind "ResourceQuotaConfiguration" is registered for version "apiserver.config.k8s.io/v2" ${scheme}`,
    ],
    [
      "the kind of the former group",
      head.replace("ResourceQuotaConfiguration", "Configuration"),
      `no kind "Configuration" is registered for version "apiserver.config.k8s.io/v1" ${scheme}`,
    ],
    [
      "an unknown field",
      `${head}limitedResources: [{resource: pods, match: x}]\n`,
      'strict decoding error: unknown field "limitedResources[0].match"',
    ],
    [
      "a text for a list",
      `${head}limitedResources: pods\n`,
      "json: cannot unmarshal string into Go struct field Configuration.limitedResources of type []v1.LimitedResource",
    ],
  ];
  test.each(documents)("cannot be read from %s", (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test("must name a resource in each entry", () => {
    const entries = [{}, { resource: "pods" }, { apiGroup: "apps" }] as unknown as LimitedResource[];
    expect(() => resourceQuota({ limitedResources: entries })).toThrow(
      "[limitedResources[0].resource: Required value, limitedResources[2].resource: Required value]",
    );
  });

  test("keeps a cluster from starting when it is invalid", async () => {
    const configuration = { ResourceQuota: { limitedResources: [{ resource: "" }] } };
    await expect(withoutQuotaController({ configuration })).rejects.toThrow(
      'couldn\'t init admission plugin "ResourceQuota": limitedResources[0].resource: Required value',
    );
  });
});
