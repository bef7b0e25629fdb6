import { absent, list, object, objects, text } from "../../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import { type Code, jsonCode } from "./typescript-text.js";

type Entry = readonly [name: string, value: JsonValue];
type Options = readonly (readonly [name: string, value: Code])[];

/** What a definition says of a version beside its schema, where kind() would not assume it. */
interface VersionFacts {
  readonly columns: JsonValue | undefined;
  readonly status: JsonValue | undefined;
  readonly scale: JsonValue | undefined;
}

function factsOf(version: JsonObject): VersionFacts {
  const { status, scale } = object(version.subresources) as JsonObject;
  const columns = objects(version.additionalPrinterColumns) as unknown as JsonValue[];
  const properties = object(object(object(version.schema).openAPIV3Schema).properties);
  const hasStatus = !absent(status);
  return {
    columns: columns.length > 0 ? columns : undefined,
    status: hasStatus === Object.hasOwn(properties, "status") ? undefined : hasStatus,
    scale: absent(scale) ? undefined : scale,
  };
}

const FACTS = ["columns", "status", "scale"] as const;

/** The facts that all versions have in common, which are options of the kind. */
function sharedFacts(versions: readonly JsonObject[]): ReadonlySet<keyof VersionFacts> {
  const [first, ...others] = versions.map(factsOf);
  const isShared = (name: keyof VersionFacts): boolean =>
    first?.[name] !== undefined && others.every((other) => encodeJson(other[name]) === encodeJson(first[name]));
  return new Set(FACTS.filter(isShared));
}

/** The options of one of several versions behind its schema. */
export function versionOptions(version: JsonObject, versions: readonly JsonObject[]): Options {
  const shared = sharedFacts(versions);
  const facts = factsOf(version);
  const paths = objects(version.selectableFields).map(({ jsonPath }) => text(jsonPath).replace(/^\./, ""));
  const entries: Entry[] = [];
  if (version.served === false) entries.push(["served", false]);
  if (version.deprecated === true) entries.push(["deprecated", version.deprecationWarning ?? true]);
  for (const name of FACTS) {
    const value = facts[name];
    if (value !== undefined && !shared.has(name)) entries.push([name, value]);
  }
  if (paths.length > 0) entries.push(["selectableFields", paths]);
  return coded(entries);
}

/** The options of the kind: names that kind() would not guess, and what all versions have in common. */
export function kindOptions(spec: JsonObject): Options {
  const names = object(spec.names) as JsonObject;
  const versions = objects(spec.versions) as readonly JsonObject[];
  const [first] = versions;
  const kind = text(names.kind);
  const stored = versions.find(({ storage }) => storage === true);
  const entries: Entry[] = [["plural", text(names.plural)]];
  if (!absent(names.singular) && names.singular !== kind.toLowerCase()) entries.push(["singular", names.singular]);
  if (!absent(names.listKind) && names.listKind !== `${kind}List`) entries.push(["listKind", names.listKind]);
  if (spec.scope !== "Namespaced") entries.push(["namespaced", false]);
  for (const name of ["shortNames", "categories"] as const) {
    const value = names[name];
    if (value !== undefined && list(value).length > 0) entries.push([name, value]);
  }
  if (stored !== undefined && stored !== first) entries.push(["storageVersion", text(stored.name)]);
  const shared = sharedFacts(versions);
  for (const name of FACTS) {
    const value = first === undefined ? undefined : factsOf(first)[name];
    if (value !== undefined && shared.has(name)) entries.push([name, value]);
  }
  return coded(entries);
}

const coded = (entries: readonly Entry[]): Options => entries.map(([name, value]) => [name, jsonCode(value)]);
