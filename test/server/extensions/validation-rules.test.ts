import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { boxDefinition, boxesOf, DEFINITIONS, install as installDefinition } from "../../helpers/custom-definitions.js";

// x-kubernetes-validations on the wire: what the API server says of definitions with rules and of objects that break them.

const MERGE = { type: "application/merge-patch+json" };
const APPLY = { type: "application/apply-patch+yaml" };

const rule = (text: string, rest: JsonObject = {}): JsonObject => ({ rule: text, ...rest });

/** A definition of a kind of its own group whose spec has these fields and rules. */
function definition(group: string, properties: JsonObject, rules: JsonObject[], status: JsonObject = {}): JsonObject {
  const spec = { type: "object", properties, "x-kubernetes-validations": rules };
  const openAPIV3Schema = { type: "object", properties: { spec, status: { type: "object", ...status } } };
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    subresources: { status: {} },
  };
  return boxDefinition(group, [version]);
}

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
});
afterAll(() => cluster.close());

async function install(...given: Parameters<typeof definition>): Promise<string> {
  await installDefinition(api, definition(...given));
  return boxesOf(given[0]);
}

const box = (name: string, spec: JsonObject): JsonObject => ({ metadata: { name }, spec });
const integer = { type: "integer" };

describe("a custom object that violates a CEL rule", () => {
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

  test("is refused in its status too, and by rules of the whole object when the status is written", async () => {
    const status = { properties: { ready: integer }, "x-kubernetes-validations": [rule("self.ready >= 0")] };
    const boxes = await install("status.example.com", { max: integer }, [], status);
    await call(api, "POST", boxes, box("a", { max: 1 }));
    const wrong = await call(api, "PATCH", `${boxes}/a/status`, { status: { ready: -1 } }, MERGE);
    expect([wrong.status, wrong.at("message")]).toEqual([
      422,
      'Box.status.example.com "a" is invalid: status: Invalid value: failed rule: self.ready >= 0',
    ]);
    expect((await call(api, "PATCH", `${boxes}/a/status`, { status: { ready: 1 } }, MERGE)).status).toBe(200);
  });

  test("has the rule's reason and field in the cause, and the message of the messageExpression", async () => {
    const boxes = await install("causes.example.com", { max: integer }, [
      rule("self.max < 5", {
        reason: "FieldValueForbidden",
        fieldPath: ".max",
        messageExpression: "'%d is too many'.format([self.max])",
      }),
    ]);
    const wrong = await call(api, "POST", boxes, box("a", { max: 7 }));
    expect(wrong.at("details.causes")).toEqual([
      { field: "spec.max", message: "Forbidden: 7 is too many", reason: "FieldValueForbidden" },
    ]);
  });

  test("is not checked by rules when its schema refuses it", async () => {
    const boxes = await install("schema.example.com", { colour: { type: "string", enum: ["red"] } }, [rule("false")]);
    const wrong = await call(api, "POST", boxes, box("a", { colour: "blue" }));
    const refusal =
      'Box.schema.example.com "a" is invalid: [spec.colour: Unsupported value: "blue": supported values: "red", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]';
    expect(wrong.at("message")).toBe(refusal);
  });

  test("is checked by rules when its schema refuses only its size", async () => {
    const boxes = await install("size.example.com", { size: { type: "integer", minimum: 5 } }, [rule("self.size > 3")]);
    const wrong = await call(api, "POST", boxes, box("a", { size: 1 }));
    expect(wrong.at("details.causes.1.message")).toBe("Invalid value: failed rule: self.size > 3");
  });
});

describe("CEL rules of a custom resource see", () => {
  test("defaults, the object's names and what admission has set", async () => {
    const boxes = await install("sees.example.com", { size: { ...integer, default: 3 } }, [rule("self.size == 3")]);
    expect((await call(api, "POST", boxes, box("a", {}))).status).toBe(201);
    expect((await call(api, "POST", boxes, box("b", { size: 4 }))).status).toBe(422);
  });

  test("the old value, in an update only", async () => {
    const boxes = await install("transition.example.com", { size: integer }, [
      rule("self.size >= oldSelf.size", { message: "boxes do not shrink" }),
    ]);
    await call(api, "POST", boxes, box("a", { size: 3 }));
    const shrunk = await call(api, "PATCH", `${boxes}/a`, { spec: { size: 2 } }, MERGE);
    expect(shrunk.at("message")).toBe(
      'Box.transition.example.com "a" is invalid: spec: Invalid value: boxes do not shrink',
    );
    expect((await call(api, "PATCH", `${boxes}/a`, { spec: { size: 5 } }, MERGE)).status).toBe(200);
    expect((await call(api, "PATCH", `${boxes}/a`, { metadata: { labels: { a: "b" } } }, MERGE)).status).toBe(200);
  });
});

test("a later CEL rule only warns while the object is unchanged", async () => {
  const group = "later.example.com";
  const fields = { size: integer, colour: { type: "string" } };
  const boxes = await install(group, fields, []);
  await call(api, "POST", boxes, box("a", { size: 9 }));
  const ruled = { ...fields, size: { ...integer, "x-kubernetes-validations": [rule("self < 5")] } };
  const changed = definition(group, ruled, []);
  const patched = await call(
    api,
    "PATCH",
    `${DEFINITIONS}/boxes.${group}`,
    { spec: changed["spec"] as JsonObject },
    MERGE,
  );
  expect(patched.status).toBe(200);
  await eventually(async () => {
    expect((await call(api, "POST", boxes, box("b", { size: 9 }))).status).toBe(422);
  });
  const kept = await call(api, "PATCH", `${boxes}/a`, { spec: { colour: "red" } }, MERGE);
  expect([kept.status, [kept.headers["warning"]].flat()]).toEqual([
    200,
    ['299 - "spec.size: Invalid value: 9: failed rule: self < 5"'],
  ]);
  expect((await call(api, "PATCH", `${boxes}/a`, { spec: { size: 8 } }, MERGE)).status).toBe(422);
});

describe("a CustomResourceDefinition with an invalid CEL rule", () => {
  test("is refused with the place in the expression", async () => {
    const refused = await call(
      api,
      "POST",
      DEFINITIONS,
      definition("wrong.example.com", { a: integer }, [rule("self.b > 0")]),
    );
    expect(refused.status).toBe(422);
    expect(refused.at("details.causes.0.message")).toMatch(
      /^Invalid value: \{"Rule":"self\.b \\u003e 0",.*\}: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n \| self\.b > 0\n \| \.\.\.\.\^$/,
    );
  });

  test("is not stored at all", async () => {
    await call(api, "POST", DEFINITIONS, definition("none.example.com", { a: integer }, [rule("self.b > 0")]));
    expect((await call(api, "GET", `${DEFINITIONS}/boxes.none.example.com`)).status).toBe(404);
    expect((await call(api, "GET", "/apis/none.example.com")).status).toBe(404);
  });
});
