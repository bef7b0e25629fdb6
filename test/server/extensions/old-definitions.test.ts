import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { list, object, objects, text } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { DEFINITIONS, established } from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";

// Definitions as apiextensions.k8s.io/v1beta1 had them until Kubernetes 1.21. Texts: apiextensions-apiserver's
// pkg/apis/apiextensions/validation and pkg/controller/nonstructuralschema of that time.

const BETA = "apiextensions.k8s.io/v1beta1";
const OLD = `/apis/${BETA}/customresourcedefinitions`;
const MERGE = { type: "application/merge-patch+json" };
const APPLY = { type: "application/apply-patch+yaml" };
const WARNING =
  '299 - "apiextensions.k8s.io/v1beta1 CustomResourceDefinition is deprecated in v1.16+, unavailable in v1.22+; use apiextensions.k8s.io/v1 CustomResourceDefinition"';

/** A definition of the kind Box, in a group that no other test uses. */
function definition(group: string, spec: JsonObject): JsonObject {
  return {
    apiVersion: BETA,
    kind: "CustomResourceDefinition",
    metadata: { name: `boxes.${group}` },
    spec: { group, scope: "Namespaced", names: { plural: "boxes", kind: "Box" }, ...spec },
  };
}

const schemaOf = (properties: JsonObject): JsonObject => ({
  openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
});
const SIZE = schemaOf({ size: { type: "integer" } });
/** It does not say what spec is. */
const LOOSE: JsonObject = { openAPIV3Schema: { properties: { spec: { properties: { size: { type: "integer" } } } } } };
const LOOSE_AT = "spec.versions[0].schema.openAPIV3Schema";
const one = { name: "v1", served: true, storage: true };
const two = { name: "v2", served: true, storage: false };

let cluster: Cluster;
let api: Transport;
let groups = 0;
const newGroup = (): string => `old${(groups += 1)}.example.com`;
const boxesOf = (group: string, version = "v1"): string => `/apis/${group}/${version}/namespaces/default/boxes`;

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false, runtimeConfig: { [BETA]: true } });
  api = cluster.transport();
});
afterAll(() => cluster.close());

async function install(spec: JsonObject): Promise<string> {
  const group = newGroup();
  const created = await call(api, "POST", OLD, definition(group, spec));
  expect(created.status, created.text).toBe(201);
  await established(api, `boxes.${group}`);
  return group;
}

const specOf = (answer: Answer): JsonObject => answer.at("spec") as JsonObject;
const v1 = (group: string): Promise<Answer> => call(api, "GET", `${DEFINITIONS}/boxes.${group}`);
const beta = (group: string): Promise<Answer> => call(api, "GET", `${OLD}/boxes.${group}`);

function conditionOf(answer: Answer, type: string): JsonObject | undefined {
  const found = objects(object(answer.at("status")).conditions).find((condition) => condition.type === type);
  return found as JsonObject | undefined;
}

