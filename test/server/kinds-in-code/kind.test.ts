import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  conversion,
  crdOf,
  int32,
  invalidValue,
  kind,
  kindFromCrd,
  kindFromOpenApi,
  list,
  map,
  startServer,
  string,
  struct,
} from "../../../src/cluster/server.js";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";
import { type Answer, call } from "../../helpers/api-caller.js";

const GROUP = "stable.example.com";

const v1 = struct("Widget", {
  spec: {
    schema: struct(
      "WidgetSpec",
      {
        min: int32,
        max: { schema: int32, default: 5, maximum: 10, description: "The most of them." },
        colour: { schema: string, enum: ["red", "blue"], description: "How it looks." },
        tags: { schema: list({ schema: string, pattern: "^[a-z]+$" }, { listType: "set" }), maxItems: 2 },
        sizes: map({ schema: int32, minimum: 1 }),
        replicas: int32,
        selector: string,
      },
      { rules: [{ rule: "!has(self.min) || self.min <= self.max", message: "min is above max", fieldPath: ".min" }] },
    ),
    description: "What is wanted.",
  },
  status: struct("WidgetStatus", { phase: string, replicas: int32 }),
});
const v1beta1 = struct("Widget", {
  spec: struct("WidgetSpec", { paint: { schema: string, maxLength: 4 }, replicas: int32 }),
  status: struct("WidgetStatus", { phase: string, replicas: int32 }),
});

const widgets = kind(
  GROUP,
  "Widget",
  {
    v1: {
      schema: v1,
      rules: [
        {
          at: "spec.colour",
          rule: "self == oldSelf",
          message: "the colour stays",
          reason: "FieldValueForbidden",
        },
      ],
      selectableFields: ["spec.colour"],
    },
    v1beta1: {
      schema: v1beta1,
      deprecated: true,
      conversion: conversion(v1beta1, v1, {
        toHub: ({ spec, status }) => ({
          spec: spec && {
            colour: spec.paint as "red" | undefined,
            replicas: spec.replicas,
            min: undefined,
            max: undefined,
            tags: undefined,
            sizes: undefined,
            selector: undefined,
          },
          status,
        }),
        fromHub: ({ spec, status }) => ({ spec: spec && { paint: spec.colour, replicas: spec.replicas }, status }),
      }),
    },
  },
  {
    storageVersion: "v1",
    shortNames: ["wd"],
    categories: ["all"],
    scale: {
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".spec.selector",
    },
    columns: [
      { name: "Colour", type: "string", jsonPath: ".spec.colour" },
      { name: "Span", type: "string", cell: ({ spec }) => JSON.stringify(spec), priority: 1 },
    ],
    validate: ({ metadata, spec }) =>
      spec?.selector === metadata?.name && spec?.selector !== undefined
        ? [invalidValue("spec.selector", spec.selector, "must not be the name")]
        : [],
  },
);

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({ port: false, resources: [widgets] });
});
afterAll(() => server.close());

const send = (method: string, path: string, body?: object, options?: object): Promise<Answer> =>
  call(server.transport(), method, path, body, options);
const collection = (version = "v1"): string => `/apis/${GROUP}/${version}/namespaces/default/widgets`;
const create = (name: string, spec: object, version = "v1"): Promise<Answer> =>
  send("POST", collection(version), {
    apiVersion: `${GROUP}/${version}`,
    kind: "Widget",
    metadata: { name },
    spec,
  });

