import { duplicate, forbiddenField, invalidValue, required } from "../../../machinery/errors/field-error.js";
import type { ObjectMeta } from "../../../machinery/meta/object.js";
import { absent, object, type Received, text } from "../../../machinery/meta/received.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type { ISCSIVolumeSource, Volume } from "../../types/core/v1.js";
import { checkRequired, type Errors } from "../collect.js";
import type { PodValidationOptions } from "../pod/pod-options.js";
import { NO_MORE_VOLUME_TYPES } from "./file-paths.js";
import { VOLUME_SOURCES } from "./volume-sources.js";

/** The valid volumes of a pod by name: those that containers may mount. */
export type Volumes = ReadonlyMap<string, Received<Volume>>;

/** Validates the volumes of a pod, or of a template, whose `metadata` is undefined. */
export function validateVolumes(
  volumes: readonly Received<Volume>[],
  metadata: ObjectMeta | undefined,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): Volumes {
  const good = new Map<string, Received<Volume>>();
  const podName = metadata?.name ?? "";
  for (const [index, volume] of volumes.entries()) {
    const at = `${path}[${index}]`;
    const before = errors.length;
    const name = text(volume.name);
    validateVolumeSource(volume, name, podName, at, options, errors);
    checkRequired(name, `${at}.name`, dns1123LabelErrors, errors);
    if (good.has(name)) errors.push(duplicate(`${at}.name`, name));
    if (errors.length === before) good.set(name, volume);
    const claimName = text(object(volume.persistentVolumeClaim).claimName);
    if (podName !== "" && claimName !== "" && isGenerated(claimName, podName, volumes)) {
      const detail = "must not reference a PVC that gets created for an ephemeral volume";
      errors.push(invalidValue(`${at}.persistentVolumeClaim.claimName`, claimName, detail));
    }
  }
  return good;
}

function isGenerated(claimName: string, podName: string, volumes: readonly Received<Volume>[]): boolean {
  return volumes.some((volume) => !absent(volume.ephemeral) && claimName === `${podName}-${text(volume.name)}`);
}

function validateVolumeSource(
  volume: Received<Volume>,
  name: string,
  podName: string,
  path: string,
  options: PodValidationOptions,
  errors: Errors,
): void {
  let found = false;
  for (const rule of VOLUME_SOURCES) {
    const { field, at = field, extra = at } = rule;
    const value = volume[field];
    if (absent(value)) continue;
    if (found) errors.push(forbiddenField(`${path}.${extra}`, NO_MORE_VOLUME_TYPES));
    else rule.validate(object(value), `${path}.${at}`, errors, options);
    if (field === "iscsi") checkIscsiName(object(volume.iscsi), name, path, errors);
    if (field === "ephemeral" && !found) checkClaimName(podName, name, path, errors);
    found = true;
  }
  if (!found) errors.push(required(path, "must specify a volume type"));
}

function checkIscsiName(source: Received<ISCSIVolumeSource>, name: string, path: string, errors: Errors): void {
  if (absent(source.initiatorName)) return;
  if (Buffer.byteLength(`${name}:${text(source.targetPortal)}`) <= 64) return;
  const detail =
    "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";
  errors.push(invalidValue(`${path}.name`, name, detail));
}

/** An ephemeral volume's claim is named for the pod and the volume. */
function checkClaimName(podName: string, name: string, path: string, errors: Errors): void {
  if (podName === "" || name === "") return;
  const claimName = `${podName}-${name}`;
  for (const message of dns1123SubdomainErrors(claimName)) {
    errors.push(invalidValue(`${path}.name`, name, `PVC name ${JSON.stringify(claimName)}: ${message}`));
  }
}

/** Whether a container may use the volume as a block device; undefined where there is no such volume. */
export function mayBeDevice(volumes: Volumes, name: string): boolean | undefined {
  const volume = volumes.get(name);
  return volume && (!absent(volume.persistentVolumeClaim) || !absent(volume.ephemeral));
}
