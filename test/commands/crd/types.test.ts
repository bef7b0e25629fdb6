import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { runCli } from "../../helpers/run-cli.js";

const folder = mkdtempSync(join(tmpdir(), "kubets-crd-types-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;

function fileOf(manifest: object): string {
  const path = join(folder, `${files++}.json`);
  writeFileSync(path, JSON.stringify(manifest));
  return path;
}

const version = (name: string, spec: JsonObject, rest: JsonObject = {}): JsonObject => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: "object", properties: { metadata: { type: "object" }, spec }, ...rest } },
});

const definition = (...versions: readonly JsonObject[]): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Widget", plural: "widgets" },
    scope: "Namespaced",
    versions: [...versions],
  },
});

const types = (manifest: object) => runCli(["crd", "types", "-f", fileOf(manifest)]);

test("crd types writes for a definition interfaces named by their place, comments, and the kind for client.of", async () => {
  const spec = {
    type: "object",
    description: "What it should be.",
    required: ["size", "ports"],
    properties: {
      size: { type: "integer", description: "How large.\nIn litres." },
      ports: {
        type: "array",
        items: { type: "object", required: ["port"], properties: { port: { type: "integer" } } },
      },
    },
  };
  const { code, stdout, stderr } = await types(definition(version("v1", spec, { description: "A widget." })));
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(`import type { ObjectMeta } from "kubets";

/** A widget. */
export interface Widget {
  apiVersion?: "example.com/v1";
  kind?: "Widget";
  metadata?: ObjectMeta;
  /** What it should be. */
  spec?: WidgetSpec;
}

export interface WidgetSpec {
  ports: WidgetSpecPorts[];
  /**
   * How large.
   * In litres.
   */
  size: number;
}

export interface WidgetSpecPorts {
  port: number;
}

declare module "kubets" {
  interface ApiKinds {
    "example.com/v1/Widget": Widget;
  }
}
`);
});

describe("crd types writes the TypeScript type of a field", () => {
  test.each<[string, JsonObject, string]>([
    ["a string", { type: "string" }, "x?: string;"],
    ["an enum", { type: "string", enum: ["a", "b"] }, 'x?: "a" | "b";'],
    ["a list of an enum", { type: "array", items: { type: "string", enum: ["a", "b"] } }, 'x?: ("a" | "b")[];'],
    ["an int-or-string", { "x-kubernetes-int-or-string": true }, "x?: number | string;"],
    ["a value that may be null", { type: "boolean", nullable: true }, "x?: boolean | null;"],
    ["a map", { type: "object", additionalProperties: { type: "number" } }, "x?: Record<string, number>;"],
    [
      "an object of anything",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      "x?: Record<string, unknown>;",
    ],
    ["anything", { "x-kubernetes-preserve-unknown-fields": true }, "x?: unknown;"],
    ["an end of a comment in a description", { type: "string", description: "a */ b" }, "/** a *\\/ b */"],
    [
      "an object that keeps other fields",
      { type: "object", properties: { a: { type: "string" } }, "x-kubernetes-preserve-unknown-fields": true },
      "export interface WidgetSpecX {\n  a?: string;\n  [field: string]: unknown;\n}",
    ],
    [
      "an embedded resource",
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      "export interface WidgetSpecX {\n  apiVersion: string;\n  kind: string;\n  metadata?: ObjectMeta;\n  [field: string]: unknown;\n}",
    ],
  ])("with %s", async (_, x, expected) => {
    expect((await types(definition(version("v1", { type: "object", properties: { x } })))).stdout).toContain(expected);
  });

  test("as optional when the field is required and has a default", async () => {
    const spec = {
      type: "object",
      required: ["x", "y-z"],
      properties: { x: { type: "string", default: "a" }, "y-z": { type: "string" } },
    };
    expect((await types(definition(version("v1", spec)))).stdout).toContain('  x?: string;\n  "y-z": string;\n');
  });
});

test("crd types writes an interface of its own name for each served version", async () => {
  const retired = { ...version("v1alpha1", { type: "object" }), served: false };
  const { stdout } = await types(
    definition(version("v1", { type: "object" }), version("v1beta1", { type: "object" }), retired),
  );
  expect([...stdout.matchAll(/export interface (\w+)/g)].map(([, name]) => name)).toEqual([
    "WidgetV1",
    "WidgetV1beta1",
  ]);
  expect(stdout).toContain('"example.com/v1beta1/Widget": WidgetV1beta1;');
});

test("crd types accepts a list of definitions", async () => {
  const list = { apiVersion: "v1", kind: "List", items: [definition(version("v1", { type: "object" }))] };
  expect((await types(list)).stdout).toContain("export interface Widget {");
});

test.each<[string, object, string]>([
  [
    "no definition",
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
    "error: no CustomResourceDefinition found in the files\n",
  ],
  [
    "a definition without a schema",
    definition({ name: "v1", served: true, storage: true }),
    'error: customresourcedefinition "widgets.example.com" has no version with a schema\n',
  ],
])("crd types refuses %s", async (_, manifest, message) => {
  expect(await types(manifest)).toMatchObject({ code: 1, stdout: "", stderr: message });
});
