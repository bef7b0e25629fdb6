import { invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, object, type Received, text } from "../../../machinery/meta/received.js";
import {
  configMapKeyErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  envVarNameErrors,
  prefixOf,
} from "../../../machinery/validation/names.js";
import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
  SecretKeySelector,
} from "../../types/core/v1.js";
import { check, checkRequired, type Errors } from "../collect.js";
import { checkNoBacksteps } from "../volumes/file-paths.js";
import { validateFieldSelector, validateResourceFieldSelector } from "./downward-api.js";

const FIELDS: ReadonlySet<string> = new Set([
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

const MORE_THAN_ONE = "may not have more than one field specified at a time";

export function validateEnv(variables: readonly Received<EnvVar>[], path: string, errors: Errors): void {
  for (const [index, variable] of variables.entries()) {
    checkRequired(text(variable.name), `${path}[${index}].name`, envVarNameErrors, errors);
    if (!absent(variable.valueFrom)) {
      validateValueFrom(object(variable.valueFrom), text(variable.value), `${path}[${index}].valueFrom`, errors);
    }
  }
}

function validateValueFrom(source: Received<EnvVarSource>, value: string, path: string, errors: Errors): void {
  let count = 0;
  for (const rule of SOURCES) {
    const { field } = rule;
    if (absent(source[field])) continue;
    count++;
    rule.validate(object(source[field]), `${path}.${field}`, errors);
  }
  if (count === 0) {
    const kinds =
      "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
    errors.push(invalidValue(path, "", kinds));
  } else if (value !== "") errors.push(invalidValue(path, "", "may not be specified when `value` is not empty"));
  else if (count > 1) errors.push(invalidValue(path, "", MORE_THAN_ONE));
}

type ValidateRef<Reference> = (reference: Received<Reference>, path: string, errors: Errors) => void;

const keyOfObject: ValidateRef<ConfigMapKeySelector | SecretKeySelector> = (reference, path, errors) => {
  check(text(reference.name), `${path}.name`, dns1123SubdomainErrors, errors);
  checkRequired(text(reference.key), `${path}.key`, configMapKeyErrors, errors);
};

const keyOfFile: ValidateRef<FileKeySelector> = (reference, path, errors) => {
  checkRequired(text(reference.key), `${path}.key`, envVarNameErrors, errors);
  checkRequired(text(reference.volumeName), `${path}.volumeName`, dns1123LabelErrors, errors);
  if (text(reference.path) === "") errors.push(required(`${path}.path`));
  else checkNoBacksteps(text(reference.path), `${path}.path`, errors);
};

interface SourceRule<Field extends keyof EnvVarSource = keyof EnvVarSource> {
  readonly field: Field;
  validate(reference: Received<NonNullable<EnvVarSource[Field]>>, path: string, errors: Errors): void;
}

const fieldRef: ValidateRef<ObjectFieldSelector> = (reference, path, errors) =>
  validateFieldSelector(reference, FIELDS, path, errors);

const resourceFieldRef: ValidateRef<ResourceFieldSelector> = (reference, path, errors) =>
  validateResourceFieldSelector(reference, false, path, errors);

const SOURCES: readonly SourceRule[] = [
  { field: "fieldRef", validate: fieldRef },
  { field: "resourceFieldRef", validate: resourceFieldRef },
  { field: "configMapKeyRef", validate: keyOfObject },
  { field: "secretKeyRef", validate: keyOfObject },
  { field: "fileKeyRef", validate: keyOfFile },
];

/** Validates envFrom. The error of an entry with no source or with several has the path of the list, as upstream's has. */
export function validateEnvFrom(sources: readonly Received<EnvFromSource>[], path: string, errors: Errors): void {
  for (const [index, source] of sources.entries()) {
    const at = `${path}[${index}]`;
    const prefix = text(source.prefix);
    if (prefix !== "") check(prefix, `${at}.prefix`, envVarNameErrors, errors);
    let count = 0;
    for (const field of ["configMapRef", "secretRef"] as const) {
      if (absent(source[field])) continue;
      count++;
      const name = text(object(source[field]).name);
      checkRequired(name, `${at}.${field}.name`, prefixRule, errors);
    }
    if (count === 0) errors.push(invalidValue(path, "", "must specify one of: `configMapRef` or `secretRef`"));
    else if (count > 1) errors.push(invalidValue(path, "", MORE_THAN_ONE));
  }
}

/** The name is judged as the beginning of one, so it may end in a dash. */
const prefixRule = prefixOf(dns1123SubdomainErrors);
