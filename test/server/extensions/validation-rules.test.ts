import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

// x-kubernetes-validations on the wire: what the API server says of definitions with rules and of objects that break them.

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MERGE = { type: "application/merge-patch+json" };
const APPLY = { type: "application/apply-patch+yaml" };

const rule = (text: string, rest: JsonObject = {}): JsonObject => ({ rule: text, ...rest });

/** A definition of a kind of its own group whose spec has these fields and rules. */
function definition(group: string, properties: JsonObject, rules: JsonObject[], status: JsonObject = {}): JsonObject {
  const spec = { type: "object", properties, "x-kubernetes-validations": rules };
  const openAPIV3Schema = { type: "object", properties: { spec, status: { type: "object", ...status } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `boxes.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "boxes", singular: "box", kind: "Box", listKind: "BoxList" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, subresources: { status: {} } },
      ],
    },
  };
}

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
});
afterAll(() => cluster.close());

async function install(...given: Parameters<typeof definition>): Promise<string> {
  const [group] = given;
  const created = await call(api, "POST", DEFINITIONS, definition(...given));
  expect(created.status, created.text).toBe(201);
  await eventually(async () => {
    const { text } = await call(api, "GET", `${DEFINITIONS}/boxes.${group}`);
    expect(text).toContain('"reason":"InitialNamesAccepted"');
  });
  return `/apis/${group}/v1/namespaces/default/boxes`;
}

const box = (name: string, spec: JsonObject): JsonObject => ({ metadata: { name }, spec });
const integer = { type: "integer" };

describe("an object that breaks a rule", () => {
  test("is refused at every write, with the field and the rule", async () => {
    const boxes = await install("writes.example.com", { min: integer, max: integer }, [rule("self.min <= self.max")]);
    const refusal = 'Box.writes.example.com "a" is invalid: spec: Invalid value: failed rule: self.min <= self.max';
    const wrong = await call(api, "POST", boxes, box("a", { min: 3, max: 2 }));
    expect([wrong.status, wrong.at("message")]).toEqual([422, refusal]);
    expect(wrong.at("details.causes")).toEqual([
      { field: "spec", message: "Invalid value: failed rule: self.min <= self.max", reason: "FieldValueInvalid" },
    ]);
    expect((await call(api, "POST", boxes, box("a", { min: 1, max: 2 }))).status).toBe(201);
    const current = await call(api, "GET", `${boxes}/a`);
    const put = { ...(JSON.parse(current.text) as JsonObject), spec: { min: 5, max: 2 } };
    expect((await call(api, "PUT", `${boxes}/a`, put)).at("message")).toBe(refusal);
    expect((await call(api, "PATCH", `${boxes}/a`, { spec: { min: 7 } }, MERGE)).at("message")).toBe(refusal);
    const applied = { apiVersion: "writes.example.com/v1", kind: "Box", ...box("a", { min: 9 }) };
    const apply = await call(api, "PATCH", `${boxes}/a?fieldManager=me&force=true`, applied, APPLY);
    expect(apply.at("message")).toBe(refusal);
    expect((await call(api, "GET", `${boxes}/a`)).at("spec")).toEqual({ min: 1, max: 2 });
  });
});
