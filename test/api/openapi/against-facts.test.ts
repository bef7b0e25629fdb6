import { describe, expect, test } from "vitest";
import { aggregatedDiscovery, apiGroupList, apiResourceList, apiVersions } from "../../../src/api/discovery/index.js";
import { builtInApi } from "../../../src/api/facts/index.js";
import { openApiV2Json, openApiV3Document, openApiV3Index } from "../../../src/api/openapi/index.js";
import { definitionsOf, type Expected, knownDefinitions, operationsOf, rootPaths } from "./expected-operations.js";
import {
  closureOf,
  type FieldLine,
  facts,
  fieldsOf,
  isServed,
  mapTypeOf,
  META,
  type ResourceLine,
  servedGroups,
  servedResources,
  type Shape,
} from "./facts-file.js";

// What is published beside the facts, both ways: nothing of the facts is missing, and nothing is published that they lack.

interface Json {
  readonly [key: string]: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly type?: string;
  readonly required?: boolean;
  readonly schema?: { readonly type?: string; readonly $ref?: string };
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<
    Record<string, Json & { readonly content?: Readonly<Record<string, { schema: Json }>> }>
  >;
  readonly "x-kubernetes-action"?: string;
  readonly "x-kubernetes-group-version-kind"?: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  };
}

type Paths = Readonly<Record<string, Json & { readonly parameters?: readonly Parameter[] }>>;
type Definitions = Readonly<Record<string, Json>>;

interface Published {
  readonly paths: Paths;
  readonly definitions: Definitions;
}

const api = builtInApi();
const parse = (bytes: Uint8Array | undefined): Json => JSON.parse(new TextDecoder().decode(bytes)) as Json;

const groupVersions = servedGroups.flatMap(({ name, versions }) =>
  versions.map((version) => (name === "" ? version : `${name}/${version}`)),
);
const documentOf = (groupVersion: string): string => `${groupVersion.includes("/") ? "apis" : "api"}/${groupVersion}`;

function v3(path: string): Published {
  const { paths, components } = parse(openApiV3Document(api, path)) as unknown as {
    paths: Paths;
    components: { schemas: Definitions };
  };
  return { paths, definitions: components.schemas };
}
const v2 = parse(openApiV2Json(api)) as unknown as Published;

// Every comparison below is of texts, so that a difference names its place.

/** Types whose JSON is not an object of fields, in either version. */
const SPECIAL: Readonly<Record<string, { readonly v2: Json; readonly v3: Json }>> = {
  [`${META}.Time`]: same({ type: "string", format: "date-time" }),
  [`${META}.MicroTime`]: same({ type: "string", format: "date-time" }),
  "io.k8s.apimachinery.pkg.api.resource.Quantity": {
    v2: { type: "string" },
    v3: { oneOf: [{ type: "string" }, { type: "number" }] },
  },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    v2: { type: "string", format: "int-or-string" },
    v3: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  },
  [`${META}.FieldsV1`]: same({ type: "object" }),
  "io.k8s.apimachinery.pkg.runtime.RawExtension": same({ type: "object" }),
  ...Object.fromEntries(
    ["JSON", "JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray"].map((name) => [
      `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.${name}`,
      same({}),
    ]),
  ),
};

function same(form: Json): { readonly v2: Json; readonly v3: Json } {
  return { v2: form, v3: form };
}

/** An object, without what the facts leave to the descriptions. */
function plain(published: Json): Json {
  const { description: _, ...rest } = published;
  return rest;
}

