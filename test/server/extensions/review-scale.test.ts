import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, DEFINITIONS, install } from "../../helpers/custom-definitions.js";

const GROUP = "scales.example.com";
const MERGE = { type: "application/merge-patch+json" };
const ANY = { "x-kubernetes-preserve-unknown-fields": true };

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
  const openAPIV3Schema = { type: "object", properties: { spec: ANY, status: ANY } };
  await install(
    api,
    boxDefinition(GROUP, [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema },
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector",
          },
        },
      },
    ]),
  );
});
afterAll(() => cluster.close());

const path = boxesOf(GROUP);
const create = (name: string, spec: JsonObject) =>
  call(api, "POST", path, { apiVersion: `${GROUP}/v1`, kind: "Box", metadata: { name }, spec });

describe("a custom object without replicas", () => {
  beforeAll(async () => {
    expect((await create("without", {})).status).toBe(201);
  });

  test("has no scale to read", async () => {
    const read = await call(api, "GET", `${path}/without/scale`);
    expect(read.status).toBe(500);
    expect(read.at("message")).toBe('Internal error occurred: the spec replicas field ".spec.replicas" does not exist');
  });

  test("keeps having none unless the request names replicas", async () => {
    const patched = await call(api, "PATCH", `${path}/without/scale`, { metadata: {} }, MERGE);
    expect(patched.status).toBe(400);
    expect(patched.at("message")).toBe('the spec replicas field ".spec.replicas" cannot be empty');
  });

  test("gets replicas by a patch of its scale", async () => {
    const patched = await call(api, "PATCH", `${path}/without/scale`, { spec: { replicas: 3 } }, MERGE);
    expect(patched.at("spec.replicas")).toBe(3);
    expect((await call(api, "GET", `${path}/without`)).at("spec.replicas")).toBe(3);
  });
});

describe("invalid replicas of a custom object are refused", () => {
  beforeAll(async () => {
    expect((await create("whole", { replicas: 1 })).status).toBe(201);
  });

  const invalid = (name: string, problem: string): string => `Box.${GROUP} "${name}" is invalid: ${problem}`;

  test.each<[string, JsonObject, string]>([
    ["negative", { replicas: -1 }, ".spec.replicas: Invalid value: -1: should be a non-negative integer"],
    [
      "more than an int32 holds",
      { replicas: 2147483648 },
      ".spec.replicas: Invalid value: 2147483648: should be less than or equal to 2147483647",
    ],
    [
      "text",
      { replicas: "many" },
      ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: many is of the type string, expected int64",
    ],
    [
      "a fraction",
      { replicas: 1.5 },
      ".spec.replicas: Invalid value: 0: .spec.replicas accessor error: 1.5 is of the type float64, expected int64",
    ],
  ])("in a new object: %s", async (_, spec, problem) => {
    const created = await create("new", spec);
    expect(created.status).toBe(422);
    expect(created.at("message")).toBe(invalid("new", problem));
  });

  test("in a scale request", async () => {
    const patched = await call(api, "PATCH", `${path}/whole/scale`, { spec: { replicas: -1 } }, MERGE);
    expect(patched.status).toBe(422);
    expect(patched.at("message")).toBe(
      invalid("whole", ".spec.replicas: Invalid value: -1: should be a non-negative integer"),
    );
  });

  test.each<[string, JsonObject, string]>([
    ["replicas", { replicas: -2 }, ".status.replicas: Invalid value: -2: should be a non-negative integer"],
    [
      "selector",
      { selector: { app: "x" } },
      '.status.selector: Invalid value: "": .status.selector accessor error: map[app:x] is of the type map[string]interface {}, expected string',
    ],
  ])("in a status: %s", async (_, status, problem) => {
    const patched = await call(api, "PATCH", `${path}/whole/status`, { status }, MERGE);
    expect(patched.status).toBe(422);
    expect(patched.at("message")).toBe(invalid("whole", problem));
  });
});

test("creating an object whose definition is being deleted is refused by the resource's name", async () => {
  await call(api, "POST", path, {
    apiVersion: `${GROUP}/v1`,
    kind: "Box",
    metadata: { name: "held", finalizers: ["example.com/hold"] },
    spec: {},
  });
  await call(api, "DELETE", `${DEFINITIONS}/boxes.${GROUP}`);
  const created = await create("late", {});
  expect(created.status).toBe(405);
  expect(created.at("details")).toEqual({ group: GROUP, kind: "boxes" });
});
