import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { releaseOf } from "../../../src/api/facts/index.js";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { isJsonObject, type JsonObject } from "../../../src/machinery/meta/json.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { asUser } from "../../helpers/as-user.js";
import { certificateRequest } from "../../helpers/certificate-request.js";
import { SAMPLES } from "../../hostile/samples.js";

// What a server is by default.
const release = await releaseOf();

const ALL_VERSIONS = { "api/all": true };
const MERGE = { type: "application/merge-patch+json" };
const APPLY = { type: "application/apply-patch+yaml" };

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false, scheduler: false, runtimeConfig: ALL_VERSIONS });
  api = cluster.transport();
  await done("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
});

afterAll(() => cluster.close());

const METADATA = ["labels", "annotations", "finalizers", "ownerReferences"];
const ALL = METADATA.join(" ");

/** What a write of a status takes of these four, and which of them its manager owns afterwards. */
type Row = readonly [resource: string, takes: string, owns: string];

/** As the status strategies of kube-apiserver 1.36 have it: PrepareForUpdate and GetResetFields. */
const ROWS: readonly Row[] = [
  ["/namespaces", ALL, ALL],
  ["/nodes", ALL, ALL],
  ["/persistentvolumeclaims", ALL, ALL],
  ["/persistentvolumes", ALL, ALL],
  ["/pods", "labels annotations finalizers", "labels annotations finalizers"],
  ["/replicationcontrollers", ALL, ALL],
  ["/resourcequotas", ALL, ALL],
  ["/services", ALL, ALL],
  ["admissionregistration.k8s.io/validatingadmissionpolicies", "", ""],
  ["apiextensions.k8s.io/customresourcedefinitions", ALL, ""],
  ["apiregistration.k8s.io/apiservices", "", ""],
  ["apps/daemonsets", ALL, ALL],
  ["apps/deployments", "annotations finalizers ownerReferences", "annotations finalizers ownerReferences"],
  ["apps/replicasets", ALL, ALL],
  ["apps/statefulsets", ALL, ALL],
  ["autoscaling/horizontalpodautoscalers", ALL, ALL],
  ["batch/cronjobs", ALL, ALL],
  ["batch/jobs", ALL, ALL],
  ["certificates.k8s.io/certificatesigningrequests", ALL, ALL],
  ["certificates.k8s.io/podcertificaterequests", "", ALL],
  ["flowcontrol.apiserver.k8s.io/flowschemas", "", ""],
  ["flowcontrol.apiserver.k8s.io/prioritylevelconfigurations", "", ""],
  ["internal.apiserver.k8s.io/storageversions", "", ""],
  ["lifecycle.k8s.io/evictionrequests", "", ""],
  ["lifecycle.k8s.io/evictions", "", ""],
  ["networking.k8s.io/ingresses", ALL, ALL],
  ["networking.k8s.io/servicecidrs", "", ALL],
  ["policy/poddisruptionbudgets", ALL, ALL],
  ["resource.k8s.io/devicetaintrules", "", ""],
  ["resource.k8s.io/resourceclaims", "", ""],
  ["resource.k8s.io/resourcepoolstatusrequests", "", ""],
  ["scheduling.k8s.io/compositepodgroups", "", ""],
  ["scheduling.k8s.io/podgroups", "", ""],
  ["storage.k8s.io/csinodes", "", ""],
  ["storage.k8s.io/volumeattachments", "", ""],
  ["storagemigration.k8s.io/storageversionmigrations", "", ""],
];

const POD_REQUEST = {
  signerName: "example.org/pods",
  podName: "web-1",
  podUID: "a",
  serviceAccountName: "default",
  serviceAccountUID: "b",
  nodeName: "node-1",
  nodeUID: "c",
  maxExpirationSeconds: 86400,
  stubPKCS10Request: "MA==",
};
const EVICTED = { target: { pod: { name: "web-1", uid: "7c7dfd4c-0fd0-4a5c-8c4c-0d0b5f3e6a11" } } };
const EVERYTHING = { verbs: ["*"], nonResourceURLs: ["*"] };