/** A published field as the facts would have it. */
function shapeOf(schema: Json): Shape {
  const [wrapped] = (schema["allOf"] ?? []) as readonly Json[];
  const ref = (schema["$ref"] ?? wrapped?.["$ref"]) as string | undefined;
  const optional = {
    ref: ref?.replace(/^.*\//, ""),
    type: schema["type"],
    format: schema["format"],
    enum: schema["enum"],
    items: schema["items"] && shapeOf(schema["items"] as Json),
    values: schema["additionalProperties"] && shapeOf(schema["additionalProperties"] as Json),
    listType: schema["x-kubernetes-list-type"],
    listMapKeys: schema["x-kubernetes-list-map-keys"],
    mapType: schema["x-kubernetes-map-type"],
    mergeKey: schema["x-kubernetes-patch-merge-key"],
    strategy: schema["x-kubernetes-patch-strategy"],
  };
  return JSON.parse(JSON.stringify(optional)) as Shape;
}

/** The keys of a schema that {@link shapeOf}, descriptions and defaults account for. */
const KNOWN =
  /^(\$ref|allOf|type|format|enum|items|additionalProperties|description|default|x-kubernetes-(list-type|list-map-keys|map-type|patch-merge-key|patch-strategy))$/;

/** Version 3 has the defaults of the facts, and Go's zero where a field that is no pointer is always there. */
function defaultOf({ isPointer, isOmittedEmpty, fallback, shape }: FieldLine): unknown {
  if (fallback !== undefined) return fallback;
  if (isPointer) return undefined;
  if (shape.ref !== undefined) return fieldsOf(shape.ref) === undefined ? undefined : {};
  if (isOmittedEmpty || shape.format === "byte") return undefined;
  return { string: "", boolean: false, integer: 0, number: 0 }[shape.type ?? ""];
}

function differencesOf(name: string, published: Json | undefined, version: "v2" | "v3"): readonly string[] {
  if (published === undefined) return [`${name}: missing`];
  const found: string[] = [];
  const differ = (place: string, ours: unknown, theirs: unknown): void => {
    const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)];
    if (a !== b) found.push(`${version} ${name}${place}: published ${a}, facts ${b}`);
  };
  const special = SPECIAL[name];
  if (special !== undefined) {
    differ("", plain(published), special[version]);
    return found;
  }
  const fields = fieldsOf(name) ?? [];
  const properties = (published["properties"] ?? {}) as Definitions;
  differ(" type", published["type"], "object");
  differ(" properties", Object.keys(properties), fields.map((one) => one.name).toSorted());
  const required = fields.filter(({ isRequired }) => isRequired).map((one) => one.name);
  differ(" required", published["required"], required.length === 0 ? undefined : required.toSorted());
  differ(" map type", published["x-kubernetes-map-type"], mapTypeOf(name));
  differ(" unions", published["x-kubernetes-unions"], facts.unions[name]);
  const kinds = published["x-kubernetes-group-version-kind"] as readonly Json[] | undefined;
  const texts = kinds?.map(({ group, version: one, kind }) => `${group as string}/${one as string}/${kind as string}`);
  differ(" kinds", texts, facts.kinds[name]);
  for (const field of fields) {
    const schema = properties[field.name];
    if (schema === undefined) continue;
    const sorted = (shape: Shape) => JSON.parse(JSON.stringify(shape, shapeKeys)) as Shape;
    differ(`.${field.name}`, sorted(shapeOf(schema)), sorted(field.shape));
    differ(`.${field.name} default`, schema["default"], version === "v3" ? defaultOf(field) : undefined);
    const unknown = Object.keys(schema).filter((key) => !KNOWN.test(key));
    if (unknown.length > 0) found.push(`${name}.${field.name}: published ${unknown.join()} beside`);
  }
  return found;
}

/** In one order. */
const shapeKeys = "ref type format enum items values listType listMapKeys mapType mergeKey strategy".split(" ");

