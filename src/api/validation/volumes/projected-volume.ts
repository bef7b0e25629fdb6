import { forbiddenField, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { absent, number, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type {
  ConfigMapProjection,
  SecretProjection,
  ServiceAccountTokenProjection,
  VolumeProjection,
  DownwardAPIVolumeFile,
  KeyToPath,
} from "../../types/core/v1.js";
import type { Errors } from "../collect.js";
import type { PodValidationOptions } from "../pod/pod-options.js";
import { checkFileMode, checkNonReservedPath, checkUser } from "./file-paths.js";
import { validateFieldSelector, validateResourceFieldSelector } from "../pod/downward-api.js";

/** Validates the sources of one projected volume; no two may have the same path. `path` is the volume source's. */
export function validateProjectedSources(
  sources: readonly Received<VolumeProjection>[],
  path: string,
  errors: Errors,
  options: PodValidationOptions,
): void {
  const paths = new Set<string>();
  const claim = (file: string, shown: string) => {
    if (file === "") return;
    if (paths.has(file)) errors.push(invalidValue(path, shown, "conflicting duplicate paths"));
    paths.add(file);
  };
  for (const [index, source] of sources.entries()) {
    const at = `${path}.sources[${index}]`;
    let count = 0;
    for (const kind of ["secret", "configMap"] as const) {
      if (absent(source[kind])) continue;
      count++;
      validateKeys(object(source[kind]), `${at}.${kind}`, claim, errors);
    }
    if (!absent(source.downwardAPI)) {
      count++;
      for (const file of objects(object(source.downwardAPI).items)) {
        validateDownwardApiFile(file, `${at}.downwardAPI`, errors);
        claim(text(file.path), text(file.path));
      }
    }
    for (const kind of ["serviceAccountToken", "clusterTrustBundle", "podCertificate"] as const) {
      checkUser(object(source[kind]).user, `${at}.${kind}.user`, errors);
    }
    if (!absent(source.serviceAccountToken)) {
      count++;
      validateToken(object(source.serviceAccountToken), path, `${at}.serviceAccountToken`, options, errors);
    }
    if (count > 1) errors.push(forbiddenField(at, "may not specify more than 1 volume type per source"));
  }
}

function validateKeys(
  source: Received<SecretProjection | ConfigMapProjection>,
  path: string,
  claim: (file: string, shown: string) => void,
  errors: Errors,
): void {
  const name = text(source.name);
  if (name === "") errors.push(required(`${path}.name`));
  for (const [index, item] of objects(source.items).entries()) {
    validateKeyToPath(item, `${path}.items[${index}]`, errors);
    claim(text(item.path), name);
  }
}

/** A wrong path of a token is shown at the volume's source, as Kubernetes does. */
function validateToken(
  token: Received<ServiceAccountTokenProjection>,
  volumePath: string,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const seconds = token.expirationSeconds ?? 0;
  if (number(seconds) < 600) {
    errors.push(invalidValue(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes"));
  }
  if (number(seconds) > 2 ** 32) {
    errors.push(
      invalidValue(`${path}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds"),
    );
  }
  const file = text(token.path);
  if (file === "") errors.push(required(`${volumePath}.path`));
  else if (!options.allowNonLocalTokenPath) checkNonReservedPath(file, `${volumePath}.path`, errors);
}

/** Validates an item that makes one key of a ConfigMap or Secret a file. */
export function validateKeyToPath(item: Received<KeyToPath>, path: string, errors: Errors): void {
  if (text(item.key) === "") errors.push(required(`${path}.key`));
  if (text(item.path) === "") errors.push(required(`${path}.path`));
  checkNonReservedPath(text(item.path), `${path}.path`, errors);
  checkFileMode(item.mode, `${path}.mode`, errors);
  checkUser(item.user, `${path}.user`, errors);
}

const FIELDS: ReadonlySet<string> = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
]);

/** Validates an item that makes one field of the pod a file. */
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
  checkUser(file.user, `${path}.user`, errors);
}
