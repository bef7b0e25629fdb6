import type { Command } from "../../../cli/command.js";
import { filenameFlags } from "../../../cli/flags/filename-flags.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { append } from "../../../base/collections/append.js";
import { isFields, object, objects, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { structuralSchemaOf, type StructuralSchema } from "../../../machinery/structural/structural-schema.js";
import { capitalized } from "../type-names.js";
import { type DefinitionFiles, definitionFiles, readDefinitions } from "../definition-files.js";

export function crdTypesCommand(run = runCrdTypes): Command {
  return {
    use: "types -f FILENAME",
    description: `Print TypeScript types of the custom resources that CustomResourceDefinitions define, for each version that is served: interfaces with the
descriptions as comments, and an entry in ApiKinds, by which client.of knows the type.`,
    examples: `# The types of one definition
{{program}} crd types -f widgets.yaml > widgets.ts

# Those of a folder
{{program}} crd types -f crds/ > kinds.ts

# Those of what a cluster has
{{program}} get crd widgets.example.com -o yaml | {{program}} crd types -f -`,
    flags: filenameFlags("The files with the definitions"),
    outputMustArrive: true,
    execute: async (factory, invocation) => run(definitionFiles(factory, invocation)),
  };
}

/** Prints the types of all definitions or, when one cannot be read, of none. */
async function runCrdTypes(files: DefinitionFiles): Promise<void> {
  const definitions = await readDefinitions(files);
  files.write(`${[IMPORTS, ...definitions.map(definitionTypes)].join("\n\n")}\n`);
}

/** A doc comment with an indent; no line for an empty text. */
function comment(about: string, indent: string): string[] {
  const lines = about
    .trim()
    .replaceAll("*/", "*\\/")
    .split("\n")
    .map((line) => line.trimEnd());
  if (lines.length === 1) return lines[0] === "" ? [] : [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** The interfaces of the objects inside a custom resource, each named by its place: WidgetSpec, WidgetSpecPorts. */
class Declarations {
  readonly #interfaces: string[] = [];
  readonly #names = new Set<string>();

  get all(): readonly string[] {
    return this.#interfaces;
  }

  /** The lines of an object's declared fields but for those in `without`. `name` is the object's. */
  fieldsOf(schema: StructuralSchema, name: string, without: ReadonlySet<string> = new Set()): string[] {
    const { required } = schema.validation;
    return [...schema.properties].flatMap(([field, property]) => {
      if (without.has(field)) return [];
      // A server fills in a default.
      const mark = required.includes(field) && property.default === undefined ? "" : "?";
      const key = /^[A-Za-z_$][\w$]*$/.test(field) ? field : JSON.stringify(field);
      const type = this.typeOf(property, name + capitalized(field));
      return [...comment(text(property.source.description), "  "), `  ${key}${mark}: ${type};`];
    });
  }

  /** The type of a value; `name` is for the interface that it may need. */
  typeOf(schema: StructuralSchema, name: string): string {
    const type = this.#plainTypeOf(schema, name);
    return schema.nullable && type !== "unknown" ? `${type} | null` : type;
  }

  #plainTypeOf(schema: StructuralSchema, name: string): string {
    const { enum: values } = schema.validation;
    if (values.length > 0 && values.every((value) => typeof value !== "object" && typeof value !== "bigint")) {
      return values.map((value) => JSON.stringify(value)).join(" | ");
    }
    if (schema.intOrString) return "number | string";
    switch (schema.type) {
      case "string":
        return "string";
      case "integer":
      case "number":
        return "number";
      case "boolean":
        return "boolean";
      case "array":
        return this.#listOf(schema, name);
      case "object":
        return this.#objectOf(schema, name);
      default:
        return "unknown";
    }
  }

  #listOf({ items }: StructuralSchema, name: string): string {
    const type = items === undefined ? "unknown" : this.typeOf(items, name);
    return type.includes(" ") ? `(${type})[]` : `${type}[]`;
  }

  #objectOf(schema: StructuralSchema, name: string): string {
    const { properties, additionalProperties: values } = schema;
    if (properties.size === 0 && !schema.embeddedResource) {
      return typeof values === "object" ? `Record<string, ${this.typeOf(values, name)}>` : "Record<string, unknown>";
    }
    const own = this.#unusedName(name);
    const place = this.#interfaces.push("") - 1;
    const meta = schema.embeddedResource
      ? ["  apiVersion: string;", "  kind: string;", "  metadata?: ObjectMeta;"]
      : [];
    const without = schema.embeddedResource ? new Set(["apiVersion", "kind", "metadata"]) : undefined;
    const fields = this.fieldsOf(schema, own, without);
    const others = keepsOthers(schema) ? ["  [field: string]: unknown;"] : [];
    this.#interfaces[place] = [`export interface ${own} {`, ...meta, ...fields, ...others, "}"].join("\n");
    return own;
  }

  /** Two places may come to one name: `podSelector` and `pod-selector`. */
  #unusedName(name: string): string {
    let unused = name;
    for (let count = 2; this.#names.has(unused); count++) unused = `${name}${count}`;
    this.#names.add(unused);
    return unused;
  }
}

const keepsOthers = ({ preservesUnknownFields, additionalProperties }: StructuralSchema): boolean =>
  preservesUnknownFields || additionalProperties === true;

/** The beginning of every file of types. */
export const IMPORTS = 'import type { ObjectMeta } from "kubets";';

/** The types of a definition's served versions. Throws for a definition that has no version with a schema. */
export function definitionTypes(definition: KubeObject): string {
  const spec = object(definition.spec);
  const [group, kind] = [text(spec.group), text(object(spec.names).kind)];
  const versions = objects(spec.versions).filter(({ served }) => served !== false);
  const declared: string[] = [];
  const kinds: string[] = [];
  for (const version of versions) {
    const schema = object(version.schema).openAPIV3Schema;
    if (!isFields(schema)) continue;
    const apiVersion = `${group}/${text(version.name)}`;
    const name = versions.length === 1 ? kind : `${kind}${capitalized(text(version.name))}`;
    append(declared, versionTypes(schema as JsonObject, { apiVersion, kind, name }));
    kinds.push(`    ${JSON.stringify(`${apiVersion}/${kind}`)}: ${name};`);
  }
  if (kinds.length === 0) {
    throw new Error(`customresourcedefinition "${definition.metadata?.name ?? ""}" has no version with a schema`);
  }
  const entries = ['declare module "kubets" {', "  interface ApiKinds {", ...kinds, "  }", "}"].join("\n");
  return [...declared, entries].join("\n\n");
}

interface Version {
  readonly apiVersion: string;
  readonly kind: string;
  /** Of the interface. */
  readonly name: string;
}

function versionTypes(openAPIV3Schema: JsonObject, { apiVersion, kind, name }: Version): readonly string[] {
  const schema = structuralSchemaOf(openAPIV3Schema);
  const declarations = new Declarations();
  const fields = declarations.fieldsOf(schema, name, new Set(["apiVersion", "kind", "metadata"]));
  const about = text(openAPIV3Schema.description);
  const root = [
    ...comment(about === "" ? `${kind} of ${apiVersion}.` : about, ""),
    `export interface ${name} {`,
    `  apiVersion?: ${JSON.stringify(apiVersion)};`,
    `  kind?: ${JSON.stringify(kind)};`,
    "  metadata?: ObjectMeta;",
    ...fields,
    "}",
  ].join("\n");
  return [root, ...declarations.all];
}
