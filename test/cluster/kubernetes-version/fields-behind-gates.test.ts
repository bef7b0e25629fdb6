import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GATES_OF_FIELDS } from "../../../src/api/gates/fields-behind-gates.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { type Answer, call } from "../../helpers/api-caller.js";

/** A cluster of 1.37 as it is by default, and one with the gates of all fields on. */
const clusters = new Map<"default" | "gated", Cluster>();
const runtimeConfig = { "api/all": true };
const options = { port: false, kubernetesVersion: "1.37", nodes: 0, runtimeConfig } as const;

beforeAll(async () => {
  const names = [...GATES_OF_FIELDS, "StatefulSetRecreateStrategy", "APIServerWebhookAuthenticationToken"];
  const featureGates = Object.fromEntries(names.map((name) => [name, true]));
  const [plain, gated] = await Promise.all([startCluster(options), startCluster({ ...options, featureGates })]);
  clusters.set("default", plain).set("gated", gated);
});

afterAll(() => Promise.all([...clusters.values()].map((cluster) => cluster.close())));

const ask = (name: "default" | "gated", method: string, path: string, body?: unknown): Promise<Answer> =>
  call((clusters.get(name) as Cluster).transport(), method, path, body, {
    ...(method === "PATCH" && { type: "application/merge-patch+json" }),
  });

const nameOf = (answer: Answer): string => answer.at("metadata.name") as string;

const CORE = "/api/v1/namespaces/default";

const pod = (spec: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { generateName: "p-" },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const container = (fields: object) => pod({ containers: [{ name: "c", image: "i", ...fields }] });
const volume = (source: object) => pod({ volumes: [{ name: "v", ...source }] });
const mounted = (source: object, bindMountOptions: unknown) =>
  pod({
    containers: [{ name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v", bindMountOptions }] }],
    volumes: [{ name: "v", ...source }],
  });
const httpGet = (fields: object) => container({ livenessProbe: { httpGet: { port: 80, ...fields } } });

const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const job = (scheduling: unknown) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { generateName: "j-" },
  spec: { suspend: true, template: { spec: { ...template.spec, restartPolicy: "Never" } }, scheduling },
});
const cronJob = (scheduling: unknown) => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { generateName: "c-" },
  spec: { schedule: "@yearly", jobTemplate: { spec: job(scheduling).spec } },
});
const node = (fields: object) => ({ apiVersion: "v1", kind: "Node", metadata: { generateName: "n-" }, ...fields });
const slice = (fields: object) => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceSlice",
  metadata: { generateName: "s-" },
  spec: {
    driver: "d.example.com",
    pool: { name: "p", generation: 1, resourceSliceCount: 1 },
    allNodes: true,
    devices: [{ name: "gpu" }],
    ...fields,
  },
});
const claim = (request: object) => ({
  apiVersion: "resource.k8s.io/v1",
  kind: "ResourceClaim",
  metadata: { generateName: "c-" },
  spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu", ...request } }] } },
});
const RESPONDER = { name: "example.com/evictor", priority: 5000 };