describe("a server with or without apiextensions.k8s.io/v1beta1", () => {
  test.each<[string, Record<string, boolean>]>([
    ["without runtimeConfig", {}],
    ["that serves all beta versions", { "api/beta": true }],
    ["that serves all versions", { "api/all": true }],
    ["that turns the version off", { [BETA]: false }],
  ])("answers 404 %s", async (_, runtimeConfig) => {
    const other = await startCluster({ port: false, controllers: false, runtimeConfig });
    try {
      const answer = await call(other.transport(), "POST", OLD, definition("a.example.com", { version: "v1" }));
      expect(answer.status).toBe(404);
      const group = await call(other.transport(), "GET", "/apis/apiextensions.k8s.io");
      expect(list(group.at("versions")).map((version) => object(version).version)).toEqual(["v1"]);
    } finally {
      await other.close();
    }
  });

  test("serves it behind v1 when --runtime-config names it", async () => {
    const group = await call(api, "GET", "/apis/apiextensions.k8s.io");
    expect(list(group.at("versions")).map((version) => object(version).version)).toEqual(["v1", "v1beta1"]);
    expect(group.at("preferredVersion.version")).toBe("v1");
  });

  test("lists the resource with its status subresource", async () => {
    const { text: found } = await call(api, "GET", `/apis/${BETA}`);
    const resources = objects((JSON.parse(found) as JsonObject)["resources"]);
    expect(resources.map(({ name, kind }) => [name, kind])).toEqual([
      ["customresourcedefinitions", "CustomResourceDefinition"],
      ["customresourcedefinitions/status", "CustomResourceDefinition"],
    ]);
    expect(resources[0]).toMatchObject({ shortNames: ["crd", "crds"], storageVersionHash: "M5uH+AlWATY=" });
  });

  test("has an APIService with the priority of a beta version", async () => {
    const path = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.apiextensions.k8s.io";
    expect((await call(api, "GET", path)).at("spec")).toMatchObject({
      groupPriorityMinimum: 16700,
      versionPriority: 9,
    });
  });

  test("publishes v1beta1's own field names in OpenAPI", async () => {
    const { text: document } = await call(api, "GET", `/openapi/v3/apis/${BETA}`);
    const schemas = object(object((JSON.parse(document) as JsonObject)["components"]).schemas);
    const name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResource";
    expect(Object.keys(object(object(schemas[`${name}ColumnDefinition`]).properties))).toContain("JSONPath");
    const spec = Object.keys(object(object(schemas[`${name}DefinitionSpec`]).properties));
    expect(spec).toEqual(expect.arrayContaining(["version", "validation", "subresources", "additionalPrinterColumns"]));
  });

  test("warns about it at every request", async () => {
    expect((await call(api, "GET", OLD)).headers["warning"]).toEqual([WARNING]);
  });
});

interface ShapeRow {
  readonly name: string;
  readonly sent: JsonObject;
  /** Of the spec in v1. */
  readonly v1: JsonObject;
  /** Of the spec in v1beta1. */
  readonly beta: JsonObject;
}

const column = { name: "Size", type: "integer" };
const SHAPES: readonly ShapeRow[] = [
  {
    name: "one version by its name alone, as the oldest manifests have it",
    sent: { version: "v1" },
    v1: { versions: [one], preserveUnknownFields: true, conversion: { strategy: "None" } },
    beta: { version: "v1", versions: [one], preserveUnknownFields: true, conversion: { strategy: "None" } },
  },
  {
    name: "no scope, which is Namespaced",
    sent: { version: "v1", scope: "" },
    v1: { scope: "Namespaced" },
    beta: { scope: "Namespaced" },
  },
  {
    name: "names that follow from the kind",
    sent: { version: "v1" },
    v1: { names: { plural: "boxes", singular: "box", kind: "Box", listKind: "BoxList" } },
    beta: { names: { plural: "boxes", singular: "box", kind: "Box", listKind: "BoxList" } },
  },
  {
    name: "a validation for all versions",
    sent: { versions: [one, two], validation: SIZE },
    v1: {
      versions: [
        { ...one, schema: SIZE },
        { ...two, schema: SIZE },
      ],
    },
    beta: { version: "v1", versions: [one, two], validation: SIZE },
  },
  {
    name: "a schema of each version",
    sent: { versions: [{ ...one, schema: SIZE }, two] },
    v1: { versions: [{ ...one, schema: SIZE }, two] },
    beta: { version: "v1", versions: [{ ...one, schema: SIZE }, two] },
  },
  {
    name: "columns with JSONPath",
    sent: { version: "v1", additionalPrinterColumns: [{ ...column, JSONPath: ".spec.size" }] },
    v1: { versions: [{ ...one, additionalPrinterColumns: [{ ...column, jsonPath: ".spec.size" }] }] },
    beta: { additionalPrinterColumns: [{ ...column, JSONPath: ".spec.size" }], versions: [one] },
  },
  {
    name: "subresources for all versions",
    sent: { version: "v1", subresources: { status: {} } },
    v1: { versions: [{ ...one, subresources: { status: {} } }] },
    beta: { subresources: { status: {} }, versions: [one] },
  },
  {
    name: "pruning, which is false in v1 and so not there",
    sent: { version: "v1", preserveUnknownFields: false, validation: SIZE },
    v1: { versions: [{ ...one, schema: SIZE }] },
    beta: { preserveUnknownFields: false, validation: SIZE },
  },
  {
    name: "a conversion webhook with its usual review version",
    sent: {
      versions: [one, two],
      preserveUnknownFields: false,
      validation: SIZE,
      conversion: { strategy: "Webhook", webhookClientConfig: { service: { namespace: "default", name: "hook" } } },
    },
    v1: {
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "default", name: "hook", port: 443 } },
          conversionReviewVersions: ["v1beta1"],
        },
      },
    },
    beta: {
      conversion: {
        strategy: "Webhook",
        webhookClientConfig: { service: { namespace: "default", name: "hook", port: 443 } },
        conversionReviewVersions: ["v1beta1"],
      },
    },
  },
];

