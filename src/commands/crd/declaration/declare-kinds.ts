import { isFields, object } from "../../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import { DeclaredSchemas } from "./declare-schema.js";
import { kindOptions, versionOptions } from "./kind-options.js";
import { type Definition, nameOf, readDefinition, type Version } from "./read-definition.js";
import { placeOfField, SharedStructs } from "./shared-structs.js";
import {
  apiKinds,
  atom,
  callCode,
  type Code,
  constant,
  importOf,
  jsonCode,
  objectCode,
  objectType,
  textCode,
} from "./typescript-text.js";
import { capitalized, uncapitalized, UnusedNames } from "../type-names.js";

/**
 * A module of TypeScript that declares the kinds of definitions by `kind` of kubets/kind. Equal structs are declared once, whichever kind
 * has them. Throws for a schema that is not structural.
 */
export function declareKinds(crds: readonly KubeObject[]): string {
  const definitions = crds.map(readDefinition);
  const structs = new SharedStructs();
  for (const { content, place } of definitions.flatMap(({ versions }) => versions)) {
    for (const [name, property] of Object.entries(object(content.properties))) {
      structs.collect(property as JsonObject, placeOfField(place, name));
    }
  }
  return new KindsModule(definitions, structs).text();
}

/** The names that the module may import, which none of its constants has. */
const IMPORTED: readonly string[] = [
  "anyJson",
  "anyObject",
  "boolean",
  "bytes",
  "float64",
  "int32",
  "int64",
  "integer",
  "intOrString",
  "kind",
  "list",
  "map",
  "number",
  "string",
  "struct",
];
const IMPORTED_TYPES: readonly string[] = ["ApiKindsOf", "CrdOptions", "MetaDeclaration", "ObjectOf"];

class KindsModule {
  readonly #schemas: DeclaredSchemas;
  readonly #names = new UnusedNames([...IMPORTED, ...IMPORTED_TYPES]);
  readonly #typeNames = new UnusedNames(IMPORTED_TYPES.map(uncapitalized));
  /** The types that are imported. */
  readonly #types = new Set<string>();
  /** The names of constants by what they hold. */
  readonly #constants = new Map<string, string>();
  /** The names of the structs of whole objects that are declared. */
  readonly #roots = new Set<string>();
  /** The definitions whose kind has the name of an earlier one. */
  readonly #prefixed = new Set<Definition>();
  readonly #kinds: string[];

  constructor(definitions: readonly Definition[], structs: SharedStructs) {
    this.#schemas = new DeclaredSchemas(structs);
    // A constant of a kind and one of its struct come before those of inner structs, which have longer names to go by.
    const named = definitions.map((definition) => ({
      definition,
      name: this.#nameOfKind(definition),
      roots: definition.versions.map((version) => this.#nameOfRoot(definition, version)),
    }));
    structs.nameAll(this.#names);
    this.#kinds = named.flatMap(({ definition, name, roots }) => [
      this.#declareKind(definition, name, roots),
      ...this.#crdOptions(definition, name),
      this.#typesOf(definition, name),
    ]);
  }

