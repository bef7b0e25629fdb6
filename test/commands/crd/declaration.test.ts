import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { load } from "js-yaml";
import { afterAll, describe, expect, test } from "vitest";
import { checkDeclaration } from "../../../src/cluster/server-testing.js";
import { type CrdOptions, type Kind, startServer } from "../../../src/cluster/server.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { call } from "../../helpers/api-caller.js";
import { definitionsOf, exportsOf, normalized } from "../../helpers/declared-definitions.js";
import { packageMissing } from "../../helpers/packed-project.js";
import { runCli } from "../../helpers/run-cli.js";

const root = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "kubets-crd-declaration-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function fileOf(...manifests: readonly object[]): string {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items: manifests }));
  return path;
}

const declaration = (...manifests: readonly object[]) => runCli(["crd", "declaration", "-f", fileOf(...manifests)]);

async function declared(...manifests: readonly object[]): Promise<string> {
  const { code, stdout, stderr } = await declaration(...manifests);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
}

const version = (name: string, properties: JsonObject, rest: JsonObject = {}, schema: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: { type: "object", properties: { metadata: { type: "object" }, ...properties }, ...schema },
  },
  ...rest,
});

const definition = (versions: readonly JsonObject[], rest: JsonObject = {}, names: JsonObject = {}): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Widget", plural: "widgets", ...names },
    scope: "Namespaced",
    versions: [...versions],
    ...rest,
  },
});

const repository = (name: string): KubeObject =>
  load(readFileSync(join(root, "test/interop", name), "utf8")) as KubeObject;

const REPOSITORY = [
  "operator/crds/certificates.yaml",
  "operator/crds/httproutes.yaml",
  "operator/crds/servicemonitors.yaml",
  "provision-request/definition.yaml",
];

test("a definition's kind: its structs by name, its fields, and the types of its objects", async () => {
  const ports = {
    type: "array",
    description: "Where it listens.\nThe first one is that of its service, which leads to all of its pods.",
    items: {
      type: "object",
      required: ["port"],
      properties: { port: { type: "integer", format: "int32", minimum: 1 } },
    },
  };
  const properties = {
    spec: {
      type: "object",
      description: "What it should be.",
      required: ["size"],
      properties: { size: { type: "integer", default: 3 }, ports },
      "x-kubernetes-validations": [{ rule: "self.size < 5", message: "is too large" }],
    },
    status: { type: "object", properties: { phase: { type: "string", enum: ["On", "Off"] } } },
  };
  const columns = [{ name: "Size", type: "integer", jsonPath: ".spec.size" }];
  const v1 = version("v1", properties, { subresources: { status: {} }, additionalPrinterColumns: columns });
  expect(await declared(definition([v1]))).toBe(`import type {} from "kubets";
import { int32, integer, kind, list, string, struct } from "kubets/kind";
import type { ApiKindsOf, ObjectOf } from "kubets/kind";

const port = struct("Port", {
  port: { schema: int32, required: true, minimum: 1 },
});

const widgetSpec = struct(
  "WidgetSpec",
  {
    size: { schema: integer, required: true, default: 3 },
    ports: {
      description:
        "Where it listens.\\n" +
        "The first one is that of its service, which leads to all of its pods.",
      schema: list(port),
    },
  },
  {
    description: "What it should be.",
    rules: [{ rule: "self.size < 5", message: "is too large" }],
  },
);

const widgetStatus = struct("WidgetStatus", {
  phase: { schema: string, enum: ["On", "Off"] },
});

const widget = struct("Widget", {
  spec: widgetSpec,
  status: widgetStatus,
});

export const widgets = kind(
  "example.com",
  "Widget",
  {
    v1: widget,
  },
  {
    plural: "widgets",
    columns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
  },
);

export type Widget = ObjectOf<typeof widgets, "v1">;

declare module "kubets" {
  interface ApiKinds extends ApiKindsOf<typeof widgets> {}
}
`);
});

const INT_OR_STRING = { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] };
const PRESERVES = { "x-kubernetes-preserve-unknown-fields": true };
const A = { type: "object", properties: { a: { type: "string" } } };

