import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { Field, PatchStrategy, ScalarSchema, Schema, StructSchema } from "../../machinery/schema/schema.js";
import { facts } from "./data.js";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Kinds of the meta group, which no resource's OpenAPI shows. */
const META_KINDS = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

const structs = new Map<string, StructSchema>();
let byKind: Map<string, string> | undefined;
let packagesByAlias: Map<string, string> | undefined;

/** The OpenAPI definition name of a kind ("io.k8s.api.apps.v1.Deployment"), or undefined when 1.36 has no such kind. */
export function definitionOf({ group, version, kind }: GroupVersionKind): string | undefined {
  if (group === "meta.k8s.io" && version === "v1" && META_KINDS.has(kind)) return `${META}.${kind}`;
  if (byKind === undefined) {
    byKind = new Map();
    for (const [definition, kinds] of Object.entries(facts.kinds)) {
      for (const one of kinds) byKind.set(one, definition);
    }
  }
  return byKind.get(`${group}/${version}/${kind}`);
}

/** The kinds a definition stands for; empty for a part of a kind. */
export function kindsOf(definition: string): readonly GroupVersionKind[] {
  return (Object.hasOwn(facts.kinds, definition) ? (facts.kinds[definition] ?? []) : []).map((text) => {
    const [group = "", version = "", kind = ""] = text.split("/");
    return { group, version, kind };
  });
}

/** The schema of a built-in kind, lists and options included. Built on first use, the same object each time, recursive. */
export function schemaFor(kind: GroupVersionKind): StructSchema | undefined {
  const definition = definitionOf(kind);
  return definition === undefined ? undefined : structOf(definition);
}

/** The schema of a definition by its full name ("io.k8s.api.core.v1.PodSpec"). */
export function structOf(definition: string): StructSchema | undefined {
  const known = structs.get(definition);
  if (known !== undefined) return known;
  const [packageName, name] = splitDefinition(definition);
  const types = Object.hasOwn(facts.definitions, packageName) ? facts.definitions[packageName] : undefined;
  const line = types !== undefined && Object.hasOwn(types, name) ? types[name] : undefined;
  if (line === undefined) return undefined;
  const struct = new LazyStruct(packageName, name, line);
  structs.set(definition, struct);
  return struct;
}

/** All definition names, sorted by package and name. */
export function definitionNames(): readonly string[] {
  return Object.entries(facts.definitions).flatMap(([packageName, types]) =>
    Object.keys(types).map((name) => `${packageName}.${name}`),
  );
}

/** "x-kubernetes-unions" of a definition, when it has one. */
export function unionsOf(definition: string): readonly unknown[] | undefined {
  return Object.hasOwn(facts.unions, definition) ? facts.unions[definition] : undefined;
}

/** "io.k8s.api.core.v1.Pod" -> ["io.k8s.api.core.v1", "Pod"]. */
export function splitDefinition(definition: string): readonly [packageName: string, name: string] {
  const dot = definition.lastIndexOf(".");
  return [definition.slice(0, dot), definition.slice(dot + 1)];
}

/** Parses its line when its fields are first asked for, so that a kind costs nothing until it is used. */
class LazyStruct implements StructSchema {
  readonly type = "struct";
  readonly name: string;
  readonly definition: string;
  readonly goType: string;
  readonly mapType: "atomic" | "granular" | undefined;
  readonly #packageName: string;
  readonly #line: string;
  #fields: readonly Field[] | undefined;
  #byName: ReadonlyMap<string, Field> | undefined;

  constructor(packageName: string, name: string, line: string) {
    this.name = name;
    this.definition = `${packageName}.${name}`;
    this.goType = goTypeName(this.definition);
    this.mapType = line.startsWith("@mapType=atomic") ? "atomic" : undefined;
    this.#packageName = packageName;
    this.#line = line;
  }

  get fields(): readonly Field[] {
    this.#fields ??= parseFields(this.#line, this.#packageName);
    return this.#fields;
  }

  get byName(): ReadonlyMap<string, Field> {
    this.#byName ??= new Map(this.fields.map((field) => [field.name, field]));
    return this.#byName;
  }
}

