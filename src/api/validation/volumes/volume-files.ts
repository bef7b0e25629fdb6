import { invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, object, type Received, text } from "../../../machinery/meta/received.js";
import type { DownwardAPIVolumeFile, KeyToPath } from "../../types/core/v1.js";
import type { Errors } from "../collect.js";
import { validateFieldSelector, validateResourceFieldSelector } from "../pod/downward-api.js";
import { checkFileMode, checkNonReservedPath } from "./file-paths.js";

/** One key of a ConfigMap or Secret that becomes a file. */
export function validateKeyToPath(item: Received<KeyToPath>, path: string, errors: Errors): void {
  if (text(item.key) === "") errors.push(required(`${path}.key`));
  if (text(item.path) === "") errors.push(required(`${path}.path`));
  checkNonReservedPath(text(item.path), `${path}.path`, errors);
  checkFileMode(item.mode, `${path}.mode`, errors);
}

const FIELDS: ReadonlySet<string> = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
]);

/** One field of the pod that becomes a file. */
export function validateDownwardApiFile(file: Received<DownwardAPIVolumeFile>, path: string, errors: Errors): void {
  if (text(file.path) === "") errors.push(required(`${path}.path`));
  checkNonReservedPath(text(file.path), `${path}.path`, errors);
  if (!absent(file.fieldRef)) {
    validateFieldSelector(object(file.fieldRef), FIELDS, `${path}.fieldRef`, errors);
    if (!absent(file.resourceFieldRef)) {
      const detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
      errors.push(invalidValue(path, "resource", detail));
    }
  } else if (!absent(file.resourceFieldRef)) {
    validateResourceFieldSelector(object(file.resourceFieldRef), true, `${path}.resourceFieldRef`, errors);
  } else errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
  checkFileMode(file.mode, `${path}.mode`, errors);
}
