import { append } from "../../../base/collections/append.js";
import { type FieldError, invalidValue, notSupported, required } from "../../../machinery/errors/field-error.js";
import { absent, isFields, list, object, text } from "../../../machinery/meta/access.js";
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import { validateNames } from "../../../machinery/validation/object-meta.js";
import { immutable } from "../rules.js";
import { validateApiApproval } from "./api-approval.js";
import { type DefinitionRequest, isBeta, validateBetaParts, validateBetaVersion } from "./beta-spec.js";
import { validateConversion } from "./conversion-webhook.js";
import {
  type DefinitionSpec,
  definitionSpec,
  hasSchema,
  schemasOf,
  type VersionParts,
  goVersion,
} from "./definition-spec.js";
import { type Forgiven, forgivenOfCreate, forgivenOfUpdate, isEstablished } from "./forgiven.js";
import { hasDefaults } from "./schema-defaults.js";
import {
  validateSelectableFields,
  validateColumn,
  validateDeprecation,
  validateSubresources,
} from "./version-parts.js";
import { SCHEMA_OF_ALL, schemaPathOf, validateVersionSchema } from "./version-schema.js";
import type { Definition, Names, Conversion } from "./definition-types.js";

const BY_V1: DefinitionRequest = { apiVersion: "" };

/** Validates a new CustomResourceDefinition with its name. */
export function validateCustomResourceDefinition(
  definition: Definition,
  request: DefinitionRequest = BY_V1,
): FieldError[] {
  const spec = definitionSpec(object(definition.spec));
  const expected = `${text(spec.names.plural)}.${text(spec.fields.group)}`;
  const nameRule = (name: string) => [
    ...dns1123SubdomainErrors(name),
    ...(name === expected ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
  return firstOf([
    // A missing name is told of every object.
    ...((definition.metadata?.name ?? "") === "" ? [] : validateNames(definition.metadata ?? {}, nameRule)),
    ...validateSpec(definition, spec, forgivenOfCreate(spec, request)),
    ...validateStatus(definition),
    ...validateStoredVersions(definition, spec),
    ...(isBeta(request) ? [] : [...validateApiApproval(definition), ...validatePreservation(spec)]),
  ]);
}

export function validateCustomResourceDefinitionUpdate(
  definition: Definition,
  old: Definition,
  request: DefinitionRequest = BY_V1,
): FieldError[] {
  const [spec, before] = [definitionSpec(object(definition.spec)), definitionSpec(object(old.spec))];
  return firstOf([
    ...validateSpec(definition, spec, forgivenOfUpdate(definition, old, request)),
    ...validateImmutable(spec, before, isEstablished(old)),
    ...validateStatus(definition),
    ...validateStoredVersions(definition, spec),
    ...(isBeta(request) ? [] : validateApiApproval(definition, old)),
    ...(isBeta(request) || before.preserveUnknownFields ? [] : validatePreservation(spec)),
  ]);
}

/** More than a person reads: one megabyte of wrong fields would be answered with ten. */
const MOST_ERRORS = 1000;

const firstOf = (errors: readonly FieldError[]): FieldError[] => errors.slice(0, MOST_ERRORS);

/** Where custom resources are stored, and as what, never changes. */
function validateImmutable(spec: DefinitionSpec, old: DefinitionSpec, established: boolean): FieldError[] {
  const kept = established
    ? [
        ...immutable(spec.fields.scope, old.fields.scope, "spec.scope"),
        ...immutable(spec.names.kind, old.names.kind, "spec.names.kind"),
      ]
    : [];
  return [
    ...kept,
    ...immutable(spec.fields.group, old.fields.group, "spec.group"),
    ...immutable(spec.names.plural, old.names.plural, "spec.names.plural"),
  ];
}

/** Validates a change of a definition's status: the accepted names. */
export const validateCustomResourceDefinitionStatus = (definition: Definition): FieldError[] =>
  validateStatus(definition);

const validateStatus = ({ status }: Definition): FieldError[] =>
  validateDefinitionNames(object(status?.acceptedNames), "status.acceptedNames");

function validateStoredVersions(definition: Definition, { versions }: DefinitionSpec): FieldError[] {
  const path = "status.storedVersions";
  const stored = list(definition.status?.storedVersions).map(text);
  if (stored.length === 0) return [invalidValue(path, stored, "must have at least one stored version")];
  const errors = versions
    .filter(({ name, fields }) => fields.storage === true && !stored.includes(name))
    .map(({ name }) => invalidValue(path, stored, `must have the storage version ${name}`));
  const listed = new Set(versions.map(({ name }) => name));
  for (const [index, version] of stored.entries()) {
    if (listed.has(version)) continue;
    const why = `${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`;
    errors.push(invalidValue(`${path}[${index}]`, version, `missing from spec.versions; ${why}`));
  }
  return errors;
}

function validatePreservation({ preserveUnknownFields }: DefinitionSpec): FieldError[] {
  if (!preserveUnknownFields) return [];
  const detail =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";
  return [invalidValue("spec.preserveUnknownFields", true, detail)];
}

function validateSpec(definition: Definition, spec: DefinitionSpec, forgiven: Forgiven): FieldError[] {
  const { fields, names, shared, versions } = spec;
  const errors = [...validateGroup(text(fields.group)), ...validateScope(text(fields.scope))];
  append(errors, validateSchemasAreThere(spec, forgiven));
  if (forgiven.noDefaults === undefined && spec.preserveUnknownFields && schemasOf(spec).some(hasDefaults)) {
    const detail = "must be false in order to use defaults in the schema";
    errors.push(invalidValue("spec.preserveUnknownFields", true, detail));
  }
  append(errors, validateVersions(definition, spec, forgiven));
  for (const field of ["plural", "singular", "kind", "listKind"] as const) {
    if (text(names[field]) === "") errors.push(required(`spec.names.${field}`));
  }
  const hasStatus = [shared, ...versions].some(hasStatusEnabled);
  append(
    errors,
    validateDefinitionNames(names, "spec.names"),
    validateVersionSchema(shared.validation, SCHEMA_OF_ALL, {
      hasStatus,
      forgiven,
      forgivesCost: forgiven.unchangedSchemas.has(versions[0]?.name ?? ""),
    }),
    validateSubresources(shared.subresources, "spec.subresources"),
    validateColumns(shared, "spec"),
    validateSelectableFields(shared, "spec", {
      allowTooMany: forgiven.tooManySelectableFields.has(""),
      whenNoSchema: "may only be set when validations.schema is included",
    }),
  );
  return [...errors, ...validateConversionOf(spec, forgiven)];
}

function validateGroup(group: string): FieldError[] {
  const path = "spec.group";
  if (group === "") return [required(path)];
  const wrong = dns1123SubdomainErrors(group);
  if (wrong.length > 0) return [invalidValue(path, group, wrong.join(","))];
  return group.includes(".") ? [] : [invalidValue(path, group, "should be a domain with at least one dot")];
}

function validateScope(scope: string): FieldError[] {
  if (scope === "") return [required("spec.scope")];
  const scopes = ["Cluster", "Namespaced"];
  return scopes.includes(scope) ? [] : [notSupported("spec.scope", scope, scopes)];
}

function validateSchemasAreThere({ shared, versions, preserveUnknownFields }: DefinitionSpec, forgiven: Forgiven) {
  if (hasSchema(shared)) return [];
  return versions.flatMap((version, index) => {
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (hasSchema(version)) return [];
    if (!forgiven.missingSchemas) return [required(path, "schemas are required")];
    const pruned = !preserveUnknownFields && version.fields.served === true;
    return pruned ? [required(path, "because otherwise all fields are pruned")] : [];
  });
}

function validateVersions(
  definition: Definition,
  { shared, versions }: DefinitionSpec,
  forgiven: Forgiven,
): FieldError[] {
  const perVersion = versions.some(({ subresources }) => subresources !== undefined);
  const errors = versions.flatMap((version, index) => {
    const path = `spec.versions[${index}]`;
    const wrong = dns1035LabelErrors(version.name);
    const hasStatus = hasStatusEnabled(perVersion ? version : shared);
    return [
      ...(wrong.length > 0 ? [invalidValue(`${path}.name`, version.name, wrong.join(","))] : []),
      ...validateDeprecation(version.fields, path),
      ...validateVersionSchema(version.validation, schemaPathOf(index), {
        hasStatus,
        forgiven,
        forgivesCost: forgiven.unchangedSchemas.has(version.name),
      }),
      ...validateSubresources(version.subresources, `${path}.subresources`),
      ...validateColumns(version, path),
      ...validateSelectableFields(version, path, {
        allowTooMany: forgiven.tooManySelectableFields.has(version.name),
        whenNoSchema: "may only be set when `version.schema.openAPIV3Schema` is not included",
      }),
    ];
  });
  append(errors, validateBetaParts(definition));
  const refuse = (detail: string) => errors.push(invalidValue("spec.versions", versions.map(goVersion), detail));
  if (new Set(versions.map(({ name }) => name)).size < versions.length) refuse("must contain unique version names");
  if (versions.filter(({ fields }) => fields.storage === true).length !== 1) {
    refuse("must have exactly one version marked as storage version");
  }
  const first = versions[0]?.name ?? "";
  const wrong = first === "" ? [] : dns1035LabelErrors(first);
  if (wrong.length > 0) errors.push(invalidValue("spec.version", first, wrong.join(",")));
  return [...errors, ...validateBetaVersion(definition)];
}

const hasStatusEnabled = ({ subresources }: VersionParts): boolean => isFields(subresources?.status);

const validateColumns = ({ columns }: VersionParts, path: string): FieldError[] =>
  columns.flatMap((column, index) => validateColumn(column, `${path}.additionalPrinterColumns[${index}]`));

function validateConversionOf({ fields, preserveUnknownFields }: DefinitionSpec, forgiven: Forgiven): FieldError[] {
  if (absent(fields.conversion)) return [];
  const conversion: Conversion = object(fields.conversion);
  const errors: FieldError[] = [];
  if (conversion.strategy !== "None" && preserveUnknownFields) {
    const detail = "must be None if spec.preserveUnknownFields is true";
    errors.push(invalidValue("spec.conversion.strategy", text(conversion.strategy), detail));
  }
  return [
    ...errors,
    ...validateConversion(conversion, {
      requireKnownReview: !forgiven.unknownReviews,
      allowInvalidCaBundle: forgiven.invalidCaBundle,
    }),
  ];
}

/** The names of a definition, or those that were accepted: each may be missing here. `path` is "spec.names". */
function validateDefinitionNames(names: Names, path: string): FieldError[] {
  const errors = (["plural", "singular"] as const).flatMap((field) =>
    labelProblem(text(names[field]), `${path}.${field}`),
  );
  for (const field of ["kind", "listKind"] as const) {
    const value = text(names[field]);
    const wrong = value === "" ? [] : dns1035LabelErrors(value.toLowerCase());
    if (wrong.length === 0) continue;
    const detail = `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
    errors.push(invalidValue(`${path}.${field}`, value, detail));
  }
  append(errors, labelProblems(names.shortNames, `${path}.shortNames`));
  if (text(names.kind) !== "" && names.kind === names.listKind) {
    errors.push(invalidValue(`${path}.listKind`, text(names.listKind), "kind and listKind may not be the same"));
  }
  return [...errors, ...labelProblems(names.categories, `${path}.categories`)];
}

const labelProblems = (values: unknown, path: string): FieldError[] =>
  list(values).flatMap((value, index) => labelProblem(text(value), `${path}[${index}]`, true));

/** All that is wrong with one name, in one error. */
function labelProblem(value: string, path: string, whenEmpty = false): FieldError[] {
  if (value === "" && !whenEmpty) return [];
  const wrong = dns1035LabelErrors(value);
  return wrong.length === 0 ? [] : [invalidValue(path, value, wrong.join(","))];
}