/** The schema of the field x, and a line of its declaration. */
const FIELDS: readonly [string, JsonObject, string][] = [
  ["a string", { type: "string" }, "  x: string,\n"],
  ["a boolean", { type: "boolean" }, "  x: boolean,\n"],
  ["bytes", { type: "string", format: "byte" }, "  x: bytes,\n"],
  [
    "a time, as the text that it is",
    { type: "string", format: "date-time" },
    'x: { schema: string, format: "date-time" },',
  ],
  ["a number of 32 bits", { type: "integer", format: "int32" }, "  x: int32,\n"],
  ["a number of 64 bits", { type: "integer", format: "int64" }, "  x: int64,\n"],
  ["a whole number", { type: "integer" }, "  x: integer,\n"],
  ["a fraction", { type: "number" }, "  x: number,\n"],
  ["a double", { type: "number", format: "double" }, "  x: float64,\n"],
  ["a float", { type: "number", format: "float" }, 'x: { schema: number, format: "float" },'],
  ["an int-or-string", INT_OR_STRING, "  x: intOrString,\n"],
  ["a pattern of an int-or-string", { ...INT_OR_STRING, pattern: "a" }, 'x: { schema: intOrString, pattern: "a" },'],
  [
    "an int-or-string by other words",
    { ...INT_OR_STRING, anyOf: [{ minimum: 1 }] },
    "openApi: { anyOf: [{ minimum: 1 }] }",
  ],
  ["a value that may be null", { type: "string", nullable: true, default: null }, "nullable: true"],
  ["an enum of an empty text", { type: "string", enum: ["", "a"] }, 'x: { schema: string, enum: ["", "a"] },'],
  ["an enum with null", { type: "string", nullable: true, enum: ["a", null] }, 'enum: ["a", null]'],
  ["an enum of lists", { type: "array", items: { type: "string" }, enum: [["a"]] }, 'openApi: { enum: [["a"]] }'],
  ["limits of a text", { type: "string", minLength: 1, maxLength: 5, pattern: "^\\d+$" }, 'pattern: "^\\\\d+$"'],
  ["limits of a number", { type: "integer", minimum: 0, exclusiveMinimum: true, multipleOf: 2 }, "multipleOf: 2"],
  ["a list", { type: "array", items: { type: "string" }, minItems: 1 }, "x: { schema: list(string), minItems: 1 },"],
  [
    "what a list does not repeat",
    { type: "array", items: { type: "string" }, uniqueItems: false },
    "openApi: { uniqueItems: false }",
  ],
  [
    "a set",
    { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    'x: list(string, { listType: "set" }),',
  ],
  [
    "a list by keys",
    { type: "array", items: A, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] },
    'x: list(x, { listType: "map", keys: ["a"] }),',
  ],
  ["items with a default", { type: "array", items: { type: "string", default: "a" } }, 'openApi: { default: "a" }'],
  [
    "a map",
    { type: "object", additionalProperties: { type: "string", maxLength: 3 } },
    "x: map({ schema: string, maxLength: 3 }),",
  ],
  [
    "an atomic map",
    { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
    'x: map(string, { mapType: "atomic" }),',
  ],
  ["an object", { type: "object" }, 'x: struct("X", {}),'],
  ["an object of anything", { type: "object", ...PRESERVES }, "  x: anyObject,\n"],
  [
    "an object with a true for all others",
    { type: "object", additionalProperties: true },
    "openApi: { additionalProperties: true }",
  ],
  ["anything", PRESERVES, "  x: anyJson,\n"],
  ["an object that keeps other fields", { ...A, ...PRESERVES }, "{ preservesUnknownFields: true }"],
  ["an atomic object", { ...A, "x-kubernetes-map-type": "atomic" }, '{ mapType: "atomic" }'],
  ["a size of an object", { ...A, minProperties: 1, maxProperties: 2 }, "{ minProperties: 1, maxProperties: 2 }"],
  [
    "an embedded resource",
    { type: "object", ...PRESERVES, "x-kubernetes-embedded-resource": true },
    "{ preservesUnknownFields: true, embeddedResource: true }",
  ],
  [
    "an embedded resource with a rule for its name",
    {
      type: "object",
      required: ["metadata"],
      properties: {
        metadata: { type: "object", properties: { name: { type: "string", maxLength: 9 } } },
        spec: A,
      },
      "x-kubernetes-embedded-resource": true,
    },
    "embeddedResource: true",
  ],
  ["a required field that has no schema", { ...A, ...PRESERVES, required: ["b"] }, 'openApi: { required: ["b"] }'],
  ["one of several forms", { ...A, oneOf: [{ required: ["a"] }, { not: { required: ["a"] } }] }, "oneOf: ["],
  ["a default of an object", { ...A, default: { a: "b" } }, 'x: { schema: x, default: { a: "b" } },'],
  [
    "title, example and documents",
    { type: "string", title: "X", example: "y", externalDocs: { url: "z" } },
    'openApi: { title: "X", example: "y", externalDocs: { url: "z" } }',
  ],
  ["a false that says nothing", { type: "string", nullable: false }, "nullable: false"],
  [
    "a rule with all that it can have",
    {
      type: "string",
      "x-kubernetes-validations": [
        {
          rule: "true",
          messageExpression: "'a'",
          reason: "FieldValueForbidden",
          fieldPath: ".a",
          optionalOldSelf: true,
        },
      ],
    },
    "optionalOldSelf: true",
  ],
];

describe("the declaration of a field", () => {
  test.each(FIELDS)("for %s", async (_, x, expected) => {
    const crd = definition([version("v1", { spec: { type: "object", properties: { x } } })]);
    const module = await declared(crd);
    expect(module).toContain(expected);
    expect(definitionsOf(module).map(normalized)).toEqual([normalized(crd)]);
  });

  test("has a name of any form", async () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "a-b": {"type": "string"}}') as JsonObject;
    const crd = definition([version("v1", { spec: { type: "object", properties } })]);
    const module = await declared(crd);
    expect(module).toContain('  ["__proto__"]: string,\n  "a-b": string,\n');
    expect(definitionsOf(module).map(normalized)).toEqual([normalized(crd)]);
  });

  test("keeps a limit that is no double", async () => {
    const path = join(folder, "limits.yaml");
    const limits = { spec: { type: "object", properties: { x: { type: "integer", maximum: "LIMIT" } } } };
    const crd = JSON.stringify(definition([version("v1", limits)]));
    writeFileSync(path, crd.replace('"LIMIT"', "9223372036854775807"));
    const { stdout } = await runCli(["crd", "declaration", "-f", path]);
    expect(stdout).toContain("x: { schema: integer, maximum: 9223372036854775807n },");
  });
});

