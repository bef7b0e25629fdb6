import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, DEFINITIONS, install, versionOf } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

const GROUP = "verbs.example.com";
const BOXES = boxesOf(GROUP);
const MERGE = "application/merge-patch+json";
const size = { size: { type: "integer" } };

let cluster: Cluster;
let api: Transport;
beforeAll(async () => {
  cluster = await startCluster({ port: false, ...quietCluster });
  api = cluster.transport();
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" };
  const versions = [
    versionOf("v1", size, { subresources: { status: {}, scale } }),
    versionOf("v1alpha1", { size: { type: "string" } }, { storage: false }),
    versionOf("v1beta1", size, { storage: false, served: false }),
  ];
  await install(api, boxDefinition(GROUP, versions));
  await install(api, boxDefinition("cluster.example.com", [versionOf("v1", size)], { scope: "Cluster" }));
});
afterAll(() => cluster.close());

const send = async (method: string, path: string, body?: unknown, type = "application/json") =>
  call(api, method, path, body, { type });
const box = (name: string) => ({ apiVersion: `${GROUP}/v1`, kind: "Box", metadata: { name }, spec: { size: 1 } });

test("EXT-3: definitions and their status are resources of apiextensions.k8s.io/v1", async () => {
  const { at } = await send("GET", "/apis/apiextensions.k8s.io/v1");
  const resources = at("resources") as unknown as readonly { name: string; kind: string }[];
  expect(resources.map(({ name, kind }) => [name, kind])).toEqual([
    ["customresourcedefinitions", "CustomResourceDefinition"],
    ["customresourcedefinitions/status", "CustomResourceDefinition"],
  ]);
  expect((await send("GET", `${DEFINITIONS}/boxes.${GROUP}/status`)).at("status.acceptedNames.kind")).toBe("Box");
});

test("EXT-4: kinds appear and disappear below /apis while the server runs", async () => {
  const group = "passing.example.com";
  const path = `/apis/${group}/v1`;
  expect((await send("GET", path)).text).toBe("404 page not found\n");
  await install(api, boxDefinition(group, [versionOf("v1", size)]));
  await eventually(async () => expect((await send("GET", path)).status).toBe(200));
  expect((await send("GET", boxesOf(group))).status).toBe(200);
  await send("DELETE", `${DEFINITIONS}/boxes.${group}`);
  await eventually(async () => expect((await send("GET", path)).text).toBe("404 page not found\n"));
  expect((await send("GET", boxesOf(group))).status).toBe(404);
});

test("EXT-5: /apis lists the group, /apis/<group> its versions, /apis/<group>/<version> its resources; below are the objects", async () => {
  const groups = (await send("GET", "/apis")).at("groups") as unknown as readonly { name: string }[];
  expect(groups.map(({ name }) => name)).toContain(GROUP);
  const group = await send("GET", `/apis/${GROUP}`);
  expect([group.at("kind"), group.at("versions.0.version"), group.at("versions.1.version")]).toEqual([
    "APIGroup",
    "v1",
    "v1alpha1",
  ]);
  const version = await send("GET", `/apis/${GROUP}/v1`);
  expect([version.at("kind"), version.at("resources.0.name")]).toEqual(["APIResourceList", "boxes"]);
  expect((await send("GET", BOXES)).at("kind")).toBe("BoxList");
});

describe("EXT-6: a path without a definition answers 404", () => {
  test.each([
    ["a resource that no definition names", "GET", `/apis/${GROUP}/v1/namespaces/default/crates`],
    ["a resource of the whole cluster in a namespace", "GET", "/apis/cluster.example.com/v1/namespaces/default/boxes"],
    ["an object of a namespaced kind without its namespace", "GET", `/apis/${GROUP}/v1/boxes/one`],
    ["a version that is not served", "GET", boxesOf(GROUP, "v1beta1")],
    ["a version that there is none of", "GET", boxesOf(GROUP, "v2")],
  ])("for %s", async (_, method, path) => {
    expect((await send(method, path)).status).toBe(404);
  });

  test("for a kind whose names belong to another definition", async () => {
    const group = "twice.example.com";
    await install(api, boxDefinition(group, [versionOf("v1", size)]));
    const names = { plural: "crates", singular: "crate", kind: "Box", listKind: "CrateList" };
    const second = boxDefinition(group, [versionOf("v1", size)], { names });
    await send("POST", DEFINITIONS, { ...second, metadata: { name: `crates.${group}` } });
    await eventually(async () => {
      const found = await send("GET", `${DEFINITIONS}/crates.${group}`);
      expect(found.at("status.conditions")).toContainEqual(
        expect.objectContaining({ type: "NamesAccepted", status: "False", reason: "KindConflict" }),
      );
    });
    expect((await send("GET", `/apis/${group}/v1/namespaces/default/crates`)).status).toBe(404);
  });

  test("for a namespaced kind across all namespaces, except for list and watch", async () => {
    const all = `/apis/${GROUP}/v1/boxes`;
    expect((await send("GET", all)).status).toBe(200);
    expect((await send("GET", `${all}?watch=true&timeoutSeconds=1`)).status).toBe(200);
    expect((await send("POST", all, box("nowhere"))).status).toBe(405);
    expect((await send("DELETE", all)).status).toBe(405);
  });
});