/** Valid objects of the kinds that {@link SAMPLES} does not have. */
const MORE: Readonly<Record<string, JsonObject>> = {
  "admissionregistration.k8s.io/validatingadmissionpolicies": {
    spec: {
      matchConstraints: {
        resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["limitranges"] }],
      },
      validations: [{ expression: "true" }],
    },
  },
  "apiregistration.k8s.io/apiservices": {
    metadata: { name: "v1.thing.example.org" },
    spec: {
      group: "thing.example.org",
      version: "v1",
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
  },
  "certificates.k8s.io/certificatesigningrequests": {
    spec: {
      request: Buffer.from((await certificateRequest("CN=someone")).request).toString("base64"),
      signerName: "example.org/signer",
      usages: ["client auth"],
    },
  },
  "certificates.k8s.io/podcertificaterequests": { spec: POD_REQUEST },
  "flowcontrol.apiserver.k8s.io/flowschemas": {
    spec: {
      priorityLevelConfiguration: { name: "gone" },
      matchingPrecedence: 10000,
      rules: [{ subjects: [{ kind: "Group", group: { name: "x" } }], nonResourceRules: [EVERYTHING] }],
    },
  },
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": {
    spec: { type: "Limited", limited: { nominalConcurrencyShares: 0, limitResponse: { type: "Reject" } } },
  },
  "internal.apiserver.k8s.io/storageversions": { metadata: { name: "things.example.org" }, spec: {} },
  "lifecycle.k8s.io/evictionrequests": { spec: { ...EVICTED, intent: "Eviction", requester: "example.org/me" } },
  "lifecycle.k8s.io/evictions": { spec: EVICTED },
  "resource.k8s.io/devicetaintrules": { spec: { taint: { key: "example.org/seen", value: "1", effect: "None" } } },
  "resource.k8s.io/resourceclaims": {
    spec: { devices: { requests: [{ name: "a", exactly: { deviceClassName: "gpu" } }] } },
  },
  "resource.k8s.io/resourcepoolstatusrequests": { spec: { driver: "gpu.example.org" } },
  "scheduling.k8s.io/compositepodgroups": {
    spec: { schedulingPolicy: { basic: {} }, workloadRef: { workloadName: "train", templateName: "workers" } },
  },
  "scheduling.k8s.io/podgroups": { spec: { schedulingPolicy: { basic: {} } } },
  "storage.k8s.io/csinodes": { spec: { drivers: [] } },
  "storagemigration.k8s.io/storageversionmigrations": {
    spec: { resource: { group: "apps", resource: "deployments" } },
  },
};

const owner = (name: string): JsonObject => ({ apiVersion: "v1", kind: "ConfigMap", name, uid: `uid-of-${name}` });
const metadataOf = (word: string): JsonObject => ({
  labels: { word },
  annotations: { word },
  finalizers: [`example.org/${word}`],
  ownerReferences: [owner(word)],
});

async function done(method: string, path: string, body?: unknown, options = {}): Promise<Answer> {
  const answer = await call(api, method, path, body, options);
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer;
}

/** The names of a field set's fields of metadata that one manager owns by the status. */
function ownedBy(manager: string, answer: Answer): string[] {
  const entries = answer.at("metadata.managedFields");
  const all = Array.isArray(entries) ? entries.filter(isJsonObject) : [];
  const found = all.find((entry) => entry["manager"] === manager && entry["subresource"] === "status");
  const fields = isJsonObject(found?.["fieldsV1"]) ? found["fieldsV1"]["f:metadata"] : undefined;
  return METADATA.filter((name) => isJsonObject(fields) && fields[`f:${name}`] !== undefined);
}

const statuses = release
  .servedResources(ALL_VERSIONS)
  .filter(({ subresources }) => subresources.some(({ name }) => name === "status"));

test("every built-in resource with a status is tested in this file", () => {
  const known = new Set(statuses.map(({ group, name }) => `${group}/${name}`));
  expect(ROWS.map(([resource]) => resource)).toEqual([...known].sort());
});

describe("a write of the status", () => {
  test.each(ROWS)("of %s changes this part of the metadata: %s", async (id, takes, owns) => {
    const facts = statuses.find(({ group, name }) => `${group}/${name}` === id);
    if (facts === undefined) throw new Error(`${id} is not served`);
    const { groupVersion, namespaced, name: plural } = facts;
    const root = `${groupVersion === "v1" ? "/api" : "/apis"}/${groupVersion}`;
    const path = `${root}/${namespaced ? "namespaces/default/" : ""}${plural}`;
    const sample = MORE[id] ?? SAMPLES[id];
    const given = sample?.["metadata"];
    const own = isJsonObject(given) && typeof given["name"] === "string" ? given["name"] : "";
    const name = id.endsWith("definitions") ? "things.example.com" : own || "stored";
    const created = await done("POST", path, { ...sample, metadata: { name, ...metadataOf("stored") } });
    const version = created.at("metadata.resourceVersion");
    const patch = { metadata: { ...metadataOf("sent"), resourceVersion: version } };
    const written = await done("PATCH", `${path}/${name}/status?fieldManager=s`, patch, MERGE);
    const taken = METADATA.filter((field) => JSON.stringify(written.at(`metadata.${field}`)).includes("sent"));
    expect(taken.join(" ")).toBe(takes);
    expect(ownedBy("s", written).join(" ")).toBe(owns);
    expect(written.at("metadata.generation")).toEqual(created.at("metadata.generation"));
    const read = await done("GET", `${path}/${name}`);
    expect(read.at("metadata")).toEqual(written.at("metadata"));
  });
});