/** Each field: its id and gate, where the object is created, the object, the field in it, and its value. */
const FIELDS: readonly (readonly [id: string, path: string, object: object, field: string, value: unknown])[] = [
  [
    "K37-020",
    `${CORE}/pods`,
    httpGet({ protocol: "HTTP2" }),
    "spec.containers.0.livenessProbe.httpGet.protocol",
    "HTTP2",
  ],
  [
    "K37-021",
    `${CORE}/pods`,
    container({ readinessProbe: { grpc: { port: 80, mode: "TLS" } } }),
    "spec.containers.0.readinessProbe.grpc.mode",
    "TLS",
  ],
  ["K37-022", `${CORE}/pods`, volume({ emptyDir: { mode: 0o1777 } }), "spec.volumes.0.emptyDir.mode", 0o1777],
  [
    "K37-023",
    `${CORE}/pods`,
    mounted({ emptyDir: {} }, ["noexec", "nosuid"]),
    "spec.containers.0.volumeMounts.0.bindMountOptions",
    ["noexec", "nosuid"],
  ],
  [
    "K37-024",
    `${CORE}/pods`,
    volume({ configMap: { name: "m", defaultUser: 7 } }),
    "spec.volumes.0.configMap.defaultUser",
    7,
  ],
  [
    "K37-024",
    `${CORE}/pods`,
    volume({ projected: { sources: [{ secret: { name: "s", items: [{ key: "k", path: "p", user: 0 }] } }] } }),
    "spec.volumes.0.projected.sources.0.secret.items.0.user",
    0,
  ],
  ["K37-025", `${CORE}/pods`, pod({ evictionResponders: [RESPONDER] }), "spec.evictionResponders", [RESPONDER]],
  [
    "K37-028",
    "/api/v1/nodes",
    node({ spec: { podPreemptionPolicy: { disableResizePreemption: ["x"] } } }),
    "spec.podPreemptionPolicy.disableResizePreemption",
    ["x"],
  ],
  [
    "K37-029",
    "/apis/batch/v1/namespaces/default/jobs",
    job({ schedulingPolicy: { basic: {} } }),
    "spec.scheduling",
    { schedulingPolicy: { basic: {} } },
  ],
  [
    "K37-029",
    "/apis/batch/v1/namespaces/default/cronjobs",
    cronJob({ schedulingPolicy: { basic: {} } }),
    "spec.jobTemplate.spec.scheduling",
    { schedulingPolicy: { basic: {} } },
  ],
  [
    "K37-033",
    "/apis/resource.k8s.io/v1/resourceslices",
    slice({ skipNodeOperations: ["*"] }),
    "spec.skipNodeOperations",
    ["*"],
  ],
  [
    "K37-033",
    "/apis/resource.k8s.io/v1/resourceslices",
    slice({ partitionTypeAttribute: "example.com/type" }),
    "spec.partitionTypeAttribute",
    "example.com/type",
  ],
  [
    "K37-033",
    "/apis/resource.k8s.io/v1/resourceslices",
    slice({ devices: [{ name: "gpu", nodeAllocatableResources: { memory: { overhead: { perPod: "1Mi" } } } }] }),
    "spec.devices.0.nodeAllocatableResources.memory.overhead.perPod",
    "1Mi",
  ],
  [
    "K37-033",
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
    claim({ derivedAttributes: [{ name: "example.com/a", expression: "1" }] }),
    "spec.devices.requests.0.exactly.derivedAttributes",
    [{ name: "example.com/a", expression: "1" }],
  ],
  [
    "K37-040",
    "/apis/storage.k8s.io/v1/csidrivers",
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSIDriver",
      metadata: { generateName: "d-" },
      spec: { preventPodSchedulingIfMissing: true },
    },
    "spec.preventPodSchedulingIfMissing",
    true,
  ],
];