  text(): string {
    const values = [...this.#schemas.builders, "kind"].toSorted((a, b) => a.localeCompare(b, "en"));
    const imports = [
      // The compiler resolves the name of an augmented module only where it is imported.
      'import type {} from "kubets";',
      importOf("import", values, "kubets/kind"),
      importOf("import type", [...this.#types].toSorted(), "kubets/kind"),
    ];
    return `${[imports.join("\n"), ...this.#schemas.constants, ...this.#kinds].join("\n\n")}\n`;
  }

  /** The constant of a kind: its plural, behind the first part of its group where another kind has the name. */
  #nameOfKind(definition: Definition): string {
    const plural = pluralOf(definition);
    const name = this.#takeName(this.#names, plural, definition);
    if (name !== plural) this.#prefixed.add(definition);
    return name;
  }

  /** A name for what a definition has, in one form for all that it has. */
  #takeName(names: UnusedNames, name: string, definition: Definition): string {
    const long = groupName(definition) + capitalized(name);
    return names.take(this.#prefixed.has(definition) ? [long] : [name, long]);
  }

  #nameOfRoot(definition: Definition, { content, place }: Version): string {
    const { kind, versions } = definition;
    const key = `${kind} ${encodeJson(content)}`;
    const name = this.#constants.get(key) ?? this.#takeName(this.#names, nameIn(versions, kind, place), definition);
    this.#constants.set(key, name);
    return name;
  }

  #declareKind(definition: Definition, name: string, roots: readonly string[]): string {
    const { crd, versions, group, kind, spec } = definition;
    const sources = versions.map(({ source }) => source);
    const entries = versions.map((version, index): [string, Code] => {
      const root = roots[index] ?? "";
      this.#declareRoot(crd, root, version);
      const rest = [...this.#metaOption(version), ...versionOptions(version.source, sources)];
      const schema = atom(uncapitalized(root));
      return [version.name, rest.length === 0 ? schema : objectCode([["schema", schema], ...rest])];
    });
    const names = [textCode(group), textCode(kind)];
    const code = callCode("kind", ...names, objectCode(entries, true), objectCode(kindOptions(spec)));
    return constant(`export const ${uncapitalized(name)}`, code);
  }

  #declareRoot(crd: KubeObject, name: string, { content, place }: Version): void {
    if (this.#roots.has(name)) return;
    this.#roots.add(name);
    try {
      this.#schemas.declareRoot(name, content, place);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new Error(`${nameOf(crd)}: ${error.message}`, { cause: error });
    }
  }

  /** A constant for what schemas say of apiVersion, kind and metadata: most say the same. */
  #metaOption({ meta }: Version): readonly (readonly [string, Code])[] {
    if (meta === undefined) return [];
    const key = constant("", meta);
    let name = this.#constants.get(key);
    if (name === undefined) {
      name = this.#names.take(["typeMeta"]);
      this.#types.add("MetaDeclaration");
      this.#constants.set(key, name);
      this.#schemas.constants.push(constant(`const ${name}: MetaDeclaration`, meta));
    }
    return [["meta", atom(name)]];
  }

  /** What crdOf does not know from the kind, where the definition has it. */
  #crdOptions({ crd, spec }: Definition, kind: string): readonly string[] {
    const { "kubectl.kubernetes.io/last-applied-configuration": _, ...annotations } = crd.metadata?.annotations ?? {};
    const labels = crd.metadata?.labels ?? {};
    const { conversion } = spec;
    const options: [string, JsonValue][] = [];
    if (Object.keys(labels).length > 0) options.push(["labels", { ...labels }]);
    if (Object.keys(annotations).length > 0) options.push(["annotations", annotations]);
    if (isFields(conversion) && conversion["strategy"] !== "None")
      options.push(["conversion", conversion as JsonObject]);
    if (options.length === 0) return [];
    this.#types.add("CrdOptions");
    const name = uncapitalized(this.#names.take([`${kind}Crd`]));
    const about = `/** What the definition has beside the kind: \`crdOf(${uncapitalized(kind)}, ${name})\`. */\n`;
    return [about + constant(`export const ${name}: CrdOptions`, jsonCode(Object.fromEntries(options)))];
  }

  /** The types of the objects, and the entries in ApiKinds, by which client.of knows them. */
  #typesOf(definition: Definition, kind: string): string {
    this.#types.add("ApiKindsOf").add("ObjectOf");
    const served = definition.versions.filter(({ source }) => source.served !== false);
    const name = uncapitalized(kind);
    const types = served.map((version) => {
      const type = this.#takeName(this.#typeNames, nameIn(served, definition.kind, version.place), definition);
      return objectType(type, name, version.name);
    });
    return [types.join("\n"), apiKinds(name)].filter((part) => part !== "").join("\n\n");
  }
}

/** The name of what one version has: the kind's, with that of the version where there are several. */
const nameIn = (versions: readonly Version[], kind: string, { version }: Version["place"]): string =>
  versions.length === 1 ? kind : kind + version.version;

/** "example.com" -> "Example" */
const groupName = ({ group }: Definition): string => capitalized(group.split(".")[0] ?? "");

/** The plural of a definition in the case of its kind: "httpRoutes". */
function pluralOf({ kind, plural }: Definition): string {
  const start = uncapitalized(kind);
  let same = 0;
  while (same < plural.length && start[same]?.toLowerCase() === plural[same]) same += 1;
  return start.slice(0, same) + plural.slice(same).replace(/[^a-z0-9]/g, "");
}