describe("a definition is stored as v1, and shown in both versions:", () => {
  test.each(SHAPES)("$name", async ({ sent, v1: inV1, beta: inBeta }) => {
    const group = newGroup();
    const created = await call(api, "POST", OLD, definition(group, sent));
    expect(created.status, created.text).toBe(201);
    expect(created.at("apiVersion")).toBe(BETA);
    expect(specOf(created)).toMatchObject(inBeta);
    expect(specOf(await v1(group))).toMatchObject(inV1);
    expect(specOf(await beta(group))).toEqual(specOf(created));
  });

  test("v1 leaves out fields that it expresses in another way", async () => {
    const group = await install({ version: "v1", validation: SIZE, preserveUnknownFields: false });
    expect(Object.keys(specOf(await v1(group))).sort()).toEqual(["conversion", "group", "names", "scope", "versions"]);
  });

  test("a definition sent as v1 is shown as v1beta1", async () => {
    const group = newGroup();
    const spec = { ...object(definition(group, {})["spec"]), versions: [{ ...one, schema: SIZE }] };
    const made = { ...definition(group, {}), apiVersion: "apiextensions.k8s.io/v1", spec } as JsonObject;
    expect((await call(api, "POST", DEFINITIONS, made)).status).toBe(201);
    expect(specOf(await beta(group))).toMatchObject({ version: "v1", validation: SIZE, preserveUnknownFields: false });
  });
});

interface RefusedRow {
  readonly name: string;
  readonly sent: JsonObject;
  /** Fields and messages of the causes. */
  readonly causes: readonly string[];
}