describe("equal structs", () => {
  const selector = (description?: string): JsonObject => ({
    type: "object",
    ...(description !== undefined && { description }),
    properties: { matchLabels: { type: "object", additionalProperties: { type: "string" } } },
  });

  test("are one, which has the description that all uses have", async () => {
    const spec = { type: "object", properties: { from: selector("Pods."), to: selector("Pods.") } };
    const module = await declared(definition([version("v1", { spec })]));
    expect(module).toContain('const from = struct(\n  "From",');
    expect(module).toContain('  { description: "Pods." },\n');
    expect(module).toContain("  from,\n  to: from,\n");
  });

  test("are one although their descriptions and defaults differ, which the uses have then", async () => {
    const one = { ...selector("Of one."), default: {} };
    const spec = { type: "object", properties: { peer: one, ports: { type: "array", items: selector() } } };
    const crd = definition([version("v1", { spec })]);
    const module = await declared(crd);
    expect(module).toContain('  peer: { description: "Of one.", schema: peer, default: {} },\n  ports: list(peer),\n');
    expect(definitionsOf(module).map(normalized)).toEqual([normalized(crd)]);
  });

  test("have the name that most of their uses have, and names that are taken or reserved get those around them", async () => {
    const other = { type: "object", properties: { a: { type: "boolean" } } };
    const deeper = { type: "object", properties: { from: other, default: A, spec: selector("Deep.") } };
    const spec = {
      type: "object",
      properties: {
        podSelector: selector(),
        from: { type: "array", items: { type: "object", properties: { from: selector("Pods."), b: deeper } } },
        to: { type: "array", items: { type: "object", properties: { from: selector("Pods.") } } },
      },
    };
    const module = await declared(definition([version("v1", { spec })]));
    expect([...module.matchAll(/^const (\w+)/gm)].map(([, name]) => name)).toEqual([
      "from",
      "bFrom",
      "bDefault",
      "b",
      "specFrom",
      "to",
      "widgetSpec",
      "widget",
    ]);
  });
});