describe("a server of 1.37, for a field whose feature gate is off by default,", () => {
  test.each(FIELDS)(
    "%s: drops %s on create without a warning, and keeps it when the gate is on: %#",
    async (...row) => {
      const [, path, object, field, value] = row;
      const strict = `${path}?fieldValidation=Strict&dryRun=All`;
      const dropped = await ask("default", "POST", strict, object);
      expect([dropped.status, dropped.at(field)]).toEqual([201, undefined]);
      expect(dropped.headers["warning"]).toBeUndefined();
      const kept = await ask("gated", "POST", strict, object);
      expect(kept.status, kept.text).toBe(201);
      expect(kept.at(field)).toEqual(value);
    },
  );

  test("K37-026, K37-032: drops from a pod's status the health of volumes and node resources of claims", async () => {
    const status = {
      volumeHealth: [{ name: "v", healthConditions: [{ status: "Degraded", reason: "Slow" }] }],
      nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: "r", mapping: [{ name: "cpu", quantity: "1" }] }],
    };
    for (const [name, expected] of [
      ["default", [undefined, undefined]],
      ["gated", [status.volumeHealth, status.nodeAllocatableResourceClaimStatuses]],
    ] as const) {
      const created = await ask(name, "POST", `${CORE}/pods`, volume({ emptyDir: {} }));
      const patched = await ask(name, "PATCH", `${CORE}/pods/${nameOf(created)}/status`, { status });
      expect(patched.status, patched.text).toBe(200);
      const { volumeHealth, nodeAllocatableResourceClaimStatuses } = patched.at("status") as Record<string, unknown>;
      expect({ shown: [volumeHealth, nodeAllocatableResourceClaimStatuses] }).toMatchObject({ shown: expected });
    }
  });

  test("K37-026: drops a claim's health from its status, and validates it when the gate is on", async () => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const object = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "c" }, spec };
    const healthStatus = { healthConditions: [{ status: "DataLoss", reason: "Broken" }] };
    const path = `${CORE}/persistentvolumeclaims`;
    const patch = (name: "default" | "gated", status: object): Promise<Answer> =>
      ask(name, "PATCH", `${path}/c/status`, { status });
    for (const name of ["default", "gated"] as const) await ask(name, "POST", path, object);
    expect((await patch("default", { healthStatus })).at("status.healthStatus")).toBeUndefined();
    expect((await patch("gated", { healthStatus })).at("status")).toMatchObject({ healthStatus });
    const wrong = { healthConditions: [{ status: "Bad", reason: "Broken" }] };
    expect((await patch("gated", { healthStatus: wrong })).at("message")).toContain(
      'status.healthStatus.healthConditions[0].status: Unsupported value: "Bad": supported values: "DataLoss", "Degraded", "Inaccessible"',
    );
  });

  test("K37-003, K37-027: drops the status of a CSINode while CSIVolumeHealth is off", async () => {
    const path = "/apis/storage.k8s.io/v1/csinodes";
    const object = { apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "n" }, spec: { drivers: [] } };
    const storageHealth = [{ name: "d", healthConditions: [{ status: "StorageDegraded", reason: "Slow" }] }];
    for (const [name, expected] of [["default", undefined] as const, ["gated", storageHealth] as const]) {
      const created = await ask(name, "POST", path, { ...object, status: { storageHealth } });
      expect(created.at("status.storageHealth")).toBeUndefined();
      const patched = await ask(name, "PATCH", `${path}/n/status`, {
        metadata: { labels: { a: "b" } },
        spec: { drivers: [{ name: "d", nodeID: "n" }] },
        status: { storageHealth },
      });
      expect(patched.status, patched.text).toBe(200);
      expect({ shown: patched.at("status.storageHealth") }).toMatchObject({ shown: expected });
      expect(patched.at("metadata.labels")).toBeUndefined();
      expect(patched.at("spec.drivers.0")).toBeUndefined();
      expect((await ask(name, "GET", `${path}/n/status`)).status).toBe(200);
    }
  });

  test("K37-031: drops the attestations of a TokenRequest", async () => {
    const attestations = { admissionReviewAPIGroups: ["apps"] };
    const path = `${CORE}/serviceaccounts/default/token`;
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { attestations } };
    for (const name of ["default", "gated"] as const) {
      await ask(name, "POST", `${CORE}/serviceaccounts`, {
        apiVersion: "v1",
        kind: "ServiceAccount",
        metadata: { name: "default" },
      });
    }
    expect((await ask("default", "POST", path, request)).at("spec.attestations")).toBeUndefined();
    expect((await ask("gated", "POST", path, request)).at("spec.attestations")).toEqual(attestations);
  });

  test("K37-034: refuses the update strategy Recreate of a StatefulSet as an unknown one", async () => {
    const set = {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { generateName: "s-" },
      spec: { selector: { matchLabels: { app: "a" } }, template, updateStrategy: { type: "Recreate" } },
    };
    const path = "/apis/apps/v1/namespaces/default/statefulsets?dryRun=All";
    const refused = await ask("default", "POST", path, set);
    expect(refused.status).toBe(422);
    expect(refused.at("details.causes.0")).toMatchObject({
      field: "spec.updateStrategy",
      reason: "FieldValueInvalid",
      message: expect.stringContaining("must be 'RollingUpdate' or 'OnDelete'") as string,
    });
    expect((await ask("gated", "POST", path, set)).at("spec.updateStrategy.type")).toBe("Recreate");
  });

  test("K37-039, K37-028: keeps the field when the gate is on by default: trust bundles, certificates, rootless nodes", async () => {
    const sources = [
      { clusterTrustBundle: { name: "b", path: "ca.pem" } },
      { podCertificate: { signerName: "example.com/s", keyType: "ED25519", credentialBundlePath: "bundle.pem" } },
    ];
    const created = await ask("default", "POST", `${CORE}/pods`, volume({ projected: { sources } }));
    expect(created.status, created.text).toBe(201);
    expect(created.at("spec.volumes.0.projected.sources.0.clusterTrustBundle.name")).toBe("b");
    expect(created.at("spec.volumes.0.projected.sources.1.podCertificate.signerName")).toBe("example.com/s");
    const status = { nodeInfo: { runningInUserNamespace: true } };
    const rootless = await ask("default", "POST", "/api/v1/nodes", node({ status }));
    expect(rootless.at("status.nodeInfo.runningInUserNamespace")).toBe(true);
  });
});

