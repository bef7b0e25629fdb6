import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { certificateRequest } from "../../helpers/certificate-request.js";
import {
  configMap,
  deployment,
  DEPLOYMENTS,
  managedWrites,
  MAPS,
  owners,
  pod,
  PODS,
  service,
  SERVICES,
} from "../../helpers/managed-writes.js";

// Who owns what after requests of every endpoint. What is expected is read from apimachinery's managedfields,
// structured-merge-diff and the registries' strategies of 1.36.

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const { create, merge, apply } = managedWrites(() => api);

describe("server-side apply gives nobody ownership of fields that the endpoint does not write:", () => {
  test("the status of a pod, through the pod", async () => {
    const made = await create(PODS, { ...pod("p1"), status: { phase: "Running" } });
    expect(owners(made)["Update creator"]).not.toHaveProperty("f:status");
  });

  test("the owners and the spec of a pod, through its status", async () => {
    await create(PODS, pod("p2"));
    const changed = await merge(`${PODS}/p2/status`, {
      metadata: { labels: { l: "1" }, ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "o", uid: "u" }] },
      spec: { activeDeadlineSeconds: 5 },
      status: { message: "m" },
    });
    expect([changed.status, changed.at("metadata.ownerReferences")]).toEqual([200, undefined]);
    expect(owners(changed)["Update patcher/status"]).toEqual({
      "f:metadata": { "f:labels": { ".": {}, "f:l": {} } },
      "f:status": { "f:message": {} },
    });
  });

  test("anything but resources, through a pod's resize", async () => {
    await create(PODS, pod("p3", [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }]));
    const resized = await merge(`${PODS}/p3/resize`, {
      metadata: { labels: { l: "1" } },
      spec: { containers: [{ name: "c", image: "other", resources: { requests: { cpu: "2" } } }] },
    });
    expect([resized.status, resized.at("spec.containers.0.image")]).toEqual([200, "i"]);
    expect(owners(resized)["Update patcher/resize"]).toEqual({
      "f:spec": { "f:containers": { 'k:{"name":"c"}': { "f:resources": { "f:requests": { "f:cpu": {} } } } } },
    });
  });

  test("anything but ephemeral containers, through their endpoint", async () => {
    await create(PODS, pod("p4"));
    const added = await merge(`${PODS}/p4/ephemeralcontainers`, {
      metadata: { labels: { l: "1" } },
      spec: { ephemeralContainers: [{ name: "e", image: "i", terminationMessagePolicy: "File" }] },
    });
    expect(added.status).toBe(200);
    const fields = owners(added)["Update patcher/ephemeralcontainers"] as JsonObject;
    expect(Object.keys(fields)).toEqual(["f:spec"]);
    expect(Object.keys(fields["f:spec"] as JsonObject)).toEqual(["f:ephemeralContainers"]);
  });

  test("the labels of a deployment, through its status", async () => {
    await create(DEPLOYMENTS, deployment("d1"));
    const changed = await merge(`${DEPLOYMENTS}/d1/status`, {
      metadata: { labels: { l: "1" }, annotations: { n: "1" } },
      spec: { replicas: 7 },
      status: { observedGeneration: 1 },
    });
    expect(owners(changed)["Update patcher/status"]).toEqual({
      "f:metadata": { "f:annotations": { ".": {}, "f:n": {} } },
      "f:status": { "f:observedGeneration": {} },
    });
  });

  test("the spec of a service, through its status", async () => {
    await create(SERVICES, service("s1", [{ port: 80 }]));
    const condition = {
      type: "example.com/c",
      status: "True",
      reason: "R",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const changed = await merge(`${SERVICES}/s1/status`, {
      spec: { sessionAffinity: "ClientIP" },
      status: { conditions: [condition] },
    });
    expect([changed.status, changed.at("spec.sessionAffinity")]).toEqual([200, "None"]);
    expect(owners(changed)["Update patcher/status"]).toEqual({
      "f:status": {
        "f:conditions": {
          ".": {},
          'k:{"type":"example.com/c"}': {
            ".": {},
            "f:lastTransitionTime": {},
            "f:message": {},
            "f:reason": {},
            "f:status": {},
            "f:type": {},
          },
        },
      },
    });
  });

  test("the request of a certificate, through it, and anything but its decision, through the approval", async () => {
    const { request } = await certificateRequest("CN=alice");
    const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    const made = await create(path, {
      metadata: { name: "r1", labels: { l: "1" } },
      spec: { request: Buffer.from(request).toString("base64"), signerName: "example.com/s", usages: ["client auth"] },
    });
    expect([made.status, owners(made)]).toEqual([
      201,
      { "Update creator": { "f:metadata": { "f:labels": { ".": {}, "f:l": {} } } } },
    ]);
    const approved = await merge(`${path}/r1/approval`, {
      spec: { usages: ["server auth"] },
      status: { conditions: [{ type: "Approved", status: "True", reason: "R", message: "m" }] },
    });
    expect([approved.status, approved.at("spec.usages")]).toEqual([200, ["client auth"]]);
    expect(owners(approved)["Update patcher/approval"]).toEqual({
      "f:status": {
        "f:conditions": {
          ".": {},
          // The times are written by the server later, but Go writes a time that is not set as null.
          'k:{"type":"Approved"}': {
            ".": {},
            "f:lastTransitionTime": {},
            "f:lastUpdateTime": {},
            "f:message": {},
            "f:reason": {},
            "f:status": {},
            "f:type": {},
          },
        },
      },
    });
  });
});