describe("the options of a kind", () => {
  const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
  const size = {
    name: "Size",
    type: "integer",
    jsonPath: ".spec.size",
    format: "int32",
    description: "A.",
    priority: 1,
  };
  const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size", labelSelectorPath: ".status.a" };
  const spec = { spec: { type: "object", properties: { size: { type: "integer" } } } };
  const both = { ...spec, status: { type: "object", properties: { size: { type: "integer" } } } };
  const v1 = (rest: JsonObject = {}): JsonObject => version("v1", spec, rest);
  const old = (rest: JsonObject = {}): JsonObject => ({ ...version("v1beta1", spec, rest), storage: false });

  test.each<[string, KubeObject, string]>([
    ["a scope", definition([v1()], { scope: "Cluster" }), '{ plural: "widgets", namespaced: false }'],
    [
      "names",
      definition([v1()], {}, { singular: "wid", listKind: "Widgets", shortNames: ["wi"], categories: ["all"] }),
      'singular: "wid",\n    listKind: "Widgets",\n    shortNames: ["wi"],\n    categories: ["all"],',
    ],
    ["the stored version", definition([old(), v1()]), 'storageVersion: "v1"'],
    [
      "what all versions have",
      definition([
        v1({ additionalPrinterColumns: [age, size], subresources: { scale, status: {} } }),
        old({ additionalPrinterColumns: [age, size], subresources: { scale, status: {} } }),
      ]),
      "\n    status: true,\n    scale: {\n",
    ],
    [
      "what one version has",
      definition([v1({ additionalPrinterColumns: [age], subresources: { scale } }), old()]),
      "    v1: {\n      schema: widgetV1,\n      columns: [",
    ],
    ["a status that is no subresource", definition([version("v1", both)]), "status: false"],
    [
      "one that is in one version",
      definition([
        version("v1", both, { subresources: { status: {} } }),
        { ...version("v1beta1", both), storage: false },
      ]),
      "v1beta1: { schema: widgetV1, status: false }",
    ],
    [
      "a version that is not served",
      definition([v1(), { ...old(), served: false }]),
      "v1beta1: { schema: widgetV1, served: false }",
    ],
    ["one that is deprecated", definition([v1(), old({ deprecated: true })]), "deprecated: true"],
    ["why it is", definition([v1(), old({ deprecated: true, deprecationWarning: "use v1" })]), 'deprecated: "use v1"'],
    [
      "selectable fields",
      definition([v1({ selectableFields: [{ jsonPath: ".spec.size" }] })]),
      'selectableFields: ["spec.size"]',
    ],
    [
      "what it says of metadata",
      definition([
        version(
          "v1",
          {
            ...spec,
            kind: { type: "string", description: "Its kind." },
            metadata: { type: "object", properties: { name: { type: "string", maxLength: 9 } } },
          },
          {},
          { required: ["metadata", "spec"] },
        ),
      ]),
      'const typeMeta: MetaDeclaration = {\n  kind: { description: "Its kind." },\n  metadata: {\n    required: true,\n',
    ],
    [
      "what it says of the whole object",
      definition([
        version(
          "v1",
          spec,
          {},
          {
            description: "A widget.",
            title: "Widget",
            oneOf: [{ required: ["spec"] }],
            "x-kubernetes-validations": [{ rule: "true" }],
          },
        ),
      ]),
      '    description: "A widget.",\n    rules: [{ rule: "true" }],\n    openApi: { title: "Widget", oneOf: [{ required: ["spec"] }] },',
    ],
    [
      "what crdOf cannot know from the kind",
      {
        ...definition([v1()], {
          conversion: {
            strategy: "Webhook",
            webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://a" } },
          },
        }),
        metadata: { name: "widgets.example.com", labels: { a: "b" }, annotations: { c: "d" } },
      },
      'export const widgetsCrd: CrdOptions = {\n  labels: { a: "b" },\n  annotations: { c: "d" },\n  conversion: {\n',
    ],
  ])("say %s", async (_, crd, expected) => {
    const module = await declared(crd);
    expect(module).toContain(expected);
    expect(definitionsOf(module).map(normalized)).toEqual([normalized(crd)]);
  });

  test("say nothing of what a server has written", async () => {
    const crd = definition([v1()]);
    const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "{}" };
    const read = { ...crd, metadata: { ...crd.metadata, annotations, uid: "1", resourceVersion: "2" }, status: {} };
    expect(await declared(read)).toBe(await declared(crd));
  });
});

test("definitions of several groups are one module, which shares structs and repeats no name", async () => {
  const one = definition([version("v1", { spec: A })]);
  const other = definition([version("v1", { spec: A }), { ...version("v2", {}), storage: false }], {
    group: "other.example.com",
  });
  const module = await declared(one, { ...other, metadata: { name: "widgets.other.example.com" } });
  expect([...module.matchAll(/^(?:export )?(?:const|type) (\w+)/gm)].map(([, name]) => name)).toEqual([
    "widgetSpec",
    "widget",
    "otherWidgetV2",
    "widgets",
    "Widget",
    "otherWidgets",
    "OtherWidgetV1",
    "OtherWidgetV2",
  ]);
  expect(definitionsOf(module)).toHaveLength(2);
});