function parseFields(line: string, packageName: string): readonly Field[] {
  if (line === "") return [];
  return line
    .split(";")
    .filter((word) => !word.startsWith("@"))
    .map((word) => parseField(word, packageName));
}

function parseField(word: string, packageName: string): Field {
  const [name = "", flags = "", type = "", ...pairs] = word.split(" ");
  const values = new Map(pairs.map((pair) => [pair.slice(0, 1), pair.slice(2)]));
  const pointer = type.startsWith("*");
  const fallback = values.get("d");
  const numbers = values.get("p")?.split(".").map(Number) ?? [];
  const strategies = values.get("s");
  return {
    name,
    schema: parseType(pointer ? type.slice(1) : type, packageName, values),
    omitEmpty: flags.includes("o"),
    omitZero: flags.includes("z"),
    pointer,
    required: flags.includes("r"),
    protobuf: numbers.at(-1),
    ...(numbers.length > 1 ? { protobufInline: numbers.slice(0, -1) } : {}),
    ...(values.has("i") ? { inlinedIn: values.get("i") } : {}),
    ...(fallback === undefined ? {} : { default: JSON.parse(fallback) as unknown }),
    ...(strategies === undefined ? {} : { patchStrategy: strategies.split(",") as PatchStrategy[] }),
    ...(values.has("k") ? { patchMergeKey: values.get("k") } : {}),
    ...(values.has("t") ? { mapType: values.get("t") as "atomic" | "granular" } : {}),
  };
}

function parseType(type: string, packageName: string, values: ReadonlyMap<string, string>): Schema {
  const outer = values.get("o");
  const goType = outer === undefined ? {} : { goType: goTypeName(qualify(outer, packageName)) };
  const inner = new Map([...values].filter(([key]) => key === "n"));
  if (type.startsWith("[]")) {
    const listType = values.get("l") as "atomic" | "set" | "map" | undefined;
    const listMapKeys = values.get("m")?.split(",");
    return { type: "list", items: parseType(type.slice(2), packageName, inner), listType, listMapKeys, ...goType };
  }
  if (type.startsWith("{}")) {
    const mapType = values.get("t") as "atomic" | "granular" | undefined;
    return { type: "map", values: parseType(type.slice(2), packageName, inner), mapType, ...goType };
  }
  if (/^[a-z][A-Za-z0-9]*$/.test(type)) return scalar(type as ScalarSchema["scalar"], values.get("n"), packageName);
  const struct = structOf(qualify(type, packageName));
  if (struct === undefined) throw new Error(`the API facts refer to a missing definition: ${type} in ${packageName}`);
  return struct;
}

const scalars = new Map<string, ScalarSchema>();

function scalar(type: ScalarSchema["scalar"], named: string | undefined, packageName: string): ScalarSchema {
  const full = named === undefined ? undefined : qualify(named, packageName);
  const key = `${type} ${full ?? ""}`;
  let known = scalars.get(key);
  if (known === undefined) {
    const values = full !== undefined && Object.hasOwn(facts.enums, full) ? facts.enums[full] : undefined;
    known = {
      type: "scalar",
      scalar: type,
      ...(values === undefined ? {} : { enum: values }),
      ...(full === undefined ? {} : { goType: goTypeName(full), definition: full }),
    };
    scalars.set(key, known);
  }
  return known;
}

/** "Name" or "core.v1.Name" as written in a line -> the full name. */
function qualify(reference: string, packageName: string): string {
  if (!reference.includes(".")) return `${packageName}.${reference}`;
  const [alias, name] = splitDefinition(reference);
  if (packagesByAlias === undefined) {
    packagesByAlias = new Map(
      Object.keys(facts.definitions).map((full) => [full.split(".").slice(-2).join("."), full]),
    );
  }
  return `${packagesByAlias.get(alias) ?? `io.k8s.apimachinery.${alias}`}.${name}`;
}

/** "io.k8s.api.core.v1.Protocol" -> "v1.Protocol", as Go's reflection prints a type. */
function goTypeName(definition: string): string {
  return definition.split(".").slice(-2).join(".");
}
