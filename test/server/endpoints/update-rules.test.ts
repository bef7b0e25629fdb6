import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const MERGE = { type: "application/merge-patch+json" };
const hook = { name: "a.example.com", sideEffects: "None", admissionReviewVersions: ["v1"] };
const client = { clientConfig: { url: "https://example.com" } };
const schema = { openAPIV3Schema: { type: "object" } };

async function make(path: string, body: JsonObject): Promise<void> {
  const answer = await call(api, "POST", path, body);
  expect(answer.status, answer.text).toBe(201);
}

describe("a PUT without a resourceVersion", () => {
  const kinds: readonly (readonly [path: string, object: JsonObject, taken: boolean])[] = [
    ["/apis/storage.k8s.io/v1/csidrivers", { metadata: { name: "d" }, spec: {} }, false],
    ["/apis/storage.k8s.io/v1/csinodes", { metadata: { name: "n" }, spec: { drivers: [] } }, false],
    [
      "/apis/storage.k8s.io/v1/namespaces/default/csistoragecapacities",
      { metadata: { name: "c" }, storageClassName: "s" },
      false,
    ],
    [
      "/apis/storage.k8s.io/v1/volumeattachments",
      { metadata: { name: "a" }, spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "v" } } },
      false,
    ],
    ["/apis/storage.k8s.io/v1/storageclasses", { metadata: { name: "s" }, provisioner: "a.b/c" }, true],
    ["/apis/node.k8s.io/v1/runtimeclasses", { metadata: { name: "r" }, handler: "runc" }, false],
    [
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
      { metadata: { name: "w" }, webhooks: [{ ...hook, ...client }] },
      false,
    ],
    [
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
      { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"] } },
      false,
    ],
    [
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      {
        metadata: { name: "crons.example.com" },
        spec: {
          group: "example.com",
          scope: "Namespaced",
          names: { plural: "crons", kind: "Cron" },
          versions: [{ name: "v1", served: true, storage: true, schema }],
        },
      },
      false,
    ],
    [
      "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
      {
        metadata: { name: "l" },
        spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } },
      },
      true,
    ],
    ["/apis/networking.k8s.io/v1/ingressclasses", { metadata: { name: "i" }, spec: { controller: "a.b/c" } }, true],
    ["/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "p" }, value: 1 }, true],
    ["/apis/resource.k8s.io/v1/deviceclasses", { metadata: { name: "d" }, spec: {} }, true],
  ];
  test.each(kinds)("is accepted or refused at %s as in Kubernetes", async (path, object, taken) => {
    await make(path, object);
    const { name } = object["metadata"] as { name: string };
    const answer = await call(api, "PUT", `${path}/${name}`, object);
    if (taken) expect(answer.status, answer.text).toBe(200);
    else {
      expect(answer.status, answer.text).toBe(422);
      expect(answer.at("message")).toContain(
        "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
      );
    }
  });

  test("creates a missing RuntimeClass, and no StorageClass", async () => {
    const runtime = { metadata: { name: "new" }, handler: "runc" };
    expect((await call(api, "PUT", "/apis/node.k8s.io/v1/runtimeclasses/new", runtime)).status).toBe(201);
    const storage = { metadata: { name: "new" }, provisioner: "a.b/c" };
    expect((await call(api, "PUT", "/apis/storage.k8s.io/v1/storageclasses/new", storage)).status).toBe(404);
  });
});

describe("the metadata.generation of", () => {
  test("a CSI driver is raised by a changed spec", async () => {
    const path = "/apis/storage.k8s.io/v1/csidrivers";
    await make(path, { metadata: { name: "counted" }, spec: {} });
    const labelled = await call(api, "PATCH", `${path}/counted`, { metadata: { labels: { a: "b" } } }, MERGE);
    expect(labelled.at("metadata.generation")).toBe(1);
    const changed = await call(api, "PATCH", `${path}/counted`, { spec: { requiresRepublish: true } }, MERGE);
    expect(changed.at("metadata.generation")).toBe(2);
  });

  test("a ResourceSlice is raised by labels, and not by annotations", async () => {
    const path = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    const endpoints = [{ addresses: ["10.0.0.1"], deprecatedTopology: { a: "b" } }];
    await make(path, { metadata: { name: "s" }, addressType: "IPv4", endpoints });
    const noted = await call(api, "PATCH", `${path}/s`, { metadata: { annotations: { a: "b" } } }, MERGE);
    expect([noted.at("metadata.generation"), noted.at("endpoints.0.deprecatedTopology")]).toEqual([1, undefined]);
    const labelled = await call(api, "PATCH", `${path}/s`, { metadata: { labels: { a: "b" } } }, MERGE);
    expect(labelled.at("metadata.generation")).toBe(2);
  });

  test("a kind without generations is what the client sends", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    await make(path, { metadata: { name: "g", generation: 7 } });
    const changed = await call(api, "PATCH", `${path}/g`, { metadata: { generation: 9 }, data: { a: "b" } }, MERGE);
    expect(changed.at("metadata.generation")).toBe(7);
    expect((await call(api, "POST", path, { metadata: { name: "h", generation: -1 } })).status).toBe(422);
  });
});