describe("managedFields of a scale", () => {
  const scale = (name: string, replicas: number) => ({
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name },
    spec: { replicas },
  });
  const entry = async (name: string, manager: string) => {
    const answer = await call(api, "GET", `${DEPLOYMENTS}/${name}`);
    const entries = answer.at("metadata.managedFields") as JsonObject[];
    return entries.find((one) => one["manager"] === manager);
  };

  test("have an entry without a time", async () => {
    await create(DEPLOYMENTS, deployment("sc1", { replicas: 1 }));
    await merge(`${DEPLOYMENTS}/sc1/scale`, { spec: { replicas: 2 } });
    expect(await entry("sc1", "patcher")).toEqual({
      manager: "patcher",
      operation: "Update",
      apiVersion: "apps/v1",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:spec": { "f:replicas": {} } },
      subresource: "scale",
    });
  });

  test("do not change for the same number, whoever sets it", async () => {
    const made = await create(DEPLOYMENTS, deployment("sc2", { replicas: 2 }));
    for (const manager of ["creator", "other"]) {
      const answer = await merge(`${DEPLOYMENTS}/sc2/scale`, { spec: { replicas: 2 } }, manager);
      expect([answer.status, answer.at("metadata.resourceVersion")]).toEqual([
        200,
        made.at("metadata.resourceVersion"),
      ]);
    }
  });

  test("conflict with the manager who applied the replicas, unless forced", async () => {
    await apply(`${DEPLOYMENTS}/sc3`, deployment("sc3", { replicas: 1 }), "fieldManager=owner");
    const refused = await apply(`${DEPLOYMENTS}/sc3/scale`, scale("sc3", 2));
    expect([refused.status, refused.at("message")]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "owner": .spec.replicas',
    ]);
    await apply(`${DEPLOYMENTS}/sc3/scale`, scale("sc3", 2), "fieldManager=applier&force=true");
    const owner = (await entry("sc3", "owner")) as JsonObject;
    expect((owner["fieldsV1"] as JsonObject)["f:spec"]).not.toHaveProperty("f:replicas");
    expect((await entry("sc3", "applier"))?.["fieldsV1"]).toEqual({ "f:spec": { "f:replicas": {} } });
  });

  test("let that manager then leave out the replicas, and the number stays", async () => {
    await apply(`${DEPLOYMENTS}/sc4`, deployment("sc4", { replicas: 1 }), "fieldManager=owner");
    await merge(`${DEPLOYMENTS}/sc4/scale`, { spec: { replicas: 3 } });
    const again = await apply(`${DEPLOYMENTS}/sc4`, deployment("sc4"), "fieldManager=owner");
    expect([again.status, again.at("spec.replicas")]).toEqual([200, 3]);
  });
});