test("a write of a custom resource's status changes no metadata, by patch, PUT or apply", async () => {
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const served = { served: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } };
  await done("POST", definitions, {
    metadata: { name: "widgets.status.example.com" },
    spec: {
      group: "status.example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [
        { name: "v1", storage: true, ...served },
        { name: "v2", storage: false, ...served },
      ],
    },
  });
  const kind = (version: string) => ({ apiVersion: `status.example.com/${version}`, kind: "Widget" });
  const at = (version: string): string => `/apis/status.example.com/${version}/namespaces/default/widgets`;
  while ((await call(api, "GET", at("v2"))).status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  const metadata = { name: "w", ...metadataOf("stored") };
  const stored = await done("POST", at("v1"), { ...kind("v1"), metadata, spec: { size: 1 } });
  const sent = (size: number, more: object = {}) => ({
    ...kind("v2"),
    metadata: { name: "w", ...metadataOf("sent"), ...more },
    spec: { size: 2 },
    status: { size },
  });
  const path = `${at("v2")}/w/status`;
  const version = { resourceVersion: stored.at("metadata.resourceVersion") };
  for (const [method, query, body, options] of [
    ["PUT", "fieldManager=put", sent(1, version), {}],
    ["PATCH", "fieldManager=patch", sent(2), MERGE],
    ["PATCH", "fieldManager=apply&force=true", sent(3), APPLY],
  ] as const) {
    const written = await done(method, `${path}?${query}`, body, options);
    expect(written.at("spec"), query).toEqual({ size: 1 });
    expect(written.at("status"), query).toEqual(body.status);
    for (const field of METADATA) {
      expect(written.at(`metadata.${field}`), `${query} ${field}`).toEqual(stored.at(`metadata.${field}`));
    }
    const manager = /fieldManager=(\w+)/.exec(query)?.[1] ?? "";
    expect(ownedBy(manager, written)).toEqual([]);
    expect(written.at("metadata.managedFields")).toContainEqual(
      expect.objectContaining({ manager, subresource: "status", fieldsV1: { "f:status": expect.anything() } }),
    );
  }
});

test("a PodCertificateRequest's certificate may only be written by users who may sign for its signer", async () => {
  const requests = "/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests";
  await done("POST", requests, { metadata: { name: "chain" }, spec: POD_REQUEST });
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const group = ["certificates.k8s.io"];
  const status = { apiGroups: group, resources: ["podcertificaterequests/status"], verbs: ["patch"] };
  const signing = (name: string) => ({
    apiGroups: group,
    resources: ["signers"],
    resourceNames: [name],
    verbs: ["sign"],
  });
  for (const [user, ...rules] of [
    ["writer", status],
    ["other", status, signing("example.org/other")],
    ["signer", status, signing("example.org/pods")],
    ["domain", status, signing("example.org/*")],
  ] as const) {
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: user };
    await done("POST", `${rbac}/clusterroles`, { metadata: { name: user }, rules });
    await done("POST", `${rbac}/clusterrolebindings`, { metadata: { name: user }, roleRef, subjects });
  }
  const path = `${requests}/chain/status?dryRun=All`;
  const write = (user: string, body: object) => asUser(api, user)("PATCH", path, body, MERGE);
  for (const user of ["writer", "other"]) {
    const refused = await write(user, { status: { certificateChain: "x" } });
    expect([refused.status, refused.at("details.causes")]).toEqual([
      422,
      [
        {
          reason: "FieldValueForbidden",
          message: `Forbidden: User "${user}" is not permitted to "sign" for signer "example.org/pods"`,
          field: "spec.signerName",
        },
      ],
    ]);
    expect((await write(user, { status: { conditions: [] } })).status).toBe(200);
  }
  for (const user of ["signer", "domain"]) {
    const written = await write(user, { status: { certificateChain: "x" } });
    expect(written.status, written.text).toBe(200);
  }
});
