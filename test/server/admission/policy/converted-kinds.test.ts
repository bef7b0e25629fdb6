import { afterAll, beforeAll, expect, test } from "vitest";
import { object } from "../../../../src/machinery/meta/access.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { int32, string, struct } from "../../../../src/machinery/schema/build-schema.js";
import type { ResourceDefinition } from "../../../../src/server/api-registry/resource-definition.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { bindingWith, enforce, mutatingPolicy, validatingPolicy } from "../../../helpers/policies.js";

const WIDGETS = (version: string): string => `/apis/example.com/${version}/namespaces/default/widgets`;
let fails = false;

/** v1 is stored and has spec.size; v2 has spec.length, and is converted later, as if by another process. */
const widgets: ResourceDefinition = {
  group: "example.com",
  resource: "widgets",
  kind: "Widget",
  namespaced: true,
  versions: [
    { version: "v1", schema: struct("Widget", { spec: struct("WidgetSpec", { size: int32, note: string }) }) },
    {
      version: "v2",
      schema: struct("Widget", { spec: struct("WidgetSpec", { length: int32, note: string }) }),
      conversion: {
        convertMany: async (objects, direction) => {
          await new Promise((resolve) => setImmediate(resolve));
          if (fails) throw new Error("the converter is broken");
          return objects.map((one) => {
            const { size, length, ...rest } = object(one["spec"]);
            return {
              ...one,
              spec: { ...rest, ...(direction === "toHub" ? { size: length } : { length: size }) },
            } as KubeObject;
          });
        },
      },
    },
  ],
};

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({}, undefined, undefined, { resources: [widgets] });
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
});

const rules = (version: string) => ({
  matchConstraints: {
    resourceRules: [{ apiGroups: ["example.com"], apiVersions: [version], operations: ["*"], resources: ["widgets"] }],
  },
});
const rows = [
  ["v1", "v2", "object.apiVersion == 'example.com/v2' && object.spec.length == 3 && request.kind.version == 'v2'"],
  ["v2", "v1", "object.apiVersion == 'example.com/v1' && object.spec.size == 3 && request.requestKind.version == 'v2'"],
  ["v2", "v2", "object.apiVersion == 'example.com/v2' && object.spec.length == 3"],
] as const;

const body = (version: string) => ({
  metadata: { name: "w" },
  spec: version === "v1" ? { size: 3 } : { length: 3 },
});

test.each(rows)(
  "an admission policy for a kind sees a request of %s in its own version %s",
  async (sent, ruled, expression) => {
    await using _ = await enforce(
      server.api,
      "validating",
      [validatingPolicy({ ...rules(ruled), validations: [{ expression }] })],
      [bindingWith("validating")],
    );
    const { status, text } = await call(server.api, "POST", `${WIDGETS(sent)}?dryRun=All`, body(sent));
    expect([status, status === 201 ? "" : text]).toEqual([201, ""]);
  },
);

test.each([
  ["v1", "v2", "Object{spec: Object.spec{length: object.spec.length + 1, note: 'grown'}}", { size: 4, note: "grown" }],
  ["v2", "v1", "Object{spec: Object.spec{size: object.spec.size + 1}}", { length: 4 }],
])(
  "a mutating admission policy changes a request of %s in its own version %s",
  async (sent, ruled, expression, spec) => {
    const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }];
    const resourceRules = rules(ruled).matchConstraints.resourceRules.map((one) => ({
      ...one,
      operations: ["CREATE"],
    }));
    await using _ = await enforce(
      server.api,
      "mutating",
      [mutatingPolicy({ matchConstraints: { resourceRules }, mutations })],
      [bindingWith("mutating")],
    );
    const answer = await call(server.api, "POST", `${WIDGETS(sent)}?dryRun=All`, body(sent));
    expect([answer.status, answer.at("spec")]).toEqual([201, spec]);
  },
);

test("an admission policy fails by its failure policy when the conversion fails", async () => {
  for (const failurePolicy of ["Fail", "Ignore"]) {
    await using _ = await enforce(
      server.api,
      "validating",
      [validatingPolicy({ ...rules("v2"), failurePolicy, validations: [{ expression: "false" }] })],
      [bindingWith("validating")],
    );
    fails = true;
    const { status, at } = await call(server.api, "POST", `${WIDGETS("v1")}?dryRun=All`, body("v1"));
    fails = false;
    const message =
      "widgets.example.com \"w\" is forbidden: ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: failed to configure binding: failed to convert object version: the converter is broken";
    expect([status, at("message")]).toEqual(failurePolicy === "Fail" ? [422, message] : [201, undefined]);
  }
});

test("a mutating admission policy fails by its failure policy when the conversion fails", async () => {
  const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }];
  const resourceRules = rules("v2").matchConstraints.resourceRules.map((one) => ({ ...one, operations: ["CREATE"] }));
  await using _ = await enforce(
    server.api,
    "mutating",
    [mutatingPolicy({ matchConstraints: { resourceRules }, mutations })],
    [bindingWith("mutating")],
  );
  fails = true;
  const { status, at } = await call(server.api, "POST", `${WIDGETS("v1")}?dryRun=All`, body("v1"));
  fails = false;
  expect([status, at("message")]).toEqual([
    403,
    'policy "policy" denied request: failed to configure policy: the converter is broken',
  ]);
});