describe("the definitions of the repository", () => {
  test.each(REPOSITORY)("%s: nothing is lost on the way to a declaration and back", async (name) => {
    const crd = repository(name);
    expect(definitionsOf(await declared(crd)).map(normalized)).toEqual([normalized(crd)]);
  });

  test("are not equal to those of another declaration", async () => {
    const crd = repository("operator/crds/httproutes.yaml");
    const module = await declared(crd);
    for (const [here, other] of [
      ["maxLength: 253", "maxLength: 254"],
      ['description: "', 'description: "Not '],
      ["required: true", "required: false"],
      ['categories: ["gateway-api"]', "categories: []"],
    ] as const) {
      expect(module).toContain(here);
      expect(definitionsOf(module.replace(here, other)).map(normalized), other).not.toEqual([normalized(crd)]);
    }
  });

  test("are kinds that a server takes: it fills in defaults, and judges by rules and patterns", async () => {
    const module = await declared(repository("operator/crds/httproutes.yaml"));
    const { httpRoutes, httpRoutesCrd } = exportsOf(module);
    checkDeclaration(httpRoutes as Kind, httpRoutesCrd as CrdOptions);
    const server = await startServer({ port: false, resources: [httpRoutes as Kind] });
    try {
      const post = (name: string, spec: object) =>
        call(server.transport(), "POST", "/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes", {
          apiVersion: "gateway.networking.k8s.io/v1",
          kind: "HTTPRoute",
          metadata: { name },
          spec,
        });
      const good = await post("good", { parentRefs: [{ name: "a" }] });
      expect([good.status, good.at("spec.parentRefs.0.kind")]).toEqual([201, "Gateway"]);
      const bad = await post("bad", { hostnames: ["A_B"] });
      expect([bad.status, bad.at("details.causes.0.field")]).toEqual([422, "spec.hostnames[0]"]);
    } finally {
      await server.close();
    }
  });

  test("are declared in the layout that a formatter gives them", async () => {
    const path = join(folder, "formatted.ts");
    writeFileSync(path, await declared(...REPOSITORY.map(repository)));
    const text = readFileSync(path, "utf8");
    const program = join(root, "node_modules/@biomejs/biome/bin/biome");
    const options = ["--indent-style=space", "--indent-width=2", "--line-width=80", "--files-max-size=9000000"];
    execFileSync(process.execPath, [program, "format", "--write", ...options, path], { cwd: folder, stdio: "pipe" });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test.skipIf(packageMissing !== undefined)(
    "compile against the package's types, and make types of objects",
    async () => {
      writeFileSync(join(folder, "kinds.ts"), await declared(...REPOSITORY.map(repository)));
      writeFileSync(join(folder, "use.ts"), USE);
      const options = {
        target: "es2023",
        module: "nodenext",
        strict: true,
        noUnusedLocals: true,
        exactOptionalPropertyTypes: true,
        declaration: true,
        emitDeclarationOnly: true,
        outDir: "types",
        skipLibCheck: true,
        types: ["node"],
        typeRoots: [join(root, "node_modules/@types")],
      };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.ts"] }));
      writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(root, join(folder, "node_modules/kubets"));
      expect(compile()).toBe("");
    },
  );
});

/** Uses the declared types. What a line behind "@ts-expect-error" would allow must not compile. */
const USE = `import type { ApiKinds } from "kubets";
import type { HTTPRouteV1 as HTTPRoute } from "./kinds.js";
export const route: HTTPRoute = { metadata: { name: "a" }, spec: { hostnames: ["a.example.com"] } };
export const same: ApiKinds["gateway.networking.k8s.io/v1/HTTPRoute"] = route;
// @ts-expect-error: a route has a spec.
export const empty: HTTPRoute = {};
// @ts-expect-error: hostnames are texts.
export const wrong: HTTPRoute = { spec: { hostnames: [1] } };
`;

/** What the compiler prints. */
function compile(): string {
  try {
    return execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], {
      encoding: "utf8",
    });
  } catch (error) {
    return (error as { readonly stdout: string }).stdout;
  }
}

const open = { type: "object", properties: { x: {} } };
test.each<[string, KubeObject, string]>([
  [
    "no definition",
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
    "error: no CustomResourceDefinition found in the files\n",
  ],
  [
    "a definition without a schema",
    definition([{ name: "v1", served: true, storage: true }]),
    'error: customresourcedefinition "widgets.example.com": the version v1 has no schema\n',
  ],
  [
    "a field without a type",
    definition([version("v1", { spec: open })]),
    'error: customresourcedefinition "widgets.example.com": spec.x: a schema without a type has no declaration\n',
  ],
  [
    "a list of anything",
    definition([version("v1", { spec: { ...open, properties: { x: { type: "array" } } } })]),
    'error: customresourcedefinition "widgets.example.com": spec.x: a list without a schema of its items has no declaration\n',
  ],
])("%s is an error", async (_, manifest, message) => {
  expect(await declaration(manifest)).toMatchObject({ code: 1, stdout: "", stderr: message });
});