describe("a write of the status", () => {
  const kinds: readonly (readonly [path: string, object: JsonObject])[] = [
    ["/apis/networking.k8s.io/v1/servicecidrs", { spec: { cidrs: ["10.200.0.0/24"] } }],
    [
      "/apis/storage.k8s.io/v1/volumeattachments",
      { spec: { attacher: "d", nodeName: "n", source: { persistentVolumeName: "v" } } },
    ],
    [
      "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
      { spec: { priorityLevelConfiguration: { name: "exempt" }, matchingPrecedence: 500 } },
    ],
  ];
  test.each(kinds)("leaves metadata unchanged at %s", async (path, object) => {
    await make(path, { metadata: { name: "still", labels: { a: "b" } }, ...object });
    const change = { metadata: { labels: { a: "c" }, annotations: { d: "e" }, finalizers: ["f.g/h"] } };
    const answer = await call(api, "PATCH", `${path}/still/status`, change, MERGE);
    expect(answer.status, answer.text).toBe(200);
    expect([answer.at("metadata.labels"), answer.at("metadata.annotations")]).toEqual([{ a: "b" }, undefined]);
  });

  test("of a definition keeps the versions in which objects were stored", async () => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
    await make(path, {
      metadata: { name: "clocks.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "clocks", kind: "Clock" },
        versions: [version("v1", true)],
      },
      status: { storedVersions: ["v0"] },
    });
    const both = { spec: { versions: [version("v1", false), version("v2", true)] } };
    const moved = await call(api, "PATCH", `${path}/clocks.example.com`, both, MERGE);
    expect(moved.status, moved.text).toBe(200);
    expect(moved.at("status.storedVersions")).toEqual(["v1", "v2"]);
    const gone = { spec: { versions: [version("v2", true)] } };
    const refused = await call(api, "PATCH", `${path}/clocks.example.com`, gone, MERGE);
    expect([refused.status, refused.at("details.causes.0.field")]).toEqual([422, "status.storedVersions[0]"]);
  });
});

describe("an update of an event", () => {
  const event = (name: string) => ({
    metadata: { name, namespace: "default" },
    regarding: { kind: "Pod", name: "p", namespace: "default" },
    reason: "Because",
    type: "Odd",
  });

  test("is strict in events.k8s.io/v1, and free in core/v1", async () => {
    const strict = await call(api, "POST", "/apis/events.k8s.io/v1/namespaces/default/events", event("strict"));
    expect(strict.status, strict.text).toBe(422);
    expect(strict.at("message")).toContain('type: Invalid value: "": has invalid value: Odd');
    const { regarding: involvedObject, ...rest } = event("lax");
    await make("/api/v1/namespaces/default/events", { ...rest, involvedObject });
    const path = "/apis/events.k8s.io/v1/namespaces/default/events/lax";
    const renamed = await call(api, "PATCH", path, { reason: "Other" }, MERGE);
    expect([renamed.status, renamed.at("details.causes.0.field")]).toEqual([422, "reason"]);
    expect((await call(api, "PATCH", "/api/v1/namespaces/default/events/lax", { reason: "Other" }, MERGE)).status).toBe(
      200,
    );
  });
});

