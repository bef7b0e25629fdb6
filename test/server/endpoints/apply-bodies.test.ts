import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import {
  configMap,
  deployment,
  DEPLOYMENTS,
  managedWrites,
  MAPS,
  service,
  SERVICES,
} from "../../helpers/managed-writes.js";

// How an apply is refused that does not fit its kind, or sets a key twice. What is expected is read from
// structured-merge-diff's validation and from the patch handler of 1.36.

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = cluster.transport();
});

afterAll(() => cluster.close());

const { create, apply } = managedWrites(() => api);

describe("server-side apply of a configuration that does not fit its kind", () => {
  test.each([
    ["an unknown field", { foo: 1 }, ".foo: field not declared in schema"],
    ["an unknown field below", { metadata: { name: "x", foo: 1 } }, ".metadata.foo: field not declared in schema"],
    ["a list for a map", { data: ["a"] }, ".data: expected map, got &{[a]}"],
    ["a text for a map", { data: "a" }, ".data: expected map, got &{a}"],
    ["a number for a text", { data: { a: 1 } }, ".data.a: expected string, got &value.valueUnstructured{Value:1}"],
    ["a text for true or false", { immutable: "yes" }, ".immutable: expected boolean, got &{yes}"],
    [
      "two items of one set",
      { metadata: { name: "x", finalizers: ["a/b", "a/b"] } },
      '.metadata.finalizers: duplicate entries for key [="a/b"]',
    ],
    [
      "an item without its key",
      { metadata: { name: "x", ownerReferences: [{ name: "o" }] } },
      '.metadata.ownerReferences: element 0: associative list with keys has an element that omits all key fields ["uid"] (and doesn\'t have default values for any key fields)',
    ],
    [
      "two problems",
      { data: { a: 1 }, immutable: "yes" },
      "errors:\n  .data.a: expected string, got &value.valueUnstructured{Value:1}\n  .immutable: expected boolean, got &{yes}",
    ],
  ])("fails without a reason in the Status for %s", async (_, fields, problem) => {
    const { status, text } = await apply(`${MAPS}/x`, { ...configMap("x", {}), ...fields });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `failed to create typed patch object (/x; /v1, Kind=ConfigMap): ${problem}`,
      code: 400,
    });
  });

  test("also fails when the stored object does not fit", async () => {
    const path = "/api/v1/namespaces/default/serviceaccounts";
    await call(api, "POST", path, { metadata: { name: "nameless" }, secrets: [{}] });
    const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "nameless" } };
    const answer = await apply(`${path}/nameless`, { ...account, imagePullSecrets: [{ name: "a" }] });
    expect([answer.status, answer.at("message")]).toEqual([
      400,
      "failed to create typed live object (default/nameless; /v1, Kind=ServiceAccount): .secrets: element 0: " +
        'associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ]);
  });

  test("fails for two ports of one number and protocol", async () => {
    const ports = [{ port: 80 }, { port: 80, protocol: "TCP", name: "x" }];
    const { status, text } = await apply(`${SERVICES}/x`, service("x", ports));
    expect([status, (JSON.parse(text) as { message: string }).message]).toEqual([
      400,
      'failed to create typed patch object (/x; /v1, Kind=Service): .spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
    ]);
  });
});

describe("server-side apply of a configuration that sets a key twice", () => {
  const yaml = (name: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: "1"\n  a: "2"\n  b: "1"\n  b: "2"\n`;
  const json = (name: string) =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},\n"data":{"a":"1","a":"2"}}`;

  test("warns, and uses the last value", async () => {
    const answer = await apply(`${MAPS}/twice`, yaml("twice"));
    expect([answer.status, answer.at("data")]).toEqual([201, { a: "2", b: "2" }]);
    expect(answer.headers["warning"]).toEqual([
      '299 - "line 7: key \\"a\\" already set in map"',
      '299 - "line 9: key \\"b\\" already set in map"',
    ]);
  });

  test("warns for JSON too", async () => {
    const answer = await apply(`${MAPS}/twice-json`, json("twice-json"));
    expect([answer.status, answer.at("data")]).toEqual([201, { a: "2" }]);
    expect(answer.headers["warning"]).toEqual(['299 - "line 2: key \\"a\\" already set in map"']);
  });

  test("is refused with fieldValidation=Strict, and nothing is written", async () => {
    const answer = await apply(`${MAPS}/strict`, yaml("strict"), "fieldManager=applier&fieldValidation=Strict");
    expect([answer.status, answer.at("reason"), answer.at("message")]).toEqual([
      400,
      "BadRequest",
      'error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "a" already set in map\n  line 9: key "b" already set in map',
    ]);
    expect((await call(api, "GET", `${MAPS}/strict`)).status).toBe(404);
  });

  test("does not warn with fieldValidation=Ignore", async () => {
    const answer = await apply(`${MAPS}/ignored`, yaml("ignored"), "fieldManager=applier&fieldValidation=Ignore");
    expect([answer.status, answer.headers["warning"]]).toEqual([201, undefined]);
  });

  test("reports another error of the apply first", async () => {
    const text = yaml("x").replace("kind: ConfigMap", "kind: Secret");
    const answer = await apply(`${MAPS}/x`, text, "fieldManager=applier&fieldValidation=Strict");
    expect(answer.at("message")).toBe("invalid object type: /v1, Kind=Secret");
  });

  test("is treated the same for a scale", async () => {
    await create(DEPLOYMENTS, deployment("twice"));
    const text =
      "apiVersion: autoscaling/v1\nkind: Scale\nmetadata:\n  name: twice\nspec:\n  replicas: 2\n  replicas: 3\n";
    const answer = await apply(`${DEPLOYMENTS}/twice/scale`, text, "fieldManager=applier&force=true");
    expect([answer.status, answer.at("spec.replicas")]).toEqual([200, 3]);
    expect(answer.headers["warning"]).toEqual(['299 - "line 7: key \\"replicas\\" already set in map"']);
  });

  test("is treated the same for a create in YAML", async () => {
    const warned = await call(api, "POST", MAPS, yaml("made"), { type: "application/yaml" });
    expect(warned.status).toBe(201);
    expect(warned.headers["warning"]).toEqual([
      '299 - "line 7: key \\"a\\" already set in map"',
      '299 - "line 9: key \\"b\\" already set in map"',
    ]);
    const strict = await call(api, "POST", `${MAPS}?fieldValidation=Strict`, yaml("made-strict"), {
      type: "application/yaml",
    });
    expect([strict.status, strict.at("message")]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:\n  line 7: key "a" already set in map\n  line 9: key "b" already set in map',
    ]);
  });
});
