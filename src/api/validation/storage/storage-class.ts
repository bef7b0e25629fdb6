import { append } from "../../../base/collections/append.js";
import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from "../../../machinery/errors/field-error.js";
import type { ReadonlyFields } from "../../../machinery/meta/access.js";
import {
  absent,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { validateLabelName } from "../../../machinery/validation/labels.js";
import { labelValueErrors, qualifiedNameErrors } from "../../../machinery/validation/names.js";
import type { TopologySelectorLabelRequirement, TopologySelectorTerm } from "../../types/core/v1.js";
import type { StorageClass, VolumeAttributesClass } from "../../types/storage/v1.js";
import { nodeLabelWarnings } from "../pod/node-selector.js";
import { immutable, named, oneOf, repeatedAt, sameValue } from "../rules.js";

const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;

export function validateStorageClass(storageClass: ReceivedObject<StorageClass>): FieldError[] {
  const { volumeBindingMode: mode, reclaimPolicy } = storageClass;
  const modes = ["Immediate", "WaitForFirstConsumer"];
  return [
    ...validateProvisioner(text(storageClass.provisioner), "provisioner"),
    ...validateParameters(object(storageClass.parameters), "parameters", true),
    ...(text(reclaimPolicy) === "" ? [] : oneOf(reclaimPolicy, "reclaimPolicy", ["Delete", "Retain"])),
    ...(absent(mode) ? [required("volumeBindingMode")] : oneOf(mode, "volumeBindingMode", modes)),
    ...validateTopologies(objects(storageClass.allowedTopologies), "allowedTopologies"),
  ];
}

/** Validates an update of a StorageClass: parameters, provisioner, reclaimPolicy and volumeBindingMode may not change. */
export function validateStorageClassUpdate(
  storageClass: ReceivedObject<StorageClass>,
  old: ReceivedObject<StorageClass>,
): FieldError[] {
  return [
    ...(["parameters", "provisioner", "reclaimPolicy"] as const)
      .filter((field) => !sameValue(storageClass[field], old[field]))
      .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`)),
    ...immutable(storageClass.volumeBindingMode, old.volumeBindingMode, "volumeBindingMode"),
  ];
}

function validateProvisioner(name: string, path: string): FieldError[] {
  if (name === "") return [required(path)];
  return named(name.toLowerCase(), path, qualifiedNameErrors);
}

function validateParameters(
  parameters: Received<Record<string, string>>,
  path: string,
  mayBeEmpty: boolean,
): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) return [tooLong(path, MAX_PARAMETERS)];
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of entries) {
    if (key === "") errors.push(invalidValue(path, key, "field can not be empty."));
    size += Buffer.byteLength(key) + Buffer.byteLength(text(value));
  }
  if (size > MAX_PARAMETER_BYTES) errors.push(tooLong(path, MAX_PARAMETER_BYTES));
  if (!mayBeEmpty && entries.length === 0) errors.push(required(path, "must contain at least one key/value pair"));
  return errors;
}

function validateTopologies(terms: readonly Received<TopologySelectorTerm>[], path: string): FieldError[] {
  const seen: ReadonlyFields[] = [];
  return terms.flatMap((term, index) => {
    const { errors, values } = validateTopology(objects(term.matchLabelExpressions), `${path}[${index}]`);
    const same = seen.filter((other) => sameValue(other, values));
    seen.push(values);
    return [...errors, ...same.map(() => duplicate(`${path}[${index}].matchLabelExpressions`, ""))];
  });
}

function validateTopology(expressions: readonly Received<TopologySelectorLabelRequirement>[], path: string) {
  const errors: FieldError[] = [];
  const values: Record<string, readonly string[]> = {};
  for (const [index, expression] of expressions.entries()) {
    const at = `${path}.matchLabelExpressions[${index}]`;
    const key = text(expression.key);
    const listed = list(expression.values).map(text);
    const again = repeatedAt(listed);
    if (Object.hasOwn(values, key)) errors.push(duplicate(`${at}.key`, key));
    if (listed.length === 0) errors.push(required(`${at}.values`));
    for (const [place, value] of listed.entries()) {
      if (again.has(place)) errors.push(duplicate(`${at}.values[${place}]`, value));
      append(errors, named(value, `${at}.values[${place}]`, labelValueErrors));
    }
    append(errors, validateLabelName(key, `${at}.key`));
    values[key] = [...new Set(listed)].sort();
  }
  return { errors, values };
}

/** Returns the warnings about topologies with deprecated node labels. */
export function storageClassWarnings(storageClass: ReceivedObject<StorageClass>): string[] {
  return objects(storageClass.allowedTopologies).flatMap((term, index) =>
    objects(term.matchLabelExpressions).flatMap(({ key }, at) =>
      nodeLabelWarnings(text(key), `allowedTopologies[${index}].matchLabelExpressions[${at}].key`),
    ),
  );
}

export function validateVolumeAttributesClass(attributesClass: ReceivedObject<VolumeAttributesClass>): FieldError[] {
  return [
    ...validateProvisioner(text(attributesClass.driverName), "driverName"),
    ...validateParameters(object(attributesClass.parameters), "parameters", false),
  ];
}

export function validateVolumeAttributesClassUpdate(
  attributesClass: ReceivedObject<VolumeAttributesClass>,
  old: ReceivedObject<VolumeAttributesClass>,
): FieldError[] {
  const errors = (["driverName", "parameters"] as const)
    .filter((field) => !sameValue(attributesClass[field], old[field]))
    .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`));
  return [...errors, ...validateVolumeAttributesClass(attributesClass)];
}
