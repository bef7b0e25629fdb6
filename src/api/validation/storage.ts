import { type FieldError, forbiddenField, notSupported, required } from "../../machinery/errors/field-error.js";
import { absent, list, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { immutable, oneOf, sameValue } from "./rules.js";
import { validateStorageRequest } from "./resources.js";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES = ["Block", "Filesystem"];

export function validatePersistentVolumeClaim(claim: KubeObject): FieldError[] {
  const spec = object(claim.spec);
  const errors: FieldError[] = [];
  if (list(spec.accessModes).length === 0) {
    errors.push(required("spec.accessModes", "at least 1 access mode is required"));
  }
  return [
    ...errors,
    ...unsupportedModes(spec),
    ...validateStorageRequest(spec.resources, "spec.resources"),
    ...oneOf(spec.volumeMode, "spec.volumeMode", VOLUME_MODES),
  ];
}

/** Only what is asked of a bound claim may change, and the volume may be set once. */
export function validatePersistentVolumeClaimUpdate(claim: KubeObject, old: KubeObject): FieldError[] {
  const fixed = (spec: ReadonlyFields) => {
    const { resources, volumeAttributesClassName: _, ...rest } = spec;
    return { ...rest, limits: object(resources).limits };
  };
  const [spec, before] = [fixed(object(claim.spec)), fixed(object(old.spec))];
  if (text((before as ReadonlyFields).volumeName) === "") {
    delete (spec as Record<string, unknown>).volumeName;
    delete (before as Record<string, unknown>).volumeName;
  }
  if (sameValue(spec, before)) return [];
  const detail =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  return [forbiddenField("spec", detail)];
}

const NOT_A_SOURCE: ReadonlySet<string> = new Set([
  "capacity",
  "accessModes",
  "claimRef",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "mountOptions",
  "volumeMode",
  "nodeAffinity",
  "volumeAttributesClassName",
]);

export function validatePersistentVolume(volume: KubeObject): FieldError[] {
  const spec = object(volume.spec);
  const errors: FieldError[] = [];
  if (list(spec.accessModes).length === 0) errors.push(required("spec.accessModes"));
  errors.push(...unsupportedModes(spec));
  const capacity = object(spec.capacity);
  if (Object.keys(capacity).length === 0) errors.push(required("spec.capacity"));
  else if (!Object.hasOwn(capacity, "storage")) {
    errors.push(notSupported("spec.capacity", capacity, ["storage"]));
  }
  const policies = ["Delete", "Recycle", "Retain"];
  errors.push(...oneOf(spec.persistentVolumeReclaimPolicy, "spec.persistentVolumeReclaimPolicy", policies));
  const sources = Object.keys(spec).filter((field) => !NOT_A_SOURCE.has(field) && !absent(spec[field]));
  if (sources.length === 0) errors.push(required("spec", "must specify a volume type"));
  for (const extra of sources.slice(1)) {
    errors.push(forbiddenField(`spec.${extra}`, "may not specify more than 1 volume type"));
  }
  return [...errors, ...oneOf(spec.volumeMode, "spec.volumeMode", VOLUME_MODES)];
}

export function validatePersistentVolumeUpdate(volume: KubeObject, old: KubeObject): FieldError[] {
  const fixed = (spec: ReadonlyFields) =>
    Object.fromEntries(Object.entries(spec).filter(([field]) => !NOT_A_SOURCE.has(field)));
  const errors: FieldError[] = [];
  if (!sameValue(fixed(object(volume.spec)), fixed(object(old.spec)))) {
    errors.push(
      forbiddenField("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"),
    );
  }
  return [...errors, ...immutable(object(volume.spec).volumeMode, object(old.spec).volumeMode, "spec.volumeMode")];
}

export function validateStorageClass(storageClass: KubeObject): FieldError[] {
  const errors = text(storageClass.provisioner) === "" ? [required("provisioner")] : [];
  return [
    ...errors,
    ...oneOf(storageClass.reclaimPolicy, "reclaimPolicy", ["Delete", "Retain"]),
    ...oneOf(storageClass.volumeBindingMode, "volumeBindingMode", ["Immediate", "WaitForFirstConsumer"]),
  ];
}

export function validateStorageClassUpdate(storageClass: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...["parameters", "provisioner", "reclaimPolicy"]
      .filter((field) => !sameValue(storageClass[field], old[field]))
      .map((field) => forbiddenField(field, `updates to ${field} are forbidden.`)),
    ...immutable(storageClass.volumeBindingMode, old.volumeBindingMode, "volumeBindingMode"),
  ];
}

function unsupportedModes(spec: ReadonlyFields): FieldError[] {
  return list(spec.accessModes)
    .filter((mode) => !ACCESS_MODES.includes(text(mode)))
    .map((mode) => notSupported("spec.accessModes", mode, ACCESS_MODES));
}
