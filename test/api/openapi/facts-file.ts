import { factsOfVersion } from "../../../tools/api-facts/facts-of-version.mjs";
import { newestRelease } from "../../../src/api/facts/index.js";

// The facts as the generator makes them, read without the code of src: what the server publishes is made by other code of the same tables.

export const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

interface FactsFile {
  readonly groups: readonly { readonly name: string; readonly versions: readonly string[] }[];
  readonly resources: readonly ResourceLine[];
  readonly kinds: Readonly<Record<string, readonly string[]>>;
  readonly unions: Readonly<Record<string, readonly unknown[]>>;
  readonly enums: Readonly<Record<string, readonly string[]>>;
  readonly definitions: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface ResourceLine {
  readonly groupVersion: string;
  readonly name: string;
  readonly singular: string;
  readonly kind: string;
  readonly definition: string;
  readonly namespaced?: boolean;
  readonly verbs: readonly string[];
  readonly subresources?: Readonly<Record<string, { readonly kind: string; readonly verbs: readonly string[] }>>;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** A field as both versions of OpenAPI publish it; what only one of them can say is left to the comparison. */
export interface Shape {
  readonly ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Shape;
  readonly values?: Shape;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
  readonly mergeKey?: string;
  readonly strategy?: string;
}

export interface FieldLine {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isPointer: boolean;
  readonly isOmittedEmpty: boolean;
  readonly fallback?: unknown;
  readonly shape: Shape;
}

export const facts = factsOfVersion(newestRelease.version).published as unknown as FactsFile;

export const isServed = (groupVersion: string): boolean => !/alpha|beta/.test(groupVersion);
export const servedResources = facts.resources.filter(({ groupVersion }) => isServed(groupVersion));
export const servedGroups = facts.groups
  .map(({ name, versions }) => ({ name, versions: versions.filter(isServed) }))
  .filter(({ versions }) => versions.length > 0);

/** "meta.v1" -> its package. */
const packages = new Map(Object.keys(facts.definitions).map((name) => [name.split(".").slice(-2).join("."), name]));

/** Kinds by "group/version/Kind". */
export const definitionOfKind = new Map(
  Object.entries(facts.kinds).flatMap(([definition, kinds]) => kinds.map((kind) => [kind, definition] as const)),
);

const lineOf = (definition: string): string | undefined => {
  const dot = definition.lastIndexOf(".");
  return facts.definitions[definition.slice(0, dot)]?.[definition.slice(dot + 1)];
};

export const mapTypeOf = (definition: string): string | undefined =>
  /^@mapType=(\w+)/.exec(lineOf(definition) ?? "")?.[1];

/** Undefined for a type whose JSON is no object of fields. */
export function fieldsOf(definition: string): readonly FieldLine[] | undefined {
  const packageName = definition.slice(0, definition.lastIndexOf("."));
  return lineOf(definition)
    ?.split(";")
    .filter((text) => text !== "" && !text.startsWith("@"))
    .map((text) => fieldOf(text, packageName));
}

function fieldOf(text: string, packageName: string): FieldLine {
  const [name = "", flags = "", type = "", ...pairs] = text.split(" ");
  const keys = Object.fromEntries(pairs.map((pair) => [pair[0], pair.slice(2)])) as Record<string, string | undefined>;
  const shape = shapeOf(type.replace("*", ""), keys, packageName);
  return {
    name,
    isRequired: flags.includes("r"),
    isPointer: type.startsWith("*"),
    isOmittedEmpty: flags.includes("o"),
    ...(keys["d"] !== undefined && { fallback: JSON.parse(keys["d"]) as unknown }),
    shape: {
      ...shape,
      ...(keys["k"] !== undefined && { mergeKey: keys["k"] }),
      ...(keys["s"] !== undefined && { strategy: keys["s"] }),
      ...(keys["t"] !== undefined && { mapType: keys["t"] }),
    },
  };
}

const SCALARS: Readonly<Record<string, Shape>> = {
  string: { type: "string" },
  bytes: { type: "string", format: "byte" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  float64: { type: "number", format: "double" },
  time: { ref: `${META}.Time` },
  microTime: { ref: `${META}.MicroTime` },
  quantity: { ref: "io.k8s.apimachinery.pkg.api.resource.Quantity" },
  intOrString: { ref: "io.k8s.apimachinery.pkg.util.intstr.IntOrString" },
};

function shapeOf(type: string, keys: Readonly<Record<string, string | undefined>>, packageName: string): Shape {
  const inner = { n: keys["n"] };
  if (type.startsWith("[]")) {
    return {
      type: "array",
      items: shapeOf(type.slice(2), inner, packageName),
      ...(keys["l"] !== undefined && { listType: keys["l"] }),
      ...(keys["m"] !== undefined && { listMapKeys: keys["m"].split(",") }),
    };
  }
  if (type.startsWith("{}")) return { type: "object", values: shapeOf(type.slice(2), inner, packageName) };
  const named = keys["n"] === undefined ? undefined : qualified(keys["n"], packageName);
  if (type === "any") return named === undefined ? {} : { ref: named };
  const scalar = SCALARS[type];
  if (scalar === undefined) return { ref: qualified(type, packageName) };
  const values = named === undefined ? undefined : facts.enums[named];
  return values === undefined ? scalar : { ...scalar, enum: values };
}

function qualified(name: string, packageName: string): string {
  if (!name.includes(".")) return `${packageName}.${name}`;
  const dot = name.lastIndexOf(".");
  const alias = name.slice(0, dot);
  return `${packages.get(alias) ?? `io.k8s.apimachinery.${alias}`}.${name.slice(dot + 1)}`;
}

/** The definitions and all that they lead to. */
export function closureOf(definitions: Iterable<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...definitions];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const { shape } of fieldsOf(name) ?? []) {
      const ref =
        shape.ref ?? shape.items?.ref ?? shape.values?.ref ?? shape.values?.items?.ref ?? shape.items?.items?.ref;
      if (ref !== undefined) open.push(ref);
    }
  }
  return found;
}