/** What the rules of gated fields refuse: the id, where, the object and the problem. */
const WRONG: readonly (readonly [id: string, path: string, object: object, problem: string])[] = [
  [
    "K37-020",
    `${CORE}/pods`,
    httpGet({ protocol: "HTTP3" }),
    'Unsupported value: "HTTP3": supported values: "HTTP1", "HTTP2"',
  ],
  [
    "K37-020",
    `${CORE}/pods`,
    httpGet({ protocol: "HTTP2", scheme: "HTTPS" }),
    'httpGet.protocol: Invalid value: "HTTP2": HTTP2 cannot be combined with scheme HTTPS',
  ],
  [
    "K37-021",
    `${CORE}/pods`,
    container({ livenessProbe: { grpc: { port: 80, mode: "mTLS" } } }),
    'grpc.mode: Unsupported value: "mTLS": supported values: "Plaintext", "TLS"',
  ],
  [
    "K37-022",
    `${CORE}/pods`,
    volume({ emptyDir: { mode: 1024 } }),
    "spec.volumes[0].emptyDir.mode: Invalid value: 1024",
  ],
  [
    "K37-023",
    `${CORE}/pods`,
    mounted({ emptyDir: {} }, ["exec"]),
    'bindMountOptions[0]: Unsupported value: "exec": supported values: "nodev", "noexec", "nosuid"',
  ],
  ["K37-023", `${CORE}/pods`, mounted({ image: { reference: "r" } }, ["nodev"]), "bindMountOptions: Forbidden"],
  [
    "K37-024",
    `${CORE}/pods`,
    volume({ secret: { secretName: "s", defaultUser: -1 } }),
    "secret.defaultUser: Invalid value: -1: must be between 0 and 2147483647, inclusive",
  ],
  [
    "K37-025",
    `${CORE}/pods`,
    pod({ evictionResponders: [{ name: "evictor", priority: 100_001 }] }),
    "[spec.evictionResponders[0].name: Invalid value: \"evictor\": must include a prefix (e.g. 'example.com/key'), spec.evictionResponders[0].priority: Invalid value: 100001: must be less than or equal to 100000]",
  ],
  [
    "K37-025",
    `${CORE}/pods`,
    pod({ evictionResponders: [{ name: "dev.k8s.io/key", priority: 999 }] }),
    "priorities 0-999 are reserved for responders with *.k8s.io suffix",
  ],
  [
    "K37-025",
    `${CORE}/pods`,
    pod({ evictionResponders: Array.from({ length: 11 }, (_, at) => ({ ...RESPONDER, name: `example.com/${at}` })) }),
    "spec.evictionResponders: Too many: 11: must have at most 10 items",
  ],
  [
    "K37-029",
    "/apis/batch/v1/namespaces/default/jobs",
    job({ schedulingPolicy: { gang: { minCount: 0 } }, resourceClaims: [{ name: "a" }] }),
    'spec.scheduling.schedulingPolicy.gang.minCount: Invalid value: 0: must be greater than or equal to 1, spec.scheduling.resourceClaims[0]: Invalid value: "": must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
  ],
  [
    "K37-033",
    "/apis/resource.k8s.io/v1/resourceslices",
    slice({ skipNodeOperations: ["Prepare", "*", "*"] }),
    "spec.skipNodeOperations[2]: Duplicate value",
  ],
  [
    "K37-033",
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
    claim({ derivedAttributes: [{ name: "a", expression: "" }] }),
    'derivedAttributes[0].name: Invalid value: "a": a fully qualified name must be a domain and a name separated by a slash',
  ],
];

test.each(WRONG)(
  "%s: a server of 1.37 validates a field whose feature gate is on: %#",
  async (_id, path, object, problem) => {
    const refused = await ask("gated", "POST", `${path}?dryRun=All`, object);
    expect(refused.status, refused.text).toBe(422);
    expect(refused.at("message")).toContain(problem);
    expect((await ask("default", "POST", `${path}?dryRun=All`, object)).status).toBe(201);
  },
);

test("K37-029: a server of 1.37 refuses to add, remove or change a Job's scheduling policy in an update", async () => {
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const created = await ask("gated", "POST", jobs, job({ schedulingPolicy: { gang: { minCount: 2 } } }));
  const name = nameOf(created);
  const patch = async (scheduling: unknown): Promise<unknown> =>
    (await ask("gated", "PATCH", `${jobs}/${name}?dryRun=All`, { spec: { scheduling } })).at("message");
  expect(await patch(null)).toContain("spec.scheduling: Invalid value: null: field cannot be cleared once set");
  expect(await patch({ disruptionMode: { all: {} } })).toContain(
    "spec.scheduling.disruptionMode: Invalid value: null: field is immutable",
  );
  expect(await patch({ schedulingPolicy: { gang: { minCount: 3 } } })).toBeUndefined();
  const plain = await ask("gated", "POST", jobs, job(undefined));
  const set = await ask("gated", "PATCH", `${jobs}/${nameOf(plain)}?dryRun=All`, {
    spec: { scheduling: {} },
  });
  expect(set.at("message")).toContain("spec.scheduling: Invalid value: null: field cannot be set once created");
});