describe("a kind defined in code", () => {
  test("A-CAP-04: is served with its names, its subresources and its defaults", async () => {
    const { resources } = JSON.parse((await send("GET", `/apis/${GROUP}/v1`)).text) as { resources: object[] };
    expect(resources).toMatchObject([
      { name: "widgets", singularName: "widget", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
      { name: "widgets/scale", kind: "Scale" },
      { name: "widgets/status", kind: "Widget" },
    ]);
    const made = await create("defaulted", { colour: "red" });
    expect([made.status, made.at("spec"), made.at("metadata.generation")]).toEqual([201, { max: 5, colour: "red" }, 1]);
  });

  test("refuses values by its rules, in the words of custom resources", async () => {
    const wrong = await create("wrong", { max: 11, colour: "green", tags: ["a", "B", "c"], sizes: { s: 0 } });
    expect(wrong.status).toBe(422);
    expect(wrong.at("details.causes")).toEqual([
      {
        reason: "FieldValueInvalid",
        message: "Invalid value: 11: spec.max in body should be less than or equal to 10",
        field: "spec.max",
      },
      {
        reason: "FieldValueNotSupported",
        message: 'Unsupported value: "green": supported values: "red", "blue"',
        field: "spec.colour",
      },
      {
        reason: "FieldValueInvalid",
        message: "Invalid value: \"B\": spec.tags[1] in body should match '^[a-z]+$'",
        field: "spec.tags[1]",
      },
      { reason: "FieldValueTooMany", message: "Too many: 3: must have at most 2 items", field: "spec.tags" },
      {
        reason: "FieldValueInvalid",
        message: "Invalid value: 0: spec.sizes.s in body should be greater than or equal to 1",
        field: "spec.sizes.s",
      },
      expect.objectContaining({ message: expect.stringContaining("some validation rules were not checked") }),
    ]);
    const crossed = await create("crossed", { min: 7 });
    expect(crossed.at("details.causes")).toEqual([
      { reason: "FieldValueInvalid", message: expect.stringContaining("min is above max"), field: "spec.min" },
    ]);
  });

  test("has rules for updates, by path and with a reason", async () => {
    await create("stays", { colour: "red" });
    const changed = await send(
      "PATCH",
      `${collection()}/stays`,
      { spec: { colour: "blue" } },
      { type: "application/merge-patch+json" },
    );
    expect(changed.at("details.causes")).toEqual([
      { reason: "FieldValueForbidden", message: "Forbidden: the colour stays", field: "spec.colour" },
    ]);
  });

  test("A-VAL-05: returns its own errors only when metadata has none", async () => {
    const own = await create("BAD", { max: 11 });
    expect(own.at("details.causes.0.field")).toBe("spec.max");
    expect(own.at("details.causes.1")).toBeUndefined();
    expect((await create("BAD", {})).at("details.causes.0.field")).toBe("metadata.name");
    const byFunction = await create("same", { selector: "same" });
    expect(byFunction.at("details.causes")).toEqual([
      { reason: "FieldValueInvalid", message: 'Invalid value: "same": must not be the name', field: "spec.selector" },
    ]);
  });

  test("validates an object in the version of its request, and warns about a deprecated one", async () => {
    const tooLong = await create("older", { paint: "purple" }, "v1beta1");
    expect(tooLong.at("details.causes.0.field")).toBe("spec.paint");
    const byHub = await create("older", { paint: "gold" }, "v1beta1");
    expect(byHub.at("details.causes.0.field")).toBe("spec.colour");
    const made = await create("older", { paint: "blue" }, "v1beta1");
    expect([made.status, made.headers["warning"]]).toEqual([
      201,
      [`299 - "${GROUP}/v1beta1 Widget is deprecated; use ${GROUP}/v1 Widget"`],
    ]);
    expect((await send("GET", `${collection()}/older`)).at("spec")).toEqual({ colour: "blue", max: 5 });
  });

  test("has columns by JSONPath and by function, a scale, and selectable fields", async () => {
    await create("shown", { colour: "blue", replicas: 2, selector: "app=shown" });
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const table = await send("GET", `${collection()}/shown`, undefined, { accept });
    expect(table.at("rows.0.cells")).toEqual(["shown", "blue", expect.stringContaining('"colour":"blue"')]);
    const scale = await send("GET", `${collection()}/shown/scale`);
    expect([scale.at("spec.replicas"), scale.at("status.selector")]).toEqual([2, "app=shown"]);
    const selected = await send("GET", `${collection()}?fieldSelector=spec.colour%3Dblue`);
    const { items } = JSON.parse(selected.text) as { items: { spec: { colour: string } }[] };
    expect(new Set(items.map(({ spec }) => spec.colour))).toEqual(new Set(["blue"]));
  });

  test("is described in OpenAPI with its descriptions and rules", async () => {
    const document = JSON.parse((await send("GET", `/openapi/v3/apis/${GROUP}/v1`)).text) as JsonObject;
    const { schemas } = document.components as { schemas: Record<string, JsonObject> };
    expect(schemas["com.example.stable.v1.Widget"]).toMatchObject({
      properties: {
        metadata: expect.anything(),
        spec: {
          description: "What is wanted.",
          properties: { max: { maximum: 10, default: 5, description: "The most of them." } },
          "x-kubernetes-validations": [{ message: "min is above max" }],
        },
      },
      "x-kubernetes-selectable-fields": [{ fieldPath: "spec.colour" }],
    });
  });
});

describe("converting between a kind defined in code and a CustomResourceDefinition", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ ...quietCluster, port: false });
  });
  afterAll(() => cluster.close());

  test("A-CAP-04: writes the kind as a definition that a server accepts", async () => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const made = await call(cluster.transport(), "POST", path, crdOf(widgets));
    expect(made.status, made.text).toBe(201);
    expect(made.at("spec.versions.0.additionalPrinterColumns")).toEqual([
      { name: "Colour", type: "string", jsonPath: ".spec.colour" },
    ]);
  });

  test("A-CAP-04: makes of a definition a kind that is served like custom resources", async () => {
    const made = kindFromCrd(crdOf(widgets), {
      validate: ({ metadata }) =>
        metadata?.name === "taken" ? [invalidValue("metadata.name", metadata.name, "is taken")] : [],
    });
    expect(crdOf(made)).toEqual(crdOf(widgets));
    const running = await startServer({ port: false, resources: [made] });
    try {
      const post = (name: string, spec: object) =>
        call(running.transport(), "POST", collection(), {
          apiVersion: `${GROUP}/v1`,
          kind: "Widget",
          metadata: { name },
          spec,
        });
      const good = await post("good", { colour: "red", unknown: 1 });
      expect([good.status, good.at("spec")]).toEqual([201, { colour: "red", max: 5 }]);
      expect((await post("bad", { max: 11 })).at("details.causes.0.field")).toBe("spec.max");
      expect((await post("taken", {})).at("details.causes.0.message")).toContain("is taken");
    } finally {
      await running.close();
    }
    expect(() => kindFromCrd({ kind: "Pod", apiVersion: "v1" })).toThrow(
      new TypeError("v1 Pod is not a CustomResourceDefinition of apiextensions.k8s.io/v1"),
    );
  });

  test("A-CAP-04: makes a kind of an OpenAPI document of either version, with its names and subresources", async () => {
    const gvk = { group: GROUP, version: "v1", kind: "Widget" };
    for (const path of ["/openapi/v2", `/openapi/v3/apis/${GROUP}/v1`]) {
      const document = JSON.parse((await send("GET", path)).text) as JsonObject;
      const made = kindFromOpenApi(document, gvk);
      expect(made).toMatchObject({ resource: "widgets", namespaced: true, kind: "Widget" });
      expect(made.versions[0]?.subresources).toEqual([{ name: "status" }]);
      expect(crdOf(made)["spec"]).toMatchObject({
        versions: [
          {
            schema: {
              openAPIV3Schema: {
                properties: { metadata: { type: "object" }, spec: { properties: { max: { maximum: 10 } } } },
              },
            },
          },
        ],
      });
      expect(() => kindFromOpenApi(document, { ...gvk, kind: "Gadget" })).toThrow(
        `the OpenAPI document has no Gadget of ${GROUP}/v1`,
      );
    }
    const core = JSON.parse((await call(cluster.transport(), "GET", "/openapi/v2")).text) as JsonObject;
    const pods = kindFromOpenApi(core, { group: "", version: "v1", kind: "Pod" });
    expect(pods).toMatchObject({ resource: "pods", namespaced: true });
  });
});

describe("an invalid declaration of a kind in code", () => {
  test.each([
    [
      "a rule at a place that the schema does not have",
      { rules: [{ at: "spec.size", rule: "true" }] },
      "kind Widget v1: spec.size: the schema has no such field for a rule",
    ],
    [
      "a column without a value",
      { columns: [{ name: "Size", type: "integer" }] },
      "kind Widget v1: the column Size needs a jsonPath or a cell, and not both",
    ],
    [
      "a column whose JSONPath has an error",
      { columns: [{ name: "Size", type: "integer", jsonPath: ".spec[" }] },
      "kind Widget v1: the jsonPath .spec[ of the column Size cannot be parsed",
    ],
  ] as const)("is refused for %s", (_, given, message) => {
    expect(() => kind(GROUP, "Widget", { v1: { schema: v1, ...given } as never })).toThrow(new TypeError(message));
  });
});
