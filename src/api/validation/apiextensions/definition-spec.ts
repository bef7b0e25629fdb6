import { absent, isFields, list, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";

/** What a definition says once for all versions, or each version for itself. Absent fields are not said. */
export interface VersionParts {
  /** The OpenAPI schema and what holds it: `{ openAPIV3Schema }`. */
  readonly validation: ReadonlyFields | undefined;
  readonly subresources: ReadonlyFields | undefined;
  readonly columns: readonly ReadonlyFields[];
  readonly selectableFields: readonly ReadonlyFields[];
}

export interface DefinitionVersion extends VersionParts {
  readonly name: string;
  /** The version as it is on the wire, without the parts that all versions share. */
  readonly fields: ReadonlyFields;
}

/** A CustomResourceDefinition's spec as Kubernetes judges it, and names its fields in errors. */
export interface DefinitionSpec {
  readonly fields: ReadonlyFields;
  readonly names: ReadonlyFields;
  readonly preserveUnknownFields: boolean;
  /** What all versions share is said here, and nowhere else. */
  readonly shared: VersionParts;
  readonly versions: readonly DefinitionVersion[];
}

const PARTS = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

/** The spec of an apiextensions.k8s.io/v1 definition; parts that are the same in every version are those of the whole. */
export function definitionSpec(spec: ReadonlyFields): DefinitionSpec {
  const versions = objects(spec.versions);
  const first = versions[0] ?? {};
  const sharedNames = PARTS.filter((part) => versions.every((version) => equal(version[part], first[part])));
  const shared = Object.fromEntries(sharedNames.map((part) => [part, first[part]]));
  return {
    fields: spec,
    names: object(spec.names),
    preserveUnknownFields: spec.preserveUnknownFields === true,
    shared: partsOf(shared),
    versions: versions.map((version) => {
      const own = Object.fromEntries(
        Object.entries(version).filter(([field]) => !sharedNames.some((part) => part === field)),
      );
      return versionWith(own);
    }),
  };
}

/** A version of v1 with the parts that it says itself. */
export function versionWith(own: ReadonlyFields): DefinitionVersion {
  return { name: text(own.name), fields: own, ...partsOf(own) };
}

/** Every schema of the spec, the shared one first. */
export function schemasOf({ shared, versions }: DefinitionSpec): ReadonlyFields[] {
  return [shared, ...versions].flatMap(({ validation }) => {
    const schema = validation?.openAPIV3Schema;
    return isFields(schema) ? [schema] : [];
  });
}

export function hasSchema({ validation }: VersionParts): boolean {
  return isFields(validation?.openAPIV3Schema);
}

function partsOf(version: ReadonlyFields): VersionParts {
  return {
    validation: isFields(version.schema) ? version.schema : undefined,
    subresources: isFields(version.subresources) ? version.subresources : undefined,
    columns: objects(version.additionalPrinterColumns),
    selectableFields: objects(version.selectableFields),
  };
}

function equal(a: unknown, b: unknown): boolean {
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b);
  return deepEqual(a as JsonValue, b as JsonValue);
}

const isNothing = (value: unknown): boolean => absent(value) || (Array.isArray(value) && list(value).length === 0);