const withDefault = schemaOf({ size: { type: "integer", default: 1 } });
const REFUSED: readonly RefusedRow[] = [
  {
    name: "no version at all",
    sent: {},
    causes: [
      "spec.versions Invalid value: []: must have exactly one version marked as storage version",
      "status.storedVersions Invalid value: []: must have at least one stored version",
    ],
  },
  {
    name: "a version that is not the first of the list",
    sent: { version: "v2", versions: [one, two] },
    causes: ['spec.version Invalid value: "v2": must match the first version in spec.versions'],
  },
  {
    name: "a schema at the top and in a version",
    sent: { versions: [{ ...one, schema: SIZE }, two], validation: SIZE },
    causes: ["spec.validation Forbidden: top-level and per-version schemas are mutually exclusive"],
  },
  {
    name: "subresources at the top and in a version",
    sent: { versions: [{ ...one, subresources: { status: {} } }, two], subresources: { status: {} } },
    causes: ["spec.subresources Forbidden: top-level and per-version subresources are mutually exclusive"],
  },
  {
    name: "columns at the top and in a version",
    sent: {
      versions: [{ ...one, additionalPrinterColumns: [{ ...column, JSONPath: ".a" }] }, two],
      additionalPrinterColumns: [{ ...column, JSONPath: ".a" }],
    },
    causes: [
      "spec.additionalPrinterColumns Forbidden: top-level and per-version additionalPrinterColumns are mutually exclusive",
    ],
  },
  {
    name: "a default",
    sent: { version: "v1", preserveUnknownFields: false, validation: withDefault },
    causes: [
      "spec.validation.openAPIV3Schema.properties[spec].properties[size].default Forbidden: must not be set (cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)",
    ],
  },
  {
    name: "pruning without a schema",
    sent: { version: "v1", preserveUnknownFields: false },
    causes: ["spec.versions[0].schema.openAPIV3Schema Required value: because otherwise all fields are pruned"],
  },
  {
    name: "pruning by a schema that is not structural",
    sent: { version: "v1", preserveUnknownFields: false, validation: LOOSE },
    causes: [
      "spec.validation.openAPIV3Schema.properties[spec].type Required value: must not be empty for specified object fields",
      "spec.validation.openAPIV3Schema.type Required value: must not be empty at the root",
    ],
  },
  {
    name: "Kubernetes' keywords in a schema that is not structural",
    sent: {
      version: "v1",
      validation: { openAPIV3Schema: { properties: { spec: { "x-kubernetes-preserve-unknown-fields": true } } } },
    },
    causes: ["spec.validation.openAPIV3Schema.type Required value: must not be empty at the root"],
  },
  {
    name: "a conversion webhook and unknown fields",
    sent: {
      versions: [one, two],
      conversion: { strategy: "Webhook", webhookClientConfig: { url: "https://example.com/convert" } },
    },
    causes: ['spec.conversion.strategy Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true'],
  },
  {
    name: "a column without a path",
    sent: { version: "v1", additionalPrinterColumns: [column] },
    causes: ["spec.additionalPrinterColumns[0].JSONPath Required value"],
  },
  {
    name: "a keyword that no version has",
    sent: { version: "v1", validation: { openAPIV3Schema: { $ref: "#/a" } } },
    causes: ["spec.validation.openAPIV3Schema.$ref Forbidden: $ref is not supported"],
  },
];

const causesOf = (answer: Answer): string[] =>
  objects(answer.at("details.causes")).map(({ field, message }) => `${text(field)} ${text(message)}`);