/** A published operation in the words of {@link Expected}. */
function operationsIn(paths: Paths): readonly Expected[] {
  return Object.entries(paths).flatMap(([path, { parameters: shared = [], ...methods }]) =>
    Object.entries(methods as Readonly<Record<string, Operation>>).flatMap(([method, operation]) => {
      const kind = operation["x-kubernetes-group-version-kind"];
      if (kind === undefined) return [];
      const all = [...shared, ...(operation.parameters ?? [])];
      const parameters = all
        .filter((one) => one.in !== "body")
        .map((one) => {
          expect(one.required === true, `${path} ${one.name}`).toBe(one.in === "path");
          return `${one.in} ${one.name} ${one.type ?? one.schema?.type}`;
        });
      const inV2 = all.find((one) => one.in === "body")?.schema;
      const inV3 = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
      const { schema, content = {} } = operation.responses["200"] ?? {};
      const answer = ((schema ?? Object.values(content)[0]?.schema) as Json | undefined)?.["$ref"];
      return {
        kind: `${kind.group}/${kind.version}/${kind.kind}`,
        path,
        method,
        action: operation["x-kubernetes-action"] ?? "",
        parameters: parameters.toSorted(),
        body: nameOf((inV2 ?? inV3)?.["$ref"] as string | undefined),
        answer: nameOf(answer),
      } as Expected;
    }),
  );
}
const nameOf = (ref: unknown): string | undefined => (typeof ref === "string" ? ref.replace(/^.*\//, "") : undefined);

const textOf = ({ path, method, action, kind, parameters, body, answer }: Expected): string =>
  `${method} ${path}: ${action} of ${kind}, body ${body}, answer ${answer}, ${parameters.join(", ")}`;

function compareOperations(paths: Paths, resources: readonly ResourceLine[]): number {
  const ours = operationsIn(paths).map(textOf).toSorted();
  const theirs = resources.flatMap(operationsOf).map(textOf).toSorted();
  expect(new Set(theirs).size).toBe(theirs.length);
  const [missing, more] = [theirs.filter((one) => !ours.includes(one)), ours.filter((one) => !theirs.includes(one))];
  expect({ missing, more }).toEqual({ missing: [], more: [] });
  return ours.length;
}

/** Of every group version's document and of version 2, beside what operations name. */
const ALWAYS = [`${META}.APIResourceList`, `${META}.WatchEvent`];

/** Paths of the server that are of no resource and no discovery document. */
const OWN_PATHS = ["/.well-known/openid-configuration/", "/openid/v1/jwks/"];

describe("the published OpenAPI v2 document", () => {
  test("has exactly the operations of the served resources, with parameters, body and answer as in the API facts", () => {
    expect(compareOperations(v2.paths, servedResources)).toBeGreaterThan(700);
  });

  test("has beside these only the paths of discovery and of the server itself", () => {
    const others = Object.keys(v2.paths).filter((path) => !servedResources.some((one) => isOf(path, one)));
    expect(others.toSorted()).toEqual([...rootPaths(groupVersions).keys(), ...OWN_PATHS].toSorted());
  });

  test("has exactly the definitions that its operations refer to, as the API facts have them", () => {
    const operations = servedResources.flatMap(operationsOf);
    const wanted = closureOf([...definitionsOf(operations), ...ALWAYS, ...rootPaths(groupVersions).values()]);
    expect(Object.keys(v2.definitions)).toEqual([...wanted].toSorted());
    expect([...wanted].flatMap((name) => differencesOf(name, v2.definitions[name], "v2"))).toEqual([]);
  });

  test("leaves out definitions of versions that are off and of types that no operation uses", () => {
    const left = knownDefinitions.filter((name) => !Object.hasOwn(v2.definitions, name));
    const served = left.filter((name) => !/\.v\d(alpha|beta)\d\./.test(name));
    expect(served.toSorted()).toEqual(UNPUBLISHED.toSorted());
  });
});

/**
 * Definitions that no operation of a served resource reads or writes: options travel as query parameters, Table and
 * PartialObjectMetadata are forms of any answer, and List is kubectl's.
 */
const UNPUBLISHED: readonly string[] = [
  "CreateOptions",
  "GetOptions",
  "List",
  "ListOptions",
  "PartialObjectMetadata",
  "PartialObjectMetadataList",
  "PatchOptions",
  "Table",
  "TableColumnDefinition",
  "TableRow",
  "TableRowCondition",
  "UpdateOptions",
].map((name) => `${META}.${name}`);

const isOf = (path: string, { groupVersion, name }: ResourceLine): boolean => {
  const root = `/${documentOf(groupVersion)}/`;
  return path.startsWith(root) && path.slice(root.length).split("/").includes(name);
};

describe("the published OpenAPI v3 documents", () => {
  test("are listed in an index, one for every served group version and for the server's own paths", () => {
    const groups = servedGroups.filter(({ name }) => name !== "").map(({ name }) => `apis/${name}`);
    const own = [".well-known/openid-configuration", "api", "apis", "openid/v1/jwks", "version"];
    const wanted = [...groupVersions.map(documentOf), ...groups, ...own].toSorted();
    expect(Object.keys(openApiV3Index(api).paths)).toEqual(wanted);
  });

  test.each(groupVersions)("of %s have exactly its operations and definitions", (groupVersion) => {
    const { paths, definitions } = v3(documentOf(groupVersion));
    const resources = servedResources.filter((one) => one.groupVersion === groupVersion);
    compareOperations(paths, resources);
    const others = Object.keys(paths).filter((path) => !resources.some((one) => isOf(path, one)));
    expect(others).toEqual([`/${documentOf(groupVersion)}/`]);
    const wanted = closureOf([...definitionsOf(resources.flatMap(operationsOf)), ...ALWAYS]);
    expect(Object.keys(definitions)).toEqual([...wanted].toSorted());
    expect([...wanted].flatMap((name) => differencesOf(name, definitions[name], "v3"))).toEqual([]);
  });

  test("of the list of groups and of /version have one path each", () => {
    const answers = rootPaths(groupVersions);
    for (const path of Object.keys(openApiV3Index(api).paths)) {
      if (groupVersions.some((one) => documentOf(one) === path)) continue;
      const { paths, definitions } = v3(path);
      expect(Object.keys(paths)).toEqual([`/${path}/`]);
      const answer = answers.get(`/${path}/`);
      expect(Object.keys(definitions), path).toEqual(answer === undefined ? [] : [...closureOf([answer])].toSorted());
    }
  });
});

describe("the published discovery documents", () => {
  const byName = (resources: readonly ResourceLine[]) => resources.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const of = (groupVersion: string) => byName(servedResources.filter((one) => one.groupVersion === groupVersion));
  const kindIn = (text: string, groupVersion: string) => {
    const [group = "", version = "", kind = ""] = text.split("/");
    const own = groupVersion.includes("/") ? (groupVersion.split("/")[0] ?? "") : "";
    return { group: own === group ? "" : group, version: own === group ? "" : version, kind };
  };

  test("list the groups and their versions, the preferred version first", () => {
    const groups = servedGroups.filter(({ name }) => name !== "");
    expect(apiVersions(api).versions).toEqual(["v1"]);
    expect(
      apiGroupList(api).groups.map(({ name, versions, preferredVersion }) => ({
        name,
        versions: versions.map(({ version }) => version),
        preferred: preferredVersion.groupVersion,
      })),
    ).toEqual(groups.map(({ name, versions }) => ({ name, versions, preferred: `${name}/${versions[0]}` })));
  });

  test.each(groupVersions)("of %s list its resources and subresources with their verbs and names", (groupVersion) => {
    const wanted = of(groupVersion).flatMap((one) => [
      {
        name: one.name,
        singularName: one.singular,
        namespaced: one.namespaced === true,
        kind: one.kind,
        verbs: one.verbs,
        ...(one.shortNames !== undefined && { shortNames: one.shortNames }),
        ...(one.categories !== undefined && { categories: one.categories }),
        ...(one.storageVersionHash !== undefined && { storageVersionHash: one.storageVersionHash }),
      },
      ...Object.entries(one.subresources ?? {}).map(([name, { kind, verbs }]) => {
        const reached = kindIn(kind, groupVersion);
        return {
          name: `${one.name}/${name}`,
          singularName: "",
          namespaced: one.namespaced === true,
          ...(reached.group !== "" && { group: reached.group, version: reached.version }),
          kind: reached.kind,
          verbs,
        };
      }),
    ]);
    expect(apiResourceList(api, groupVersion)?.resources).toEqual(wanted);
  });

  test("are the same in the aggregated form", () => {
    const items = [...aggregatedDiscovery(api, "api").items, ...aggregatedDiscovery(api, "apis").items];
    expect(items).toEqual(
      servedGroups.map(({ name, versions }) => ({
        metadata: name === "" ? {} : { name },
        versions: versions.map((version) => {
          const groupVersion = name === "" ? version : `${name}/${version}`;
          return { version, freshness: "Current", resources: of(groupVersion).map((one) => aggregated(one)) };
        }),
      })),
    );
  });

  const aggregated = (one: ResourceLine) => ({
    resource: one.name,
    responseKind: { group: "", version: "", kind: one.kind },
    scope: one.namespaced === true ? "Namespaced" : "Cluster",
    singularResource: one.singular,
    verbs: one.verbs,
    ...(one.shortNames !== undefined && { shortNames: one.shortNames }),
    ...(one.categories !== undefined && { categories: one.categories }),
    ...(one.subresources !== undefined && {
      subresources: Object.entries(one.subresources).map(([subresource, { kind, verbs }]) => ({
        subresource,
        responseKind: kindIn(kind, one.groupVersion),
        verbs,
      })),
    }),
  });

  test("C-CFG-04: discovery and OpenAPI leave out versions that are switched off", () => {
    const off = facts.resources.map((one) => one.groupVersion).filter((one) => !isServed(one));
    expect(off.filter((one) => apiResourceList(api, one) !== undefined)).toEqual([]);
  });
});
