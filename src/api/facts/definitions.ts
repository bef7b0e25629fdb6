import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { Field, PatchStrategy, ScalarSchema, Schema, StructSchema } from "../../machinery/schema/schema.js";
import type { FactsFile } from "./data.js";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Kinds of the meta group, which no resource's OpenAPI shows. */
const META_KINDS = new Set(["Table", "PartialObjectMetadata", "PartialObjectMetadataList"]);

/** What {@link Definitions} reads: a part of {@link FactsFile}. */
export type DefinitionsFile = Pick<FactsFile, "kinds" | "enums" | "definitions"> & Partial<Pick<FactsFile, "unions">>;

/** API types by the names that OpenAPI has for them. */
export type TypeSource = Pick<Definitions, "definitionOf" | "kindsOf" | "structOf" | "unionsOf">;

/** The API types of a facts file and of `behind`, which has further types; those never refer to the file's. */
export class Definitions {
  readonly #structs = new Map<string, StructSchema>();
  readonly #scalars = new Map<string, ScalarSchema>();
  #byKind: Map<string, string> | undefined;
  #packagesByAlias: Map<string, string> | undefined;

  constructor(
    private readonly file: DefinitionsFile,
    private readonly behind?: Definitions,
  ) {}

  /** The OpenAPI definition name of a kind ("io.k8s.api.apps.v1.Deployment"), or undefined when there is no such kind. */
  definitionOf({ group, version, kind }: GroupVersionKind): string | undefined {
    if (group === "meta.k8s.io" && version === "v1" && META_KINDS.has(kind)) return `${META}.${kind}`;
    if (this.#byKind === undefined) {
      this.#byKind = new Map();
      for (const [definition, kinds] of Object.entries(this.file.kinds)) {
        for (const one of kinds) this.#byKind.set(one, definition);
      }
    }
    return this.#byKind.get(`${group}/${version}/${kind}`) ?? this.behind?.definitionOf({ group, version, kind });
  }

  /** The kinds a definition stands for; empty for a part of a kind. */
  kindsOf(definition: string): readonly GroupVersionKind[] {
    if (!Object.hasOwn(this.file.kinds, definition)) return this.behind?.kindsOf(definition) ?? [];
    return (this.file.kinds[definition] ?? []).map((text) => {
      const [group = "", version = "", kind = ""] = text.split("/");
      return { group, version, kind };
    });
  }

  /** Every kind of every version, lists and options included; what is behind comes first. */
  kinds(): readonly GroupVersionKind[] {
    const own = Object.keys(this.file.kinds).flatMap((definition) => this.kindsOf(definition));
    return [...(this.behind?.kinds() ?? []), ...own];
  }

  /** The schema of a built-in kind, lists and options included. Built on first use, the same object each time, recursive. */
  schemaFor(kind: GroupVersionKind): StructSchema | undefined {
    const definition = this.definitionOf(kind);
    return definition === undefined ? undefined : this.structOf(definition);
  }

  /** The schema of a definition by its full name ("io.k8s.api.core.v1.PodSpec"). */
  structOf(definition: string): StructSchema | undefined {
    const known = this.#structs.get(definition);
    if (known !== undefined) return known;
    const [packageName, name] = splitDefinition(definition);
    const types = Object.hasOwn(this.file.definitions, packageName) ? this.file.definitions[packageName] : undefined;
    const line = types !== undefined && Object.hasOwn(types, name) ? types[name] : undefined;
    if (line === undefined) return this.behind?.structOf(definition);
    const struct = new LazyStruct(this, packageName, name, line);
    this.#structs.set(definition, struct);
    return struct;
  }

  /** All definition names, sorted by package and name. */
  names(): readonly string[] {
    return Object.entries(this.file.definitions).flatMap(([packageName, types]) =>
      Object.keys(types).map((name) => `${packageName}.${name}`),
    );
  }

  /** "x-kubernetes-unions" of a definition, when it has one. */
  unionsOf(definition: string): readonly unknown[] | undefined {
    const { unions } = this.file;
    return unions !== undefined && Object.hasOwn(unions, definition) ? unions[definition] : undefined;
  }

  /** A scalar, by its type and the full name of the named type it is. */
  scalar(type: ScalarSchema["scalar"], full: string | undefined): ScalarSchema {
    const key = `${type} ${full ?? ""}`;
    let known = this.#scalars.get(key);
    if (known === undefined) {
      const values = full === undefined ? undefined : this.#enumOf(full);
      known = {
        type: "scalar",
        scalar: type,
        ...(values === undefined ? {} : { enum: values }),
        ...(full === undefined ? {} : { goType: goTypeName(full), definition: full }),
      };
      this.#scalars.set(key, known);
    }
    return known;
  }

