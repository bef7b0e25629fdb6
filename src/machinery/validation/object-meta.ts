import { append } from "../../base/collections/append.js";
import { type FieldError, forbiddenField, invalidValue, required, tooLong } from "../errors/field-error.js";
import { type ReadonlyFields, text } from "../meta/access.js";
import type { ObjectMeta, OwnerReference } from "../meta/object.js";
import { parseGroupVersion } from "../meta/gvk.js";
import { validateAnnotations, validateLabels } from "./labels.js";
import { dns1123LabelErrors, type NameRule, prefixOf, qualifiedNameErrors } from "./names.js";

/** Validates the metadata of a new object after its name was generated. `path` is "metadata". */
export function validateObjectMeta(
  meta: ObjectMeta,
  { namespaced, nameRule }: { readonly namespaced: boolean; readonly nameRule: NameRule },
  path = "metadata",
): FieldError[] {
  const { namespace = "", generation = 0 } = meta;
  const errors = validateNames(meta, nameRule, path);
  if (!namespaced) {
    if (namespace !== "") errors.push(forbiddenField(`${path}.namespace`, "not allowed on this type"));
  } else if (namespace === "") errors.push(required(`${path}.namespace`));
  else {
    const wrong = dns1123LabelErrors(namespace);
    append(
      errors,
      wrong.map((message) => invalidValue(`${path}.namespace`, namespace, message)),
    );
  }
  if (generation < 0) {
    errors.push(invalidValue(`${path}.generation`, generation, "must be greater than or equal to 0"));
  }
  return [
    ...errors,
    ...validateLabels(meta.labels, `${path}.labels`),
    ...validateAnnotations(meta.annotations, `${path}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences ?? [], `${path}.ownerReferences`),
    ...validateFinalizers(meta.finalizers ?? [], `${path}.finalizers`),
    ...validateManagedFields(meta.managedFields ?? [], `${path}.managedFields`),
  ];
}

/** Validates the name and the generateName of a new object, by the rule of its kind. */
export function validateNames(meta: ObjectMeta, nameRule: NameRule, path = "metadata"): FieldError[] {
  const { name = "", generateName = "" } = meta;
  const generated = generateName === "" ? [] : prefixOf(nameRule)(generateName);
  const errors = generated.map((message) => invalidValue(`${path}.generateName`, generateName, message));
  if (name === "") return [...errors, required(`${path}.name`, "name or generateName is required")];
  return [...errors, ...nameRule(name).map((message) => invalidValue(`${path}.name`, name, message))];
}

/** Fields that are "" where they are not set; the others are null. */
const TEXTS: ReadonlySet<string> = new Set(["name", "namespace", "uid"]);

/** Validates an update of metadata. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, path = "metadata"): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const had = new Set(old.finalizers);
    const added = [...new Set(meta.finalizers ?? [])].filter((finalizer) => !had.has(finalizer)).sort();
    if (added.length > 0) {
      const shown = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(", ")}}`;
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
      errors.push(forbiddenField(`${path}.finalizers`, detail));
    }
  }
  if ((meta.resourceVersion ?? "") === "") {
    errors.push(invalidValue(`${path}.resourceVersion`, "", "must be specified for an update"));
  }
  const immutable = ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"] as const;
  for (const field of [...immutable, "deletionGracePeriodSeconds"] as const) {
    const [value, before] = [meta[field] ?? null, old[field] ?? null];
    const empty = TEXTS.has(field) ? "" : null;
    if (value !== before) errors.push(invalidValue(`${path}.${field}`, value ?? empty, "field is immutable"));
  }
  return [
    ...errors,
    ...validateLabels(meta.labels, `${path}.labels`),
    ...validateAnnotations(meta.annotations, `${path}.annotations`),
    ...validateOwnerReferences(meta.ownerReferences ?? [], `${path}.ownerReferences`),
    ...validateManagedFields(meta.managedFields ?? [], `${path}.managedFields`),
  ];
}

const MAX_MANAGER_BYTES = 128;
const MAX_SUBRESOURCE_BYTES = 256;

/** Who wrote what, as a client may hand it back. */
function validateManagedFields(entries: readonly ReadonlyFields[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, entry] of entries.entries()) {
    const at = `${path}[${index}]`;
    const [operation, fieldsType] = [text(entry.operation), text(entry.fieldsType)];
    const [manager, subresource] = [text(entry.manager), text(entry.subresource)];
    if (operation !== "Apply" && operation !== "Update") {
      errors.push(invalidValue(`${at}.operation`, operation, "must be `Apply` or `Update`"));
    }
    if (fieldsType !== "" && fieldsType !== "FieldsV1") {
      errors.push(invalidValue(`${at}.fieldsType`, fieldsType, "must be `FieldsV1`"));
    }
    if (Buffer.byteLength(manager) > MAX_MANAGER_BYTES) errors.push(tooLong(`${at}.manager`, MAX_MANAGER_BYTES));
    if (Buffer.byteLength(subresource) > MAX_SUBRESOURCE_BYTES) {
      errors.push(tooLong(`${at}.subresource`, MAX_SUBRESOURCE_BYTES));
    }
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    qualifiedNameErrors(finalizer).map((message) => invalidValue(path, finalizer, message)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalidValue(path, finalizers, detail));
  }
  return errors;
}

function validateOwnerReferences(references: readonly OwnerReference[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller = "";
  for (const reference of references) {
    append(errors, validateOwnerReference(reference, path));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === "") controller = name;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(invalidValue(path, references, detail));
    }
  }
  return errors;
}

/** Nothing is known of a reference yet: every field may be missing. */
function validateOwnerReference(reference: Partial<OwnerReference>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { apiVersion = "", kind = "", name = "", uid = "" } = reference;
  const version = apiVersion.split("/").length > 2 ? "" : parseGroupVersion(apiVersion).version;
  if (version === "") errors.push(invalidValue(`${path}.apiVersion`, apiVersion, "version must not be empty"));
  if (kind === "") errors.push(invalidValue(`${path}.kind`, kind, "must not be empty"));
  if (name === "") errors.push(invalidValue(`${path}.name`, name, "must not be empty"));
  if (uid === "") errors.push(invalidValue(`${path}.uid`, uid, "must not be empty"));
  if (apiVersion === "v1" && kind === "Event") {
    errors.push(invalidValue(path, reference, "/v1, Kind=Event is disallowed from being an owner"));
  }
  return errors;
}
