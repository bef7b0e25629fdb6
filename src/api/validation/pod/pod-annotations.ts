import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { forbiddenField, invalidValue } from "../../../machinery/errors/field-error.js";
import { absent, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { AppArmorProfile, PodSpec, SeccompProfile, Toleration } from "../../types/core/v1.js";
import type { Errors } from "../collect.js";
import { checkDescendingPath } from "../volumes/file-paths.js";
import { eachContainer } from "./each-container.js";
import { isDeletionCost, type PodValidationOptions } from "./pod-options.js";
import { validateTolerations } from "./tolerations.js";

export const MIRROR = "kubernetes.io/config.mirror";
export const APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
export const SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
export const SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
const DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
const TOLERATIONS = "scheduler.alpha.kubernetes.io/tolerations";

/** Validates those annotations of a pod that Kubernetes interprets. `spec` is the pod's. */
export function validatePodAnnotations(
  annotations: Received<Record<string, string>>,
  spec: Received<PodSpec>,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const keys = Object.keys(annotations);
  if (keys.length === 0) return;
  if (!absent(annotations[MIRROR]) && text(spec.nodeName) === "") {
    const detail = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(invalidValue(`${path}[${MIRROR}]`, annotations[MIRROR], detail));
  }
  if (text(annotations[TOLERATIONS]) !== "")
    validateOldTolerations(text(annotations[TOLERATIONS]), path, options, errors);
  const cost = annotations[DELETION_COST];
  if (!options.allowInvalidDeletionCost && !isDeletionCost(cost)) {
    errors.push(invalidValue(`${path}[${DELETION_COST}]`, cost, "must be a 32bit integer"));
  }
  if (!absent(annotations[SECCOMP_POD])) checkSeccomp(text(annotations[SECCOMP_POD]), `${path}.${SECCOMP_POD}`, errors);
  for (const key of keys) {
    if (key.startsWith(SECCOMP_CONTAINER)) checkSeccomp(text(annotations[key]), `${path}.${key}`, errors);
  }
  const ofContainers = keys.filter((key) => key.startsWith(APP_ARMOR));
  if (ofContainers.length === 0) return;
  const containers = new Set(eachContainer(spec, "").map(([{ name }]) => name));
  for (const key of ofContainers) checkAppArmor(key, text(annotations[key]), containers, `${path}[${key}]`, errors);
}

function validateOldTolerations(value: string, path: string, options: PodValidationOptions, errors: Errors): void {
  let parsed: Received<Toleration[]>;
  try {
    parsed = JSON.parse(value);
  } catch (error) {
    errors.push(invalidValue(path, TOLERATIONS, errorMessage(error)));
    return;
  }
  validateTolerations(objects(parsed), `${path}.${TOLERATIONS}`, options, errors);
}

function checkSeccomp(profile: string, path: string, errors: Errors): void {
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return;
  if (profile.startsWith("localhost/")) checkDescendingPath(profile.slice("localhost/".length), path, errors);
  else errors.push(invalidValue(path, profile, "must be a valid seccomp profile"));
}

function checkAppArmor(
  key: string,
  profile: string,
  containers: ReadonlySet<unknown>,
  path: string,
  errors: Errors,
): void {
  const name = key.slice(APP_ARMOR.length);
  if (!containers.has(name)) {
    errors.push(invalidValue(path, name, "container not found"));
  }
  if (["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith("localhost/")) return;
  errors.push(invalidValue(path, profile, `invalid AppArmor profile name: ${goQuote(profile)}`));
}

/** Validates an update of a pod's annotations, some of which may not change. */
export function validatePodAnnotationsUpdate(
  annotations: Received<Record<string, string>>,
  old: Received<Record<string, string>>,
  path: string,
  errors: Errors,
): void {
  for (const [key, value] of Object.entries(old)) {
    if (annotations[key] === value) continue;
    if (key.startsWith(APP_ARMOR)) {
      errors.push(forbiddenField(`${path}[${key}]`, "may not remove or update AppArmor annotations"));
    }
    if (key === MIRROR) {
      errors.push(forbiddenField(`${path}[${key}]`, "may not remove or update mirror pod annotation"));
    }
  }
  for (const key of Object.keys(annotations)) {
    if (Object.hasOwn(old, key)) continue;
    if (key.startsWith(APP_ARMOR)) errors.push(forbiddenField(`${path}[${key}]`, "may not add AppArmor annotations"));
    if (key === MIRROR) errors.push(forbiddenField(`${path}[${key}]`, "may not add mirror pod annotation"));
  }
}

/** Checks that a deprecated annotation agrees with the field that replaced it. `path` is the spec's. */
export function checkProfilesMatch(
  annotations: Received<Record<string, string>>,
  spec: Received<PodSpec>,
  path: string,
  errors: Errors,
): void {
  if (!Object.keys(annotations).some((key) => key.includes("seccomp.") || key.startsWith(APP_ARMOR))) return;
  const context = object(spec.securityContext);
  const seccomp = (
    profile: Received<SeccompProfile> | null | undefined,
    annotation: string | null | undefined,
    at: string,
  ) => {
    if (absent(profile) || absent(annotation)) return;
    const problem = mismatch(object(profile), text(annotation), ["runtime/default", "docker/default"]);
    if (problem === undefined) return;
    const what = problem === "type" ? "type" : "profile";
    errors.push(
      forbiddenField(`${at}.seccompProfile.${problem}`, `seccomp ${what} in annotation and field must match`),
    );
  };
  seccomp(context.seccompProfile, annotations[SECCOMP_POD], `${path}.securityContext`);
  for (const [container, at] of eachContainer(spec, path)) {
    const key = `${SECCOMP_CONTAINER}${text(container.name)}`;
    seccomp(object(container.securityContext).seccompProfile, annotations[key], `${at}.securityContext`);
  }
  if (object(spec.os).name === "windows") return;
  for (const [container, at] of eachContainer(spec, path)) {
    const profile = object(container.securityContext).appArmorProfile ?? context.appArmorProfile;
    const annotation = annotations[`${APP_ARMOR}${text(container.name)}`];
    if (absent(profile) || absent(annotation)) continue;
    const problem = mismatch(object(profile), text(annotation), ["runtime/default"]);
    if (problem === undefined) continue;
    const what = problem === "type" ? "type" : "profile";
    const field = `${at}.securityContext.appArmorProfile.${problem}`;
    errors.push(forbiddenField(field, `apparmor ${what} in annotation and field must match`));
  }
}

/** The field of the profile that the annotation contradicts. */
function mismatch(
  { type, localhostProfile }: Received<SeccompProfile | AppArmorProfile>,
  annotation: string,
  defaults: readonly string[],
): "type" | "localhostProfile" | undefined {
  if (type === "Unconfined") return annotation === "unconfined" ? undefined : "type";
  if (type === "RuntimeDefault") return defaults.includes(annotation) ? undefined : "type";
  if (type !== "Localhost") return undefined;
  if (!annotation.startsWith("localhost/")) return "type";
  return annotation.slice("localhost/".length) === localhostProfile ? undefined : "localhostProfile";
}
