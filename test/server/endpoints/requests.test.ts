import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call, type CallOptions } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, ...quietCluster });
  api = cluster.transport();
  await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
});

afterAll(() => cluster.close());

const MAPS = "/api/v1/namespaces/shop/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/shop/deployments";

const deployment = (name: string, extra: object = {}) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "nginx:1" }] } },
    ...extra,
  },
});

interface Refusal {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly options?: CallOptions;
  readonly status: number;
  readonly reason: string;
  readonly message: string;
}

const refusals: readonly Refusal[] = [
  {
    name: "an object that does not exist",
    method: "GET",
    path: `${MAPS}/nope`,
    status: 404,
    reason: "NotFound",
    message: 'configmaps "nope" not found',
  },
  {
    name: "a create in a namespace that does not exist",
    method: "POST",
    path: "/api/v1/namespaces/nowhere/configmaps",
    body: { metadata: { name: "x" } },
    status: 404,
    reason: "NotFound",
    message: 'namespaces "nowhere" not found',
  },
  {
    name: "an object of another namespace than the URL's",
    method: "POST",
    path: MAPS,
    body: { metadata: { name: "x", namespace: "other" } },
    status: 400,
    reason: "BadRequest",
    message: "the namespace of the provided object does not match the namespace sent on the request",
  },
  {
    name: "another kind than the URL's",
    method: "POST",
    path: MAPS,
    body: { apiVersion: "v1", kind: "Secret", metadata: { name: "x" } },
    status: 400,
    reason: "BadRequest",
    message:
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  },
  {
    name: "an unknown field under Strict",
    method: "POST",
    path: `${DEPLOYMENTS}?fieldValidation=Strict`,
    body: deployment("strict", { foo: 1 }),
    status: 400,
    reason: "BadRequest",
    message:
      'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo"',
  },
  {
    name: "a value of the wrong type",
    method: "POST",
    path: DEPLOYMENTS,
    body: deployment("wrong", { replicas: "two" }),
    status: 400,
    reason: "BadRequest",
    message:
      'Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  },
  {
    name: "a name no path can hold, and no DNS label",
    method: "POST",
    path: MAPS,
    body: { metadata: { name: "Bad_Name" } },
    status: 422,
    reason: "Invalid",
    message:
      "ConfigMap \"Bad_Name\" is invalid: metadata.name: Invalid value: \"Bad_Name\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  },
  {
    name: "a PUT whose name is not the URL's",
    method: "PUT",
    path: `${MAPS}/a`,
    body: { metadata: { name: "b" } },
    status: 400,
    reason: "BadRequest",
    message: "the name of the object (b) does not match the name on the URL (a)",
  },
  {
    name: "a body of a type nobody reads",
    method: "POST",
    path: MAPS,
    body: "a=b",
    options: { type: "application/x-www-form-urlencoded" },
    status: 415,
    reason: "UnsupportedMediaType",
    message:
      "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  },
  {
    name: "an Accept header nothing can satisfy",
    method: "GET",
    path: MAPS,
    options: { accept: "image/png" },
    status: 406,
    reason: "NotAcceptable",
    message:
      "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
  },
  {
    name: "a field selector the kind does not know",
    method: "GET",
    path: `${MAPS}?fieldSelector=spec.foo%3Dbar`,
    status: 400,
    reason: "BadRequest",
    message: '"spec.foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
  },
  {
    name: "a limit that is no number",
    method: "GET",
    path: `${MAPS}?limit=many`,
    status: 400,
    reason: "BadRequest",
    message: 'strconv.ParseInt: parsing "many": invalid syntax',
  },
  {
    name: "C-CFG-01: a body beyond 3 MiB",
    method: "POST",
    path: MAPS,
    body: { metadata: { name: "big" }, data: { x: "y".repeat(3 * 1024 * 1024) } },
    status: 413,
    reason: "RequestEntityTooLarge",
    message: "Request entity too large: limit is 3145728",
  },
  {
    name: "the deletion of a namespace the system needs",
    method: "DELETE",
    path: "/api/v1/namespaces/kube-system",
    status: 403,
    reason: "Forbidden",
    message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
  },
  {
    name: "a resource nobody serves",
    method: "GET",
    path: "/apis/apps/v1/namespaces/shop/foos",
    status: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
  },
  {
    name: "a verb the resource lacks",
    method: "POST",
    path: `${MAPS}/x`,
    body: {},
    status: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
  },
  {
    name: "an object of another group's kind",
    method: "PUT",
    path: `${DEPLOYMENTS}/x`,
    body: { apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: { name: "x" } },
    status: 400,
    reason: "BadRequest",
    message:
      'Ingress in version "v1" cannot be handled as a Deployment: converting (v1.Ingress) to (apps.Deployment): unknown conversion',
  },
  {
    name: "an object of a kind whose group has a long name",
    method: "POST",
    path: "/apis/networking.k8s.io/v1/namespaces/shop/ingresses",
    body: { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" } },
    status: 400,
    reason: "BadRequest",
    message:
      'Deployment in version "v1" cannot be handled as a Ingress: converting (v1.Deployment) to (networking.Ingress): unknown conversion',
  },
  ...[
    { method: "PUT", path: `${DEPLOYMENTS}/x/scale`, kind: "Scale", type: "autoscaling.Scale" },
    {
      method: "POST",
      path: "/api/v1/namespaces/shop/serviceaccounts/default/token",
      kind: "TokenRequest",
      type: "authentication.TokenRequest",
    },
    { method: "POST", path: "/api/v1/namespaces/shop/bindings", kind: "Binding", type: "core.Binding" },
    { method: "POST", path: "/api/v1/namespaces/shop/pods/x/binding", kind: "Binding", type: "core.Binding" },
    { method: "POST", path: "/api/v1/namespaces/shop/pods/x/eviction", kind: "Eviction", type: "policy.Eviction" },
    { method: "PUT", path: "/api/v1/namespaces/shop/pods/x/ephemeralcontainers", kind: "Pod", type: "core.Pod" },
    { method: "PUT", path: "/api/v1/namespaces/shop/pods/x/resize", kind: "Pod", type: "core.Pod" },
    {
      method: "PUT",
      path: "/apis/certificates.k8s.io/v1/certificatesigningrequests/x/approval",
      kind: "CertificateSigningRequest",
      type: "certificates.CertificateSigningRequest",
    },
  ].map(({ method, path, kind, type }) => ({
    name: `B-CHN-03: a ConfigMap for ${path.replace(/.*shop/, "")}`,
    method,
    path,
    body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } },
    status: 400,
    reason: "BadRequest",
    message: `ConfigMap in version "v1" cannot be handled as a ${kind}: converting (v1.ConfigMap) to (${type}): unknown conversion`,
  })),
  ...[
    { body: "", says: "empty data (<empty>)" },
    { body: "{}", says: "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})" },
    { body: "k8s\0", says: "empty body (6b387300)" },
  ].map(({ body, says }) => ({
    name: `a protobuf body of ${JSON.stringify(body)}`,
    method: "POST",
    path: MAPS,
    body,
    options: { type: "application/vnd.kubernetes.protobuf" },
    status: 400,
    reason: "BadRequest",
    message: `the object provided is unrecognized (must be of type ConfigMap): ${says}`,
  })),
  {
    name: "a watch of what is computed for each request",
    method: "GET",
    path: "/api/v1/componentstatuses?watch=true&timeoutSeconds=1",
    status: 405,
    reason: "MethodNotAllowed",
    message: 'watch is not supported on resources of kind "componentstatuses"',
  },
  {
    name: "the old watch path of what is computed for each request",
    method: "GET",
    path: "/api/v1/watch/componentstatuses?timeoutSeconds=1",
    status: 404,
    reason: "NotFound",
    message: "the server could not find the requested resource",
  },
  {
    name: "a deletion at an old watch path",
    method: "DELETE",
    path: "/api/v1/watch/namespaces/default/configmaps/any",
    status: 405,
    reason: "MethodNotAllowed",
    message: "the server does not allow this method on the requested resource",
  },
];

describe("the API refuses", () => {
  test.each(refusals)("$name", async ({ method, path, body, options, status, reason, message }) => {
    const answer = await call(api, method, path, body, options);
    expect({ status: answer.status, reason: answer.at("reason"), message: answer.at("message") }).toEqual({
      status,
      reason,
      message,
    });
    expect(answer.at("kind")).toBe("Status");
  });
});

test.each([
  { selector: "", names: ["controller-manager", "etcd-0", "scheduler"] },
  { selector: "labelSelector=a%3Db", names: [] },
  { selector: "labelSelector=a!%3Db", names: ["controller-manager", "etcd-0", "scheduler"] },
  { selector: "fieldSelector=metadata.name%3Detcd-0", names: ["etcd-0"] },
])("componentstatuses are listed by the selector '$selector'", async ({ selector, names }) => {
  const listed = await call(api, "GET", `/api/v1/componentstatuses?${selector}`);
  expect((listed.at("items") as readonly JsonObject[]).map((item) => (item.metadata as JsonObject).name)).toEqual(
    names,
  );
});

describe("the API, for an object,", () => {
  test("sets in a new one the system's fields, and drops those that a client may not set", async () => {
    const created = await call(api, "POST", DEPLOYMENTS, {
      ...deployment("fresh"),
      metadata: { name: "fresh", uid: "mine", creationTimestamp: "2001-01-01T00:00:00Z", generation: 7 },
      status: { replicas: 3 },
    });
    expect(created.status).toBe(201);
    expect(created.at("metadata.uid")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(created.at("metadata.generation")).toBe(1);
    expect(created.at("metadata.creationTimestamp")).not.toBe("2001-01-01T00:00:00Z");
    expect(created.at("status.replicas")).toBeUndefined();
  });

  test("makes a name of generateName with Kubernetes' alphabet", async () => {
    const created = await call(api, "POST", MAPS, { metadata: { generateName: "gen-" } });
    expect(created.at("metadata.name")).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("raises the generation for a changed spec, and not for labels or status", async () => {
    await call(api, "POST", DEPLOYMENTS, deployment("gen"));
    const patch = (path: string, body: object) =>
      call(api, "PATCH", `${DEPLOYMENTS}/gen${path}`, body, { type: "application/merge-patch+json" });
    expect((await patch("", { metadata: { labels: { a: "b" } } })).at("metadata.generation")).toBe(1);
    expect((await patch("/status", { spec: { replicas: 9 }, status: { replicas: 4 } })).at("spec.replicas")).toBe(1);
    expect((await patch("", { spec: { replicas: 2 }, status: { replicas: 0 } })).at("metadata.generation")).toBe(2);
    expect((await call(api, "GET", `${DEPLOYMENTS}/gen`)).at("status.replicas")).toBe(4);
  });

  test("writes nothing for an update without changes", async () => {
    const before = await call(api, "POST", MAPS, { metadata: { name: "same" }, data: { a: "b" } });
    const after = await call(api, "PUT", `${MAPS}/same`, JSON.parse(before.text));
    expect(after.at("metadata.resourceVersion")).toBe(before.at("metadata.resourceVersion"));
  });

  test("answers a conflict to an outdated update", async () => {
    const first = await call(api, "POST", MAPS, { metadata: { name: "stale" } });
    await call(api, "PUT", `${MAPS}/stale`, { ...JSON.parse(first.text), data: { a: "1" } });
    const second = await call(api, "PUT", `${MAPS}/stale`, { ...JSON.parse(first.text), data: { a: "2" } });
    expect(second.status).toBe(409);
    expect(second.at("message")).toBe(
      'Operation cannot be fulfilled on configmaps "stale": the object has been modified; please apply your changes to the latest version and try again',
    );
  });

  test("keeps it while it has a finalizer", async () => {
    await call(api, "POST", MAPS, { metadata: { name: "held", finalizers: ["example.com/hold"] } });
    const deleted = await call(api, "DELETE", `${MAPS}/held`);
    expect(deleted.at("metadata.deletionTimestamp")).toBeTypeOf("string");
    const added = await call(api, "PATCH", `${MAPS}/held`, { metadata: { finalizers: ["example.com/hold", "b.c/d"] } });
    expect(added.status).toBe(415);
    const merge = { type: "application/merge-patch+json" };
    const more = { metadata: { finalizers: ["example.com/hold", "b.c/d"] } };
    expect((await call(api, "PATCH", `${MAPS}/held`, more, merge)).status).toBe(422);
    await call(api, "PATCH", `${MAPS}/held`, { metadata: { finalizers: null } }, merge);
    expect((await call(api, "GET", `${MAPS}/held`)).status).toBe(404);
  });

  test("answers a dry run as a write, and writes nothing", async () => {
    const tried = await call(api, "POST", `${MAPS}?dryRun=All`, { metadata: { name: "dry" } });
    expect(tried.status).toBe(201);
    expect((await call(api, "GET", `${MAPS}/dry`)).status).toBe(404);
  });

  test("warns about unknown fields and drops them, unless asked otherwise", async () => {
    const made = await call(api, "POST", MAPS, { metadata: { name: "warned" }, foo: 1 });
    expect(made.headers["warning"]).toEqual(['299 - "unknown field \\"foo\\""']);
    expect(made.at("foo")).toBeUndefined();
  });

  test("reads and sets by scale the replicas alone", async () => {
    await call(api, "POST", DEPLOYMENTS, deployment("sized"));
    const scaled = await call(
      api,
      "PATCH",
      `${DEPLOYMENTS}/sized/scale`,
      { spec: { replicas: 5 } },
      {
        type: "application/merge-patch+json",
      },
    );
    expect(scaled.at("kind")).toBe("Scale");
    expect(scaled.at("status.selector")).toBe("app=sized");
    expect((await call(api, "GET", `${DEPLOYMENTS}/sized`)).at("spec.replicas")).toBe(5);
  });

  test("omits kind and apiVersion of list items, and makes tables and bare metadata by the Accept header", async () => {
    const list = await call(api, "GET", `${MAPS}?limit=1`);
    expect(list.at("kind")).toBe("ConfigMapList");
    expect(list.at("items.0.kind")).toBeUndefined();
    expect(list.at("metadata.continue")).toBeTypeOf("string");
    const table = await call(api, "GET", `${MAPS}/same`, undefined, {
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    });
    expect([table.at("kind"), table.at("rows.0.object.kind")]).toEqual(["Table", "PartialObjectMetadata"]);
  });

  test("answers a patch that does not fit in general words", async () => {
    const ops = [{ op: "remove", path: "/data/nope" }];
    const answer = await call(api, "PATCH", `${MAPS}/stale`, ops, { type: "application/json-patch+json" });
    expect([answer.status, answer.at("reason"), answer.at("message")]).toEqual([
      422,
      "Invalid",
      "the server rejected our request due to an error in our request",
    ]);
    expect(answer.at("details")).toEqual({});
  });

  test("accepts in a dry-run create a resourceVersion, unless the name exists", async () => {
    const map = { metadata: { name: "versioned", resourceVersion: "7" } };
    const made = await call(api, "POST", `${MAPS}?dryRun=All`, map);
    expect([made.status, made.at("metadata.resourceVersion")]).toEqual([201, "7"]);
    const stored = await call(api, "POST", MAPS, map);
    expect([stored.status, stored.at("message")]).toEqual([
      500,
      "resourceVersion should not be set on objects to be created",
    ]);
    const taken = await call(api, "POST", `${MAPS}?dryRun=All`, { metadata: { name: "stale", resourceVersion: "7" } });
    expect([taken.status, taken.at("reason")]).toEqual([409, "AlreadyExists"]);
  });
});

describe("a patch that changes apiVersion or kind", () => {
  const JSON_PATCH = "application/json-patch+json";
  const MERGE = "application/merge-patch+json";
  const map = `${MAPS}/kind`;
  const autoscaler = "/apis/autoscaling/v1/namespaces/shop/horizontalpodautoscalers/kind";
  const replace = (path: string, value: string) => [{ op: "replace", path, value }];

  beforeAll(async () => {
    await call(api, "POST", MAPS, { metadata: { name: "kind" } });
    await call(api, "POST", DEPLOYMENTS, deployment("kind"));
    const spec = { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "kind" } };
    await call(api, "POST", autoscaler.replace("/kind", ""), { metadata: { name: "kind" }, spec });
  });

  const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';
  test.each([
    [map, JSON_PATCH, replace("/kind", "Secret"), "converting (v1.Secret) to (core.ConfigMap): unknown conversion"],
    [map, MERGE, { kind: "Secret" }, "converting (v1.Secret) to (core.ConfigMap): unknown conversion"],
    [map, MERGE, { kind: "Secret", data: { a: "b" } }, "illegal base64 data at input byte 0"],
    [map, MERGE, { kind: "Foo" }, `no kind "Foo" is registered for version "v1" ${scheme}`],
    [map, JSON_PATCH, replace("/apiVersion", "v9"), `no kind "ConfigMap" is registered for version "v9" ${scheme}`],
    [map, MERGE, { apiVersion: "a/b/c" }, "unexpected GroupVersion string: a/b/c"],
    [
      map,
      MERGE,
      { kind: 5 },
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [
      `${DEPLOYMENTS}/kind/scale`,
      MERGE,
      { apiVersion: "v1", kind: "ConfigMap" },
      "converting (v1.ConfigMap) to (autoscaling.Scale): unknown conversion",
    ],
  ])("is refused: %s, %s %j: 422", async (path, type, patch, says) => {
    const answer = await call(api, "PATCH", path, patch, { type });
    expect([answer.status, answer.at("reason"), answer.at("details.causes.0.field")]).toEqual([
      422,
      "Invalid",
      "patch",
    ]);
    const message = answer.at("message") as string;
    expect(message).toMatch(/^ "" is invalid: patch: Invalid value: "\{/);
    expect(message.slice(-says.length - 4)).toBe(`}": ${says}`);
  });

  test.each([map, `${DEPLOYMENTS}/kind/scale`])("is refused when it removes apiVersion: %s: 400", async (path) => {
    const answer = await call(api, "PATCH", path, { apiVersion: null }, { type: MERGE });
    expect([answer.status, answer.at("message")]).toEqual([
      400,
      "the name of the object (kind based on URL) was undeterminable: name must be provided",
    ]);
  });

  test("to another version of the kind is converted, and a missing kind is filled in", async () => {
    const metric = {
      type: "Resource",
      resource: { name: "memory", target: { type: "Utilization", averageUtilization: 60 } },
    };
    const patch = { apiVersion: "autoscaling/v2", spec: { metrics: [metric], minReplicas: 2 } };
    const answer = await call(api, "PATCH", autoscaler, patch, { type: MERGE });
    expect([answer.status, answer.at("apiVersion"), answer.at("spec.minReplicas")]).toEqual([200, "autoscaling/v1", 2]);
    const second = await call(api, "GET", autoscaler.replace("/v1/", "/v2/"));
    expect(second.at("spec.metrics")).toEqual([metric]);
    const named = await call(api, "PATCH", map, { kind: null, data: { a: "b" } }, { type: MERGE });
    expect([named.status, named.at("kind"), named.at("data")]).toEqual([200, "ConfigMap", { a: "b" }]);
  });

  test("is impossible as a strategic merge patch", async () => {
    const answer = await call(
      api,
      "PATCH",
      map,
      { kind: "Secret" },
      { type: "application/strategic-merge-patch+json" },
    );
    expect([answer.status, answer.at("kind")]).toEqual([200, "ConfigMap"]);
  });

  test("differs from null as merge patch and an empty JSON patch", async () => {
    const merged = await call(api, "PATCH", map, "null", { type: MERGE });
    expect([merged.status, merged.at("message")]).toEqual([400, "Invalid JSON Patch"]);
    expect((await call(api, "PATCH", map, "null", { type: JSON_PATCH })).status).toBe(200);
  });
});

describe("a watch", () => {
  test("with streaming list ends its initial events with a bookmark", async () => {
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
    const answer = await call(api, "GET", `/api/v1/namespaces?${query}`);
    const events = answer.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; object: object });
    expect(events.slice(0, -1).every(({ type }) => type === "ADDED")).toBe(true);
    expect(events.at(-1)).toMatchObject({
      type: "BOOKMARK",
      object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } },
    });
  });

  test("ends when the cluster closes, which answers accepted requests", async () => {
    const other = await startCluster({ port: false, ...quietCluster });
    const transport = other.transport();
    const watching = call(transport, "GET", "/api/v1/namespaces?watch=true&resourceVersion=0");
    const writing = call(transport, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "last" } });
    await new Promise((resolve) => setImmediate(resolve));
    await other.close();
    expect((await writing).status).toBe(201);
    expect((await watching).status).toBe(200);
  });
});