describe("a definition in v1beta1 is refused for", () => {
  test.each(REFUSED)("$name", async ({ sent, causes }) => {
    const answer = await call(api, "POST", OLD, definition(newGroup(), sent));
    expect(answer.status, answer.text).toBe(422);
    expect(causesOf(answer).sort()).toEqual([...causes].sort());
  });

  test.each([
    ["schemas", "validation", { schema: SIZE }],
    ["subresources", "subresources", { subresources: { status: {} } }],
    [
      "additionalPrinterColumns",
      "additionalPrinterColumns",
      { additionalPrinterColumns: [{ ...column, JSONPath: ".spec.size" }] },
    ],
  ])("%s that are repeated for every version", async (name, top, part) => {
    const answer = await call(api, "POST", OLD, definition(newGroup(), { versions: [{ ...one, ...part }] }));
    expect(answer.status).toBe(422);
    const causes = causesOf(answer);
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatch(/^spec\.versions Invalid value: \[\{"Name":"v1","Served":true/);
    const should = `(top-level ${top} should be used instead)`;
    expect(causes[0]).toContain(`]: per-version ${name} may not all be set to identical values ${should}`);
  });
});

describe("a definition in v1beta1 is accepted although v1 refuses", () => {
  test.each<[string, JsonObject, string]>([
    ["no schema", { version: "v1" }, "spec.versions[0].schema.openAPIV3Schema Required value: schemas are required"],
    [
      "a schema that is not structural",
      { version: "v1", validation: LOOSE },
      "spec.validation.openAPIV3Schema.type Required value: must not be empty at the root",
    ],
    [
      "a type that OpenAPI does not know",
      { version: "v1", validation: schemaOf({ at: { type: "moment" } }) },
      'spec.validation.openAPIV3Schema.properties[spec].properties[at].type Unsupported value: "moment": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ])("%s", async (_, sent, cause) => {
    const [group, other] = [newGroup(), newGroup()];
    const created = await call(api, "POST", OLD, definition(group, sent));
    expect(created.status, created.text).toBe(201);
    const stored = await v1(group);
    const copy = { ...definition(other, { ...specOf(stored), group: other }), apiVersion: "apiextensions.k8s.io/v1" };
    expect(causesOf(await call(api, "POST", DEFINITIONS, copy))).toContain(cause);
    // v1 asks nothing of a change that the stored definition does not have.
    const labels = { metadata: { labels: { a: "b" } } };
    const labelled = await call(api, "PATCH", `${DEFINITIONS}/boxes.${group}`, labels, MERGE);
    expect(labelled.status, labelled.text).toBe(200);
  });

  test("a kind in a Kubernetes group without an approval annotation", async () => {
    const created = await call(api, "POST", OLD, definition("old.k8s.io", { version: "v1" }));
    expect(created.status, created.text).toBe(201);
    await eventually(async () => {
      const shown = await call(api, "GET", `${OLD}/boxes.old.k8s.io`);
      expect(conditionOf(shown, "KubernetesAPIApprovalPolicyConformant")).toMatchObject({
        status: "False",
        reason: "MissingAnnotation",
      });
    });
  });
});

describe("the condition NonStructuralSchema of a definition", () => {
  test.each<[string, JsonObject, string]>([
    ["of unknown fields that are preserved", { version: "v1", validation: SIZE }, ""],
    [
      "of a loose schema",
      { version: "v1", validation: LOOSE },
      `, ${LOOSE_AT}.properties[spec].type: Required value: must not be empty for specified object fields, ${LOOSE_AT}.type: Required value: must not be empty at the root`,
    ],
  ])("is set: %s", async (_, sent, rest) => {
    const group = await install(sent);
    const preserved = "spec.preserveUnknownFields: Invalid value: true: must be false";
    expect(conditionOf(await v1(group), "NonStructuralSchema")).toMatchObject({
      status: "True",
      reason: "Violations",
      message: rest === "" ? preserved : `[${preserved}${rest}]`,
    });
  });

  test("is not set where unknown fields are pruned", async () => {
    const group = await install({ version: "v1", validation: SIZE, preserveUnknownFields: false });
    expect(conditionOf(await v1(group), "NonStructuralSchema")).toBeUndefined();
  });

  test("disappears when the schema is corrected, in either version", async () => {
    for (const path of [OLD, DEFINITIONS]) {
      const group = await install({ version: "v1", validation: SIZE });
      const mended = await call(
        api,
        "PATCH",
        `${path}/boxes.${group}`,
        { spec: { preserveUnknownFields: false } },
        MERGE,
      );
      expect(mended.status, mended.text).toBe(200);
      await eventually(async () => {
        expect(conditionOf(await v1(group), "NonStructuralSchema")).toBeUndefined();
      });
    }
  });

  test("follows changes of the schema", async () => {
    const group = await install({ version: "v1", validation: LOOSE });
    const changed = await call(
      api,
      "PATCH",
      `${OLD}/boxes.${group}`,
      { spec: { validation: { openAPIV3Schema: { type: "object" } } } },
      MERGE,
    );
    expect(changed.status, changed.text).toBe(200);
    await eventually(async () => {
      const { message } = conditionOf(await v1(group), "NonStructuralSchema") ?? {};
      expect(message).toMatch(/properties\[spec\]\.type: Required value/);
      expect(message).not.toMatch(/at the root/);
    });
  });
});

/** Creates a box as soon as the kind is served. */
async function create(path: string, box: JsonObject): Promise<Answer> {
  return eventually(async () => {
    const answer = await call(api, "POST", path, box);
    expect(answer.status, answer.text).not.toBe(404);
    return answer;
  });
}

const wild = {
  metadata: { name: "a" },
  spec: { size: 1, deep: { er: [{ x: 1 }] } },
  data: { any: "thing" },
  more: [1],
};

describe("objects of a v1beta1 definition that preserves unknown fields", () => {
  test.each<[string, JsonObject]>([
    ["without a schema", { version: "v1" }],
    ["with a structural schema", { version: "v1", validation: SIZE }],
    ["with a loose schema", { version: "v1", validation: LOOSE }],
    [
      "with free-form maps and lists",
      {
        version: "v1",
        validation: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              data: { type: "object", additionalProperties: true },
              spec: { type: "object", properties: { deep: { type: "object", properties: { er: { type: "array" } } } } },
            },
          },
        },
      },
    ],
  ])("keep all fields: %s", async (_, sent) => {
    const boxes = boxesOf(await install(sent));
    const created = await create(`${boxes}?fieldValidation=Strict`, wild);
    expect(created.status, created.text).toBe(201);
    for (const answer of [created, await call(api, "GET", `${boxes}/a`)]) {
      expect({ spec: answer.at("spec"), data: answer.at("data"), more: answer.at("more") }).toEqual({
        spec: wild.spec,
        data: wild.data,
        more: wild.more,
      });
    }
  });

  test.each([
    ["structural", SIZE],
    ["loose", LOOSE],
  ])("are still validated by a %s schema", async (_, validation) => {
    const boxes = boxesOf(await install({ version: "v1", validation }));
    const answer = await create(boxes, { metadata: { name: "a" }, spec: { size: "large", more: 1 } });
    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toEqual([
      'spec.size Invalid value: "string": spec.size in body must be of type integer: "string"',
    ]);
  });

  test("can be changed by merge patch and apply", async () => {
    const boxes = boxesOf(await install({ version: "v1", validation: SIZE }));
    expect((await create(boxes, wild)).status).toBe(201);
    const patched = await call(api, "PATCH", `${boxes}/a`, { spec: { deep: { more: 1 } } }, MERGE);
    expect(patched.at("spec.deep")).toEqual({ ...wild.spec.deep, more: 1 });
    const object = { apiVersion: boxes.split("/").slice(2, 4).join("/"), kind: "Box", metadata: { name: "a" } };
    const body = { ...object, spec: { deep: { applied: true } } };
    const applied = await call(api, "PATCH", `${boxes}/a?fieldManager=me`, body, APPLY);
    expect(applied.status, applied.text).toBe(200);
    expect(applied.at("spec.deep")).toEqual({ ...wild.spec.deep, more: 1, applied: true });
  });

  test("lose nothing in another version", async () => {
    const group = await install({ versions: [one, two], validation: SIZE });
    expect((await create(boxesOf(group, "v2"), wild)).status).toBe(201);
    for (const version of ["v1", "v2"]) {
      const read = await call(api, "GET", `${boxesOf(group, version)}/a`);
      expect([read.at("apiVersion"), read.at("spec"), read.at("data")]).toEqual([
        `${group}/${version}`,
        wild.spec,
        wild.data,
      ]);
    }
  });

  test("have the columns and the status of their definition", async () => {
    const boxes = boxesOf(
      await install({
        version: "v1",
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        additionalPrinterColumns: [{ ...column, JSONPath: ".spec.size" }],
      }),
    );
    expect((await create(boxes, { ...wild, status: { size: 9 } })).at("status")).toBeUndefined();
    const written = await call(api, "PATCH", `${boxes}/a/status`, { status: { size: 2, odd: 1 } }, MERGE);
    expect(written.at("status")).toEqual({ size: 2, odd: 1 });
    expect((await call(api, "GET", `${boxes}/a/scale`)).at("spec.replicas")).toBe(1);
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    expect((await call(api, "GET", boxes, undefined, { accept })).at("rows.0.cells")).toEqual(["a", 1]);
  });

  test("are pruned once the definition no longer preserves", async () => {
    const group = await install({ version: "v1", validation: SIZE });
    const boxes = boxesOf(group);
    expect((await create(boxes, wild)).status).toBe(201);
    await call(api, "PATCH", `${OLD}/boxes.${group}`, { spec: { preserveUnknownFields: false } }, MERGE);
    await eventually(async () => {
      expect((await call(api, "GET", `${boxes}/a`)).at("data")).toBeUndefined();
    });
    expect((await call(api, "GET", `${boxes}/a`)).at("spec")).toEqual({ size: 1 });
  });

  test.each([
    ["structural", SIZE, { type: "object", "x-kubernetes-preserve-unknown-fields": true }],
    ["loose", LOOSE, { type: "object" }],
  ])("have in OpenAPI, by a %s schema, this content", async (_, validation, expected) => {
    const group = await install({ version: "v1", validation });
    const name = `${group.split(".").toReversed().join(".")}.v1.Box`;
    const v3 = await eventually(async () => {
      const { text: document } = await call(api, "GET", `/openapi/v3/apis/${group}/v1`);
      return object(object(object((JSON.parse(document) as JsonObject)["components"]).schemas)[name]);
    });
    expect(v3).toMatchObject(expected);
    expect(Object.keys(object(v3.properties)).includes("spec")).toBe(validation === SIZE);
    const { text: document } = await call(api, "GET", "/openapi/v2");
    const v2 = object(object((JSON.parse(document) as JsonObject)["definitions"])[name]);
    expect(v2).toMatchObject({ type: "object" });
    expect(v2.properties).toBeUndefined();
  });
});