describe("a pod that is replaced by PUT", () => {
  const PODS = "/api/v1/namespaces/default/pods";
  const manifest = (name: string, spec: JsonObject = {}): JsonObject => ({
    metadata: { name },
    spec: {
      serviceAccountName: "default",
      automountServiceAccountToken: false,
      containers: [{ name: "c", image: "i" }],
      ...spec,
    },
  });
  const replace = (name: string, spec: JsonObject = {}) => {
    const { metadata, ...rest } = manifest(name, spec);
    return call(api, "PUT", `${PODS}/${name}`, {
      metadata: { ...(metadata as JsonObject), labels: { a: "b" } },
      ...rest,
    });
  };

  test("gets again what Priority and DefaultTolerationSeconds had filled in", async () => {
    await make("/apis/scheduling.k8s.io/v1/priorityclasses", {
      metadata: { name: "calm" },
      value: 7,
      preemptionPolicy: "Never",
    });
    await make(PODS, manifest("again", { priorityClassName: "calm" }));
    const before = await call(api, "GET", `${PODS}/again`);
    const after = await replace("again", { priorityClassName: "calm" });
    expect(after.status, after.text).toBe(200);
    expect(after.at("metadata.labels")).toEqual({ a: "b" });
    expect(after.at("spec")).toEqual(before.at("spec"));
    expect([after.at("spec.priority"), after.at("spec.preemptionPolicy")]).toEqual([7, "Never"]);
    expect(after.at("metadata.generation")).toBe(1);
  });

  test("keeps its own tolerations before the added ones", async () => {
    await make(PODS, manifest("tolerant"));
    const own = { key: "example.com/t", operator: "Exists" };
    const after = await replace("tolerant", { tolerations: [own] });
    expect(after.status, after.text).toBe(200);
    expect(after.at("spec.tolerations.0")).toEqual(own);
    expect(after.at("spec.tolerations")).toHaveLength(3);
  });

  test("does not get again what ServiceAccount had filled in", async () => {
    await make(PODS, manifest("account"));
    const refused = await replace("account", { serviceAccountName: "" });
    expect([refused.status, (refused.at("details.causes") as unknown[]).length]).toEqual([422, 1]);
    expect(refused.at("message")).toContain('\n- "ServiceAccountName": "default",\n+ "ServiceAccountName": "",\n');
  });

  test("may not have another priority", async () => {
    await make(PODS, manifest("other"));
    const refused = await replace("other", { priority: 5 });
    expect(refused.at("message")).toContain('\n- "Priority": 0,\n+ "Priority": 5,\n');
  });
});

describe("the binding of a pod", () => {
  const PODS = "/api/v1/namespaces/default/pods";
  const target = { kind: "Node", name: "n" };
  const podNamed = (name: string, spec: JsonObject = {}) =>
    make(PODS, { metadata: { name, labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }], ...spec } });
  const bind = (name: string, metadata: JsonObject = {}) =>
    call(api, "POST", `${PODS}/${name}/binding`, { metadata: { name, ...metadata }, target });

  test("adds labels and annotations once", async () => {
    await podNamed("bound");
    const answer = await bind("bound", { labels: { a: "c", zone: "z" }, annotations: { d: "e" } });
    expect(answer.status, answer.text).toBe(201);
    const pod = await call(api, "GET", `${PODS}/bound`);
    expect(pod.at("spec.nodeName")).toBe("n");
    expect([pod.at("metadata.labels"), pod.at("metadata.annotations")]).toEqual([{ a: "c", zone: "z" }, { d: "e" }]);
    const again = await bind("bound");
    expect([again.status, again.at("message")]).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "bound": pod bound is already assigned to node "n"',
    ]);
  });

  test("is refused while the pod has scheduling gates", async () => {
    await podNamed("gated", { schedulingGates: [{ name: "example.com/g" }] });
    const answer = await bind("gated");
    expect([answer.status, answer.at("message")]).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "gated": pod gated has non-empty .spec.schedulingGates',
    ]);
  });

  test("is refused for another uid than the pod's", async () => {
    await podNamed("meant");
    expect((await bind("meant", { uid: "another" })).status).toBe(409);
    expect((await bind("meant", { resourceVersion: "1" })).status).toBe(409);
    const other = await call(api, "POST", `${PODS}/meant/binding`, { metadata: { name: "else" }, target });
    expect([other.status, other.at("message")]).toEqual([400, "name in URL does not match name in Binding object"]);
    expect((await call(api, "GET", `${PODS}/meant`)).at("spec.nodeName")).toBeUndefined();
  });
});

describe("a write of a scale", () => {
  test("with the uid of another object of that name is refused", async () => {
    const path = "/api/v1/namespaces/default/replicationcontrollers";
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    await make(path, { metadata: { name: "r" }, spec: { replicas: 0, selector: { a: "b" }, template } });
    const scale = { metadata: { name: "r", namespace: "default", uid: "another" }, spec: { replicas: 1 } };
    const put = await call(api, "PUT", `${path}/r/scale`, scale);
    expect([put.status, put.at("reason")]).toEqual([409, "Conflict"]);
    const uid = (await call(api, "GET", `${path}/r`)).at("metadata.uid") as string;
    const patched = await call(api, "PATCH", `${path}/r/scale`, { metadata: { uid: "another" } }, MERGE);
    expect([patched.status, patched.at("message")]).toEqual([
      409,
      `Operation cannot be fulfilled on replicationcontrollers/scale "r": Precondition failed: UID in precondition: another, UID in object meta: ${uid}`,
    ]);
  });
});