describe("server-side apply of lists of ports", () => {
  test("accepts a port without its protocol, to which another manager may add", async () => {
    await apply(`${SERVICES}/pt1`, service("pt1", [{ port: 80, name: "web" }]), "fieldManager=one");
    const full = [{ port: 80, protocol: "TCP", targetPort: 8080 }];
    const both = await apply(`${SERVICES}/pt1`, service("pt1", full), "fieldManager=two");
    expect([both.status, both.at("spec.ports")]).toEqual([
      200,
      [{ name: "web", protocol: "TCP", port: 80, targetPort: 8080 }],
    ]);
    const port = (...fields: string[]) => ({
      "f:spec": {
        "f:ports": {
          'k:{"port":80,"protocol":"TCP"}': Object.fromEntries([".", ...fields].map((field) => [field, {}])),
        },
      },
    });
    expect(owners(both)).toEqual({
      "Apply one": port("f:name", "f:port"),
      "Apply two": port("f:port", "f:protocol", "f:targetPort"),
    });
    const refused = await apply(`${SERVICES}/pt1`, service("pt1", [{ port: 80, name: "other" }]), "fieldManager=three");
    expect(refused.at("message")).toBe(
      'Apply failed with 1 conflict: conflict with "one": .spec.ports[port=80,protocol="TCP"].name',
    );
  });

  test("removes a port that its last manager leaves out, and keeps one that another has", async () => {
    const [web, dns] = [
      { port: 80, name: "web" },
      { port: 53, protocol: "UDP", name: "dns" },
    ];
    await apply(`${SERVICES}/pt2`, service("pt2", [web, dns]), "fieldManager=one");
    await apply(`${SERVICES}/pt2`, service("pt2", [dns]), "fieldManager=two");
    await apply(`${SERVICES}/pt2`, service("pt2", [web]), "fieldManager=one");
    const kept = await call(api, "GET", `${SERVICES}/pt2`);
    expect((kept.at("spec.ports") as JsonObject[]).map(({ name }) => name)).toEqual(["web", "dns"]);
    const gone = await apply(
      `${SERVICES}/pt2`,
      { apiVersion: "v1", kind: "Service", metadata: { name: "pt2" } },
      "fieldManager=two",
    );
    expect((gone.at("spec.ports") as JsonObject[]).map(({ name }) => name)).toEqual(["web"]);
    expect(Object.keys(owners(gone))).toEqual(["Apply one"]);
  });
});

describe("resetting managedFields", () => {
  test.each([
    ["by an empty list", []],
    ["by one empty entry", [{}]],
  ])("%s, and then applying", async (name, managedFields) => {
    const id = `reset-${name.replaceAll(" ", "-")}`;
    await apply(`${MAPS}/${id}`, configMap(id, { a: "1" }), "fieldManager=one");
    const cleared = await merge(`${MAPS}/${id}`, { metadata: { managedFields } });
    expect(cleared.at("metadata.managedFields")).toBeUndefined();
    const untracked = await merge(`${MAPS}/${id}`, { data: { b: "1" } });
    expect(untracked.at("metadata.managedFields")).toBeUndefined();
    const applied = await apply(`${MAPS}/${id}`, configMap(id, { c: "1" }), "fieldManager=two");
    expect(owners(applied)).toEqual({
      "Apply two": { "f:data": { "f:c": {} } },
      "Update before-first-apply": { "f:data": { ".": {}, "f:a": {}, "f:b": {} } },
    });
    const refused = await apply(`${MAPS}/${id}`, configMap(id, { a: "2" }), "fieldManager=two");
    expect(refused.at("message")).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    );
  });

  test("is not possible through a subresource", async () => {
    await create(DEPLOYMENTS, deployment("keep"));
    const answer = await merge(`${DEPLOYMENTS}/keep/status`, { metadata: { managedFields: [] } });
    expect(Object.keys(owners(answer))).toEqual(["Update creator"]);
  });

  test("is not the effect of a valid entry, which replaces the others", async () => {
    await create(MAPS, configMap("edited", { a: "1" }));
    const managedFields = [
      {
        manager: "me",
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": { "f:a": {} } },
      },
    ];
    const answer = await merge(`${MAPS}/edited`, { metadata: { managedFields } });
    expect(owners(answer)).toEqual({ "Apply me": { "f:data": { "f:a": {} } } });
  });
});