test("a server without v1beta1 still serves kinds that were defined in it", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kubets-old-definitions-"));
  const options = { storage: "disk", dataDir, port: false, controllers: false } as const;
  const group = "kept.example.com";
  try {
    const before = await startCluster({ ...options, runtimeConfig: { [BETA]: true } });
    const made = await call(before.transport(), "POST", OLD, definition(group, { version: "v1", validation: LOOSE }));
    expect(made.status, made.text).toBe(201);
    await established(before.transport(), `boxes.${group}`);
    await before.close();
    const after = await startCluster(options);
    try {
      const created = await call(after.transport(), "POST", boxesOf(group), wild);
      expect(created.status, created.text).toBe(201);
      expect(created.at("data")).toEqual(wild.data);
      expect((await call(after.transport(), "GET", `${OLD}/boxes.${group}`)).status).toBe(404);
      const held = await call(after.transport(), "GET", `${DEFINITIONS}/boxes.${group}`);
      expect(specOf(held)).toMatchObject({ preserveUnknownFields: true, versions: [{ ...one, schema: LOOSE }] });
    } finally {
      await after.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

describe("a definition in v1beta1", () => {
  test("can be updated, watched and deleted", async () => {
    const group = await install({ version: "v1", validation: SIZE });
    const path = `${OLD}/boxes.${group}`;
    const held = object(JSON.parse((await beta(group)).text)) as JsonObject;
    const spec = { ...object(held["spec"]), versions: [one, two], validation: SIZE };
    const put = await call(api, "PUT", path, { ...held, spec });
    expect(put.status, put.text).toBe(200);
    expect(put.at("metadata.generation")).toBe(2);
    const listed = await call(api, "GET", `${OLD}?fieldSelector=metadata.name=boxes.${group}`);
    expect(listed.at("items.0.spec.validation")).toEqual(SIZE);
    expect(listed.at("items.0.status.storedVersions")).toEqual(["v1"]);
    const watch = await api.send({
      method: "GET",
      path: `${OLD}?watch=true&fieldSelector=metadata.name=boxes.${group}`,
      headers: { accept: "application/json" },
    });
    for await (const chunk of watch.body) {
      const event = JSON.parse(Buffer.from(chunk).toString()) as JsonObject;
      expect(event).toMatchObject({ type: "ADDED", object: { apiVersion: BETA, spec: { validation: SIZE } } });
      break;
    }
    expect((await call(api, "DELETE", path)).status).toBe(200);
    await eventually(async () => expect((await beta(group)).status).toBe(404));
  });

  test("has field owners by the field names of v1beta1", async () => {
    const group = newGroup();
    const made = definition(group, {
      version: "v1",
      additionalPrinterColumns: [{ ...column, JSONPath: ".spec.size" }],
    });
    const applied = await call(api, "PATCH", `${OLD}/boxes.${group}?fieldManager=me`, made, APPLY);
    expect(applied.status, applied.text).toBe(201);
    expect(applied.at("metadata.managedFields.0.apiVersion")).toBe(BETA);
    expect(applied.at("metadata.managedFields.0.fieldsV1.f:spec.f:additionalPrinterColumns")).toEqual({});
    const again = await call(api, "PATCH", `${OLD}/boxes.${group}?fieldManager=me`, made, APPLY);
    expect(again.status, again.text).toBe(200);
  });

  test("can be written and read as protobuf", async () => {
    const group = await install({ version: "v1", validation: SIZE });
    const type = "application/vnd.kubernetes.protobuf";
    const read = await api.send({ method: "GET", path: `${OLD}/boxes.${group}`, headers: { accept: type } });
    const chunks: Uint8Array[] = [];
    for await (const chunk of read.body) chunks.push(chunk);
    expect(read.headers["content-type"]).toBe(type);
    const body = Buffer.concat(chunks);
    const headers = { accept: "application/json", "content-type": type };
    const put = await api.send({ method: "PUT", path: `${OLD}/boxes.${group}`, headers, body });
    expect(put.status).toBe(200);
    for await (const _ of put.body);
    expect(specOf(await beta(group))).toMatchObject({ version: "v1", validation: SIZE, preserveUnknownFields: true });
  });

  test("refuses fields that only v1 has, in strict requests", async () => {
    const made = definition(newGroup(), { version: "v1", additionalPrinterColumns: [{ ...column, jsonPath: ".a" }] });
    const answer = await call(api, "POST", `${OLD}?fieldValidation=Strict`, made);
    expect(answer.status).toBe(400);
    expect(answer.at("message")).toContain('unknown field "spec.additionalPrinterColumns[0].jsonPath"');
  });

  test("may keep a default that was set in v1", async () => {
    const group = newGroup();
    const spec = { ...object(definition(group, {})["spec"]), versions: [{ ...one, schema: withDefault }] };
    const made = { ...definition(group, {}), apiVersion: "apiextensions.k8s.io/v1", spec } as JsonObject;
    expect((await call(api, "POST", DEFINITIONS, made)).status).toBe(201);
    const labels = { metadata: { labels: { a: "b" } } };
    const changed = await call(api, "PATCH", `${OLD}/boxes.${group}`, labels, MERGE);
    expect(changed.status, changed.text).toBe(200);
    const preserve = { spec: { preserveUnknownFields: true } };
    const refused = await call(api, "PATCH", `${OLD}/boxes.${group}`, preserve, MERGE);
    expect(causesOf(refused)).toEqual([
      "spec.preserveUnknownFields Invalid value: true: must be false in order to use defaults in the schema",
    ]);
  });

  test("may preserve unknown fields again, which v1 refuses", async () => {
    const group = await install({ version: "v1", validation: SIZE, preserveUnknownFields: false });
    const preserve = { spec: { preserveUnknownFields: true } };
    const inV1 = await call(api, "PATCH", `${DEFINITIONS}/boxes.${group}`, preserve, MERGE);
    expect(causesOf(inV1)).toEqual([
      "spec.preserveUnknownFields Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ]);
    expect((await call(api, "PATCH", `${OLD}/boxes.${group}`, preserve, MERGE)).status).toBe(200);
  });
});