  /** "Name" or "core.v1.Name" as written in a line -> the full name. */
  qualify(reference: string, packageName: string): string {
    if (!reference.includes(".")) return `${packageName}.${reference}`;
    const [alias, name] = splitDefinition(reference);
    return `${this.#packageByAlias(alias) ?? `io.k8s.apimachinery.${alias}`}.${name}`;
  }

  #packageByAlias(alias: string): string | undefined {
    this.#packagesByAlias ??= new Map(
      Object.keys(this.file.definitions).map((full) => [full.split(".").slice(-2).join("."), full]),
    );
    return (
      this.#packagesByAlias.get(alias) ?? (this.behind === undefined ? undefined : this.behind.#packageByAlias(alias))
    );
  }

  #enumOf(full: string): readonly string[] | undefined {
    return Object.hasOwn(this.file.enums, full)
      ? this.file.enums[full]
      : this.behind === undefined
        ? undefined
        : this.behind.#enumOf(full);
  }
}

/** "io.k8s.api.core.v1.Pod" -> ["io.k8s.api.core.v1", "Pod"]. */
function splitDefinition(definition: string): readonly [packageName: string, name: string] {
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
  readonly #definitions: Definitions;
  readonly #packageName: string;
  readonly #line: string;
  #fields: readonly Field[] | undefined;
  #byName: ReadonlyMap<string, Field> | undefined;

  constructor(definitions: Definitions, packageName: string, name: string, line: string) {
    this.name = name;
    this.definition = `${packageName}.${name}`;
    this.goType = goTypeName(this.definition);
    this.mapType = line.startsWith("@mapType=atomic") ? "atomic" : undefined;
    this.#definitions = definitions;
    this.#packageName = packageName;
    this.#line = line;
  }

  get fields(): readonly Field[] {
    this.#fields ??= new LineParser(this.#definitions, this.#packageName).fields(this.#line);
    return this.#fields;
  }

  get byName(): ReadonlyMap<string, Field> {
    this.#byName ??= new Map(this.fields.map((field) => [field.name, field]));
    return this.#byName;
  }
}

/** Reads a definition's line as its package means it. */
class LineParser {
  constructor(
    private readonly definitions: Definitions,
    private readonly packageName: string,
  ) {}

  fields(line: string): readonly Field[] {
    if (line === "") return [];
    return line
      .split(";")
      .filter((word) => !word.startsWith("@"))
      .map((word) => this.#field(word));
  }

  #field(word: string): Field {
    const [name = "", flags = "", type = "", ...pairs] = word.split(" ");
    const values = new Map(pairs.map((pair) => [pair.slice(0, 1), pair.slice(2)]));
    const pointer = type.startsWith("*");
    const fallback = values.get("d");
    const numbers = values.get("p")?.split(".").map(Number) ?? [];
    const strategies = values.get("s");
    return {
      name,
      schema: this.#type(pointer ? type.slice(1) : type, values),
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

  #type(type: string, values: ReadonlyMap<string, string>): Schema {
    const outer = values.get("o");
    const goType = outer === undefined ? {} : { goType: goTypeName(this.#qualify(outer)) };
    const inner = new Map([...values].filter(([key]) => key === "n"));
    if (type.startsWith("[]")) {
      const listType = values.get("l") as "atomic" | "set" | "map" | undefined;
      const listMapKeys = values.get("m")?.split(",");
      return { type: "list", items: this.#type(type.slice(2), inner), listType, listMapKeys, ...goType };
    }
    if (type.startsWith("{}")) {
      const mapType = values.get("t") as "atomic" | "granular" | undefined;
      return { type: "map", values: this.#type(type.slice(2), inner), mapType, ...goType };
    }
    if (/^[a-z][A-Za-z0-9]*$/.test(type)) {
      const named = values.get("n");
      return this.definitions.scalar(
        type as ScalarSchema["scalar"],
        named === undefined ? undefined : this.#qualify(named),
      );
    }
    const struct = this.definitions.structOf(this.#qualify(type));
    if (struct === undefined) {
      throw new Error(`the API facts refer to a missing definition: ${type} in ${this.packageName}`);
    }
    return struct;
  }

  #qualify(reference: string): string {
    return this.definitions.qualify(reference, this.packageName);
  }
}

/** "io.k8s.api.core.v1.Protocol" -> "v1.Protocol", as Go's reflection prints a type. */
function goTypeName(definition: string): string {
  return definition.split(".").slice(-2).join(".");
}
