import { isFields, object, objects, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { optionsOf } from "./declare-schema.js";
import { type Place, requiredOf } from "./shared-structs.js";
import { atom, type Code, objectCode } from "./typescript-text.js";
import { capitalized } from "../type-names.js";

/** A version of a definition, split as its declaration is. */
export interface Version {
  readonly name: string;
  readonly source: JsonObject;
  /** The schema of the fields beside apiVersion, kind and metadata. */
  readonly content: JsonObject;
  /** What the schema says of those three beside their types; undefined where it says nothing. */
  readonly meta: Code | undefined;
  readonly place: Place;
}

/** A CustomResourceDefinition whose kind is to be declared. */
export interface Definition {
  readonly crd: KubeObject;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly spec: JsonObject;
  readonly versions: readonly Version[];
}

/** Splits a definition. Throws for a version without a schema. */
export function readDefinition(crd: KubeObject): Definition {
  const spec = object(crd["spec"]) as JsonObject;
  const { kind, plural } = object(spec.names);
  const versions = objects(spec.versions).map((source) => versionOf(crd, source as JsonObject, text(kind)));
  return { crd, group: text(spec.group), kind: text(kind), plural: text(plural), spec, versions };
}

/** A definition as errors name it. */
export const nameOf = (crd: KubeObject): string => `customresourcedefinition "${crd.metadata?.name ?? ""}"`;

function versionOf(crd: KubeObject, source: JsonObject, kind: string): Version {
  const name = text(source.name);
  const schema = object(source.schema).openAPIV3Schema;
  if (!isFields(schema)) throw new Error(`${nameOf(crd)}: the version ${name} has no schema`);
  const { properties, required: _, ...rest } = schema as JsonObject;
  const own = Object.entries(object(properties) as JsonObject).filter(([field]) => !META_FIELDS.includes(field));
  const required = requiredOf(schema as JsonObject).filter((field) => !META_FIELDS.includes(field));
  const content: JsonObject = {
    ...rest,
    ...(required.length > 0 && { required }),
    ...(own.length > 0 && { properties: Object.fromEntries(own) }),
  };
  const place = { version: { kind, version: capitalized(name) }, path: [], at: "" };
  return { name, source, content, meta: metaOf(schema as JsonObject), place };
}

const META_FIELDS: readonly string[] = ["apiVersion", "kind", "metadata"];

function metaOf(schema: JsonObject): Code | undefined {
  const properties = object(schema.properties) as JsonObject;
  const fields = META_FIELDS.flatMap((name): (readonly [string, Code])[] => {
    const { type: _, ...said } = object(properties[name]) as JsonObject;
    const isRequired = requiredOf(schema).includes(name);
    const options = [...(isRequired ? [["required", atom("true")] as const] : []), ...optionsOf(said, true)];
    return options.length === 0 ? [] : [[name, objectCode(options)]];
  });
  return fields.length === 0 ? undefined : objectCode(fields);
}
