import { append } from "../../../base/collections/append.js";
import { isFields, object, objects, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { structuralSchemaOf } from "../../../machinery/structural/structural-schema.js";
import { capitalized, comment, Declarations } from "./declarations.js";

/** What every file of types begins with. */
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
