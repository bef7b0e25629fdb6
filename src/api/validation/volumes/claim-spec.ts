import { append } from "../../../base/collections/append.js";
import { forbiddenField, invalidValue, notSupported, required } from "../../../machinery/errors/field-error.js";
import { absent, isStruct, list, object, type Received, text } from "../../../machinery/meta/received.js";
import { formatQuantity } from "../../../machinery/text/quantity/quantity.js";
import { validateAnnotations, validateLabels, validateLabelSelector } from "../../../machinery/validation/labels.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedLocalObjectReference,
  TypedObjectReference,
} from "../../types/core/v1.js";
import { check, checkOneOf, type Errors } from "../collect.js";
import { quantity } from "../resources.js";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** Validates the claim template of an ephemeral volume: of its metadata only labels and annotations may be set. */
export function validateClaimTemplate(
  template: Received<PersistentVolumeClaimTemplate>,
  path: string,
  errors: Errors,
): void {
  const metadata = object(template.metadata);
  append(
    errors,
    validateAnnotations(metadata.annotations, `${path}.metadata.annotations`),
    validateLabels(metadata.labels, `${path}.metadata.labels`),
  );
  for (const [field, value] of Object.entries(metadata)) {
    if (field !== "labels" && field !== "annotations" && !absent(value) && value !== "") {
      errors.push(forbiddenField(`${path}.metadata.${field}`, "cannot be set"));
    }
  }
  validateClaimSpec(object(template.spec), `${path}.spec`, errors);
}

/** Validates the spec of a new claim, in any kind. */
export function validateClaimSpec(spec: Received<PersistentVolumeClaimSpec>, path: string, errors: Errors): void {
  const modes = list(spec.accessModes);
  if (modes.length === 0) errors.push(required(`${path}.accessModes`, "at least 1 access mode is required"));
  if (isStruct(spec.selector)) {
    append(errors, validateLabelSelector(spec.selector, `${path}.selector`));
  }
  for (const mode of modes) {
    if (!ACCESS_MODES.includes(text(mode))) errors.push(notSupported(`${path}.accessModes`, mode, ACCESS_MODES));
  }
  const others = modes.some((mode) => mode !== "ReadWriteOncePod" && ACCESS_MODES.includes(text(mode)));
  if (modes.includes("ReadWriteOncePod") && others) {
    errors.push(forbiddenField(`${path}.accessModes`, "may not use ReadWriteOncePod with other access modes"));
  }
  checkStorage(spec, `${path}.resources[storage]`, errors);
  const storageClass = text(spec.storageClassName);
  if (storageClass !== "") check(storageClass, `${path}.storageClassName`, dns1123SubdomainErrors, errors);
  checkOneOf(spec.volumeMode, `${path}.volumeMode`, ["Block", "Filesystem"], errors);
  checkDataSources(spec, path, errors);
  const attributes = text(spec.volumeAttributesClassName);
  if (attributes !== "") check(attributes, `${path}.volumeAttributesClassName`, dns1123SubdomainErrors, errors);
}

function checkStorage(spec: Received<PersistentVolumeClaimSpec>, path: string, errors: Errors): void {
  const storage = object(object(spec.resources).requests).storage;
  const parsed = quantity(storage);
  if (absent(storage)) errors.push(required(path));
  else if (parsed !== undefined && parsed.unscaled <= 0n) {
    errors.push(invalidValue(path, formatQuantity(parsed), "must be greater than zero"));
  }
}

function checkDataSources(spec: Received<PersistentVolumeClaimSpec>, path: string, errors: Errors): void {
  const source = absent(spec.dataSource) ? undefined : object(spec.dataSource);
  const reference = absent(spec.dataSourceRef) ? undefined : object(spec.dataSourceRef);
  if (source !== undefined) checkDataSource(source, `${path}.dataSource`, errors);
  if (reference !== undefined) {
    checkDataSource(reference, `${path}.dataSourceRef`, errors);
    const namespace = text(reference.namespace);
    if (namespace !== "") check(namespace, `${path}.dataSourceRef.namespace`, dns1123LabelErrors, errors);
  }
  if (source === undefined || reference === undefined) return;
  if (text(reference.namespace) !== "") {
    errors.push(invalidValue(path, {}, "may not be specified when dataSourceRef.namespace is specified"));
  } else if (
    !(["apiGroup", "kind", "name"] as const).every((field) => (source[field] ?? "") === (reference[field] ?? ""))
  ) {
    errors.push(invalidValue(path, {}, "must match dataSourceRef"));
  }
}

function checkDataSource(
  source: Received<TypedLocalObjectReference | TypedObjectReference>,
  path: string,
  errors: Errors,
): void {
  if (text(source.name) === "") errors.push(required(`${path}.name`));
  if (text(source.kind) === "") errors.push(required(`${path}.kind`));
  const group = text(source.apiGroup);
  if (group !== "") check(group, `${path}.apiGroup`, dns1123SubdomainErrors, errors);
  else if (source.kind !== "PersistentVolumeClaim") {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(invalidValue(path, text(source.kind), detail));
  }
}