test("EXT-7: a custom object has the subresources status and scale, and no others", async () => {
  expect((await send("POST", BOXES, box("parts"))).status).toBe(201);
  const status = await send("PATCH", `${BOXES}/parts/status`, { status: { size: 3 }, spec: { size: 9 } }, MERGE);
  expect([status.status, status.at("spec.size")]).toEqual([200, 1]);
  const scale = await send("GET", `${BOXES}/parts/scale`);
  expect([scale.at("kind"), scale.at("spec.replicas")]).toEqual(["Scale", 1]);
  for (const other of ["log", "approval", "x"]) expect((await send("GET", `${BOXES}/parts/${other}`)).status).toBe(404);
  expect((await send("GET", `${boxesOf(GROUP, "v1alpha1")}/parts/scale`)).status).toBe(404);
});

test("EXT-8: a custom resource has the verbs get, list, watch, create, update, patch, delete and deletecollection", async () => {
  const verbs = (await send("GET", `/apis/${GROUP}/v1`)).at("resources.0.verbs") as readonly string[];
  expect(verbs.toSorted()).toEqual(
    ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"].toSorted(),
  );
  const created = await send("POST", BOXES, box("verbs"));
  expect(created.status).toBe(201);
  const metadata = created.at("metadata") as object;
  const version = created.at("metadata.resourceVersion") as string;
  expect((await send("GET", `${BOXES}/verbs`)).at("spec.size")).toBe(1);
  expect((await send("PUT", `${BOXES}/verbs`, { ...box("verbs"), metadata, spec: { size: 2 } })).at("spec.size")).toBe(
    2,
  );
  const watch = await send("GET", `${BOXES}?watch=true&resourceVersion=${version}&timeoutSeconds=1`);
  expect(JSON.parse(watch.text.split("\n")[0] ?? "")).toMatchObject({
    type: "MODIFIED",
    object: { spec: { size: 2 } },
  });
  expect((await send("PATCH", `${BOXES}/verbs`, { spec: { size: 3 } }, MERGE)).at("spec.size")).toBe(3);
  const operations = [{ op: "replace", path: "/spec/size", value: 4 }];
  expect((await send("PATCH", `${BOXES}/verbs`, operations, "application/json-patch+json")).at("spec.size")).toBe(4);
  const applied = await send(
    "PATCH",
    `${BOXES}/verbs?fieldManager=me&force=true`,
    { ...box("verbs"), spec: { size: 5 } },
    "application/apply-patch+yaml",
  );
  expect(applied.at("spec.size")).toBe(5);
  const strategic = "application/strategic-merge-patch+json";
  expect((await send("PATCH", `${BOXES}/verbs`, { spec: { size: 6 } }, strategic)).status).toBe(415);
  expect((await send("DELETE", `${BOXES}/verbs`)).status).toBe(200);
  await send("POST", BOXES, box("collected"));
  expect((await send("DELETE", BOXES)).status).toBe(200);
  expect((await send("GET", BOXES)).at("items")).toEqual([]);
});

test("EXT-8: objects cannot be created while the definition is terminating", async () => {
  const group = "ending.example.com";
  await install(api, boxDefinition(group, [versionOf("v1", size)]));
  const kept = {
    ...box("kept"),
    apiVersion: `${group}/v1`,
    metadata: { name: "kept", finalizers: ["example.com/held"] },
  };
  expect((await send("POST", boxesOf(group), kept)).status).toBe(201);
  await send("DELETE", `${DEFINITIONS}/boxes.${group}`);
  const refused = await send("POST", boxesOf(group), { ...kept, metadata: { name: "late" } });
  expect([refused.status, refused.at("reason"), refused.at("message")]).toEqual([
    405,
    "MethodNotAllowed",
    "create not allowed while custom resource definition is terminating",
  ]);
  await send("PATCH", `${boxesOf(group)}/kept`, { metadata: { finalizers: null } }, MERGE);
});

test("EXT-9: each version has its own schema, and a changed definition applies to later requests", async () => {
  const group = "changing.example.com";
  const boxes = boxesOf(group);
  const alpha = versionOf("v1alpha1", { size: { type: "integer", maximum: 5 } }, { storage: false });
  await install(api, boxDefinition(group, [versionOf("v1", size), alpha]));
  const of = (version: string, name: string) => ({
    ...box(name),
    apiVersion: `${group}/${version}`,
    spec: { size: 7 },
  });
  expect((await send("POST", boxes, of("v1", "wide"))).status).toBe(201);
  expect((await send("POST", boxesOf(group, "v1alpha1"), of("v1alpha1", "narrow"))).status).toBe(422);
  const path = `${DEFINITIONS}/boxes.${group}`;
  const { text } = await send("GET", path);
  expect((await send("PUT", path, text.replace('"maximum":5', '"maximum":10'))).status).toBe(200);
  await eventually(async () => {
    expect((await send("POST", boxesOf(group, "v1alpha1"), of("v1alpha1", "narrow"))).status).toBe(201);
  });
});