describe("moving from kubectl's client-side apply to server-side apply", () => {
  const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";
  const clientSide = async (name: string, data: JsonObject) => {
    const last = `${JSON.stringify(configMap(name, data))}\n`;
    const object = { ...configMap(name, data), metadata: { name, annotations: { [ANNOTATION]: last } } };
    await call(api, "POST", `${MAPS}?fieldManager=kubectl-client-side-apply`, object);
  };

  test("gives kubectl the fields, and updates the annotation", async () => {
    await clientSide("csa1", { a: "1" });
    const applied = await apply(`${MAPS}/csa1`, configMap("csa1", { a: "2" }), "fieldManager=kubectl");
    expect([applied.status, applied.at("data")]).toEqual([200, { a: "2" }]);
    const annotations = applied.at("metadata.annotations") as JsonObject;
    expect(annotations[ANNOTATION]).toBe(
      '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"csa1"}}\n',
    );
  });

  test("does not give them to another manager", async () => {
    await clientSide("csa2", { a: "1" });
    const refused = await apply(`${MAPS}/csa2`, configMap("csa2", { a: "2" }), "fieldManager=helm");
    expect(refused.at("message")).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a',
    );
  });

  test("lets kubectl's upgrade of managedFields remove fields that are left out", async () => {
    await clientSide("csa3", { a: "1", b: "1" });
    const before = await call(api, "GET", `${MAPS}/csa3`);
    // What `kubectl apply --server-side` sends first: its client-side entry becomes an applied one of its own name.
    const entries = (before.at("metadata.managedFields") as JsonObject[]).map((entry) => ({
      ...entry,
      manager: "kubectl",
      operation: "Apply",
    }));
    const upgrade = [
      { op: "replace", path: "/metadata/managedFields", value: entries },
      { op: "replace", path: "/metadata/resourceVersion", value: before.at("metadata.resourceVersion") },
    ];
    const upgraded = await call(api, "PATCH", `${MAPS}/csa3`, upgrade, { type: "application/json-patch+json" });
    expect(Object.keys(owners(upgraded))).toEqual(["Apply kubectl"]);
    const applied = await apply(`${MAPS}/csa3`, configMap("csa3", { a: "1" }), "fieldManager=kubectl");
    expect(applied.at("data")).toEqual({ a: "1" });
  });
});

describe("a dry run", () => {
  test("of a server-side apply answers the conflict, or the object with its managers", async () => {
    await apply(`${MAPS}/dry1`, configMap("dry1", { a: "1" }), "fieldManager=one");
    const refused = await apply(`${MAPS}/dry1`, configMap("dry1", { a: "2" }), "fieldManager=two&dryRun=All");
    expect(refused.status).toBe(409);
    const forced = await apply(`${MAPS}/dry1`, configMap("dry1", { a: "2" }), "fieldManager=two&dryRun=All&force=true");
    expect(owners(forced)).toEqual({ "Apply two": { "f:data": { "f:a": {} } } });
    expect((await call(api, "GET", `${MAPS}/dry1`)).at("data")).toEqual({ a: "1" });
  });
});

describe("server-side apply in several versions of a kind", () => {
  const path = (version: string, name: string) =>
    `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/${name}`;
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
  const v1 = (name: string, spec: JsonObject) => ({
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata: { name },
    spec: { scaleTargetRef, maxReplicas: 3, ...spec },
  });
  const v2 = (name: string, spec: JsonObject) => ({
    ...v1(name, spec),
    apiVersion: "autoscaling/v2",
  });

  test("keeps the entry of a manager that changes its version, and removes what it leaves out", async () => {
    await apply(path("v1", "h1"), v1("h1", { minReplicas: 2 }));
    const moved = await apply(path("v2", "h1"), v2("h1", {}));
    // One is the default of a number nobody gives.
    expect([moved.status, moved.at("spec.minReplicas")]).toEqual([200, 1]);
    const entries = moved.at("metadata.managedFields") as JsonObject[];
    expect(entries.map((entry) => [entry["operation"], entry["manager"], entry["apiVersion"]])).toEqual([
      ["Apply", "applier", "autoscaling/v2"],
    ]);
  });

  test("has two entries for a manager's updates in two versions", async () => {
    await call(api, "POST", `${path("v1", "").slice(0, -1)}?fieldManager=me`, v1("h2", {}));
    const changed = await merge(path("v2", "h2"), { spec: { maxReplicas: 4 } }, "me");
    const entries = changed.at("metadata.managedFields") as JsonObject[];
    expect(entries.map((entry) => [entry["manager"], entry["apiVersion"]])).toEqual([
      ["me", "autoscaling/v1"],
      ["me", "autoscaling/v2"],
    ]);
    expect(entries[1]?.["fieldsV1"]).toEqual({ "f:spec": { "f:maxReplicas": {} } });
  });

  test("is refused in a version that is not the endpoint's", async () => {
    const answer = await apply(path("v2", "h3"), v1("h3", {}));
    expect([answer.status, answer.at("message")]).toEqual([
      400,
      "invalid object type: autoscaling/v1, Kind=HorizontalPodAutoscaler",
    ]);
  });
});
