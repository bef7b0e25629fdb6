import { absent, isFields, list, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { deepEqual } from "../../../machinery/patch/json-values.js";
import { goSchema } from "./schema-fields.js";
import type {
  Spec,
  Names,
  Version,
  Validation,
  Subresources,
  Scale,
  Column,
  SelectableField,
  Schema,
} from "./definition-types.js";

/** The parts that a definition declares once for all versions, or in each version. Absent fields are not declared. */
export interface VersionParts {
  /** The OpenAPI schema and what holds it: `{ openAPIV3Schema }`. */
  readonly validation: Validation | undefined;
  readonly subresources: Subresources | undefined;
  readonly columns: readonly Column[];
  readonly selectableFields: readonly SelectableField[];
}

interface DefinitionVersion extends VersionParts {
  readonly name: string;
  /** The version as it is on the wire, without the parts that all versions share. */
  readonly fields: Version;
}

/** A CustomResourceDefinition's spec as Kubernetes judges it, and names its fields in errors. */
export interface DefinitionSpec {
  readonly fields: Spec;
  readonly names: Names;
  readonly preserveUnknownFields: boolean;
  /** What all versions share is said here, and nowhere else. */
  readonly shared: VersionParts;
  readonly versions: readonly DefinitionVersion[];
}

const PARTS = ["schema", "subresources", "additionalPrinterColumns", "selectableFields"] as const;

/** Reads the spec of an apiextensions.k8s.io/v1 definition; parts that are equal in all versions become shared. */
export function definitionSpec(spec: Spec): DefinitionSpec {
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

/** Reads a version of v1 with its own parts. */
export function versionWith(own: Version): DefinitionVersion {
  return { name: text(own.name), fields: own, ...partsOf(own) };
}

/** All schemas of the spec; the one that the versions share comes first. */
export function schemasOf({ shared, versions }: DefinitionSpec): Schema[] {
  return [shared, ...versions].flatMap(({ validation }) => {
    const schema = validation?.openAPIV3Schema;
    return isFields(schema) ? [schema] : [];
  });
}

export function hasSchema({ validation }: VersionParts): boolean {
  return isFields(validation?.openAPIV3Schema);
}

function partsOf(version: Version): VersionParts {
  return {
    validation: isFields(version.schema) ? version.schema : undefined,
    subresources: isFields(version.subresources) ? version.subresources : undefined,
    columns: objects(version.additionalPrinterColumns),
    selectableFields: objects(version.selectableFields),
  };
}

function equal(a: unknown, b: unknown): boolean {
  if (isNothing(a) || isNothing(b)) return isNothing(a) && isNothing(b);
  return deepEqual(a, b);
}

const isNothing = (value: unknown): boolean => absent(value) || (Array.isArray(value) && list(value).length === 0);

/** A version in the form in which kube-apiserver's errors print it, without the parts that all versions share. */
export function goVersion({ name, fields, ...parts }: DefinitionVersion): ReadonlyFields {
  const { validation, subresources, columns, selectableFields } = parts;
  const schema = validation?.openAPIV3Schema;
  return {
    Name: name,
    Served: fields.served === true,
    Storage: fields.storage === true,
    Deprecated: fields.deprecated === true,
    DeprecationWarning: fields.deprecationWarning ?? null,
    Schema: validation === undefined ? null : { OpenAPIV3Schema: isFields(schema) ? goSchema(schema) : null },
    Subresources: subresources === undefined ? null : goSubresources(subresources),
    AdditionalPrinterColumns: columns.length === 0 ? null : columns.map(goColumn),
    SelectableFields:
      selectableFields.length === 0 ? null : selectableFields.map(({ jsonPath }) => ({ JSONPath: jsonPath ?? "" })),
  };
}

function goSubresources({ status, scale: given }: Subresources): ReadonlyFields {
  const scale: Scale | undefined = isFields(given) ? given : undefined;
  return {
    Status: isFields(status) ? {} : null,
    Scale: scale
      ? {
          SpecReplicasPath: scale.specReplicasPath ?? "",
          StatusReplicasPath: scale.statusReplicasPath ?? "",
          LabelSelectorPath: scale.labelSelectorPath ?? null,
        }
      : null,
  };
}

const goColumn = (column: Column): ReadonlyFields => ({
  Name: column.name ?? "",
  Type: column.type ?? "",
  Format: column.format ?? "",
  Description: column.description ?? "",
  Priority: column.priority ?? 0,
  JSONPath: column.jsonPath ?? "",
});
