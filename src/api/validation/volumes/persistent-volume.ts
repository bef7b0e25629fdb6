import { dictionary } from "../../../base/collections/dictionary.js";
import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import { isFields, list as anyList, object as anyObject } from "../../../machinery/meta/access.js";
import {
  absent,
  isStruct,
  list,
  object,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors } from "../../../machinery/validation/names.js";
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from "../../types/core/v1.js";
import type { Quantity } from "../../types/meta/v1.js";
import { hasInvalidNodeSelectorValues, nodeSelectorWarnings, validateNodeSelector } from "../pod/node-selector.js";
import { positiveQuantity, volumeCapacity } from "../resources.js";
import { IMMUTABLE, immutable, named, oneOf, sameValue } from "../rules.js";
import { NO_MORE_VOLUME_TYPES } from "./file-paths.js";
import { SOURCES, sourceWarnings } from "./persistent-volume-source.js";

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: readonly string[] = ["Block", "Filesystem"];
const RECLAIM_POLICIES = ["Delete", "Recycle", "Retain"];

export function validatePersistentVolume(volume: ReceivedObject<PersistentVolume>): FieldError[] {
  return validateSpec(object(volume.spec), "spec", false);
}

/** Access modes of volumes and claims. */
function validateAccessModes(modes: readonly string[], path: string): FieldError[] {
  const known = (mode: string) => ACCESS_MODES.includes(mode);
  const errors = modes.filter((mode) => !known(mode)).map((mode) => notSupported(path, mode, ACCESS_MODES));
  const alone = "ReadWriteOncePod";
  if (modes.includes(alone) && modes.some((mode) => mode !== alone && known(mode))) {
    errors.push(forbiddenField(path, "may not use ReadWriteOncePod with other access modes"));
  }
  return errors;
}

function validateSpec(spec: Received<PersistentVolumeSpec>, path: string, anyLabelValues: boolean): FieldError[] {
  const errors = list(spec.accessModes).length === 0 ? [required(`${path}.accessModes`)] : [];
  append(
    errors,
    validateAccessModes(list(spec.accessModes).map(text), `${path}.accessModes`),
    validateCapacity(object(spec.capacity), `${path}.capacity`),
  );
  if (text(spec.persistentVolumeReclaimPolicy) !== "") {
    const at = `${path}.persistentVolumeReclaimPolicy`;
    append(errors, oneOf(spec.persistentVolumeReclaimPolicy, at, RECLAIM_POLICIES));
  }
  append(errors, validateNodeAffinity(spec, path, anyLabelValues), validateSource(spec, path));
  if (recyclesRoot(spec)) {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    errors.push(forbiddenField(`${path}.persistentVolumeReclaimPolicy`, detail));
  }
  if (text(spec.storageClassName) !== "") {
    append(errors, named(text(spec.storageClassName), `${path}.storageClassName`, dns1123SubdomainErrors));
  }
  return [
    ...errors,
    ...oneOf(spec.volumeMode, `${path}.volumeMode`, VOLUME_MODES),
    ...validateAttributesClass(spec, path),
  ];
}

function validateCapacity(capacity: Received<Record<string, Quantity>>, path: string): FieldError[] {
  const names = Object.keys(capacity);
  const errors = names.length === 0 ? [required(path)] : [];
  if (!Object.hasOwn(capacity, "storage") || names.length > 1) {
    errors.push(notSupported(path, names.length === 0 ? null : capacity, ["storage"]));
  }
  for (const name of names) {
    append(
      errors,
      volumeCapacity(capacity[name], `${path}[${name}]`),
      positiveQuantity(capacity[name], `${path}[${name}]`),
    );
  }
  return errors;
}

function validateNodeAffinity(
  spec: Received<PersistentVolumeSpec>,
  path: string,
  anyLabelValues: boolean,
): FieldError[] {
  if (!isStruct(spec.nodeAffinity)) return [];
  const at = `${path}.nodeAffinity.required`;
  const { required: selector } = spec.nodeAffinity;
  if (!isStruct(selector)) return [required(at, "must specify required node constraints")];
  return validateNodeSelector(selector, at, anyLabelValues);
}

function validateSource(spec: Received<PersistentVolumeSpec>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const rule of SOURCES) {
    const { field, at, extra } = rule;
    const source = spec[field];
    if (!isStruct(source)) continue;
    count += 1;
    if (count > 1 && field !== "flexVolume") {
      errors.push(forbiddenField(`${path}.${extra}`, NO_MORE_VOLUME_TYPES));
      continue;
    }
    rule.validate(source, `${path}.${at}`, errors);
    if (field === "local" && absent(spec.nodeAffinity)) {
      errors.push(required(`${path}.nodeAffinity`, "Local volume requires node affinity"));
    }
  }
  return count === 0 ? [...errors, required(path, "must specify a volume type")] : errors;
}

function recyclesRoot(spec: Received<PersistentVolumeSpec>): boolean {
  if (!isStruct(spec.hostPath) || spec.persistentVolumeReclaimPolicy !== "Recycle") return false;
  const path = text(spec.hostPath.path);
  return path.startsWith("/") && path.split("/").every((part) => part === "" || part === ".");
}

function validateAttributesClass(spec: Received<PersistentVolumeSpec>, path: string): FieldError[] {
  if (absent(spec.volumeAttributesClassName)) return [];
  const name = text(spec.volumeAttributesClassName);
  const at = `${path}.volumeAttributesClassName`;
  const errors =
    name === "" ? [required(at, "an empty string is disallowed")] : named(name, at, dns1123SubdomainErrors);
  if (isStruct(spec.csi)) return errors;
  return [...errors, required(`${path}.csi`, "has to be specified when using volumeAttributesClassName")];
}

/**
 * Validates an update of a volume: its source and volume mode may not change. A CSI volume may get a secret for expansion, and an affinity
 * may be set where there was none; an existing affinity may only change from beta to stable labels.
 */
export function validatePersistentVolumeUpdate(
  volume: ReceivedObject<PersistentVolume>,
  old: ReceivedObject<PersistentVolume>,
): FieldError[] {
  const [spec, before] = [object(volume.spec), object(old.spec)];
  const oldSelector = object(before.nodeAffinity).required;
  const errors = validateSpec(spec, "spec", hasInvalidNodeSelectorValues(oldSelector));
  if (!SOURCES.every(({ field }) => sameSource(field, spec, before))) {
    const detail = "spec.persistentvolumesource is immutable after creation";
    errors.push(forbiddenField("spec.persistentvolumesource", detail));
  }
  append(errors, immutable(spec.volumeMode, before.volumeMode, "volumeMode"));
  if (!absent(before.nodeAffinity) && !sameValue(spec.nodeAffinity, withStableLabels(before, spec))) {
    const detail = `${IMMUTABLE}, except for updating from beta label to GA`;
    errors.push(invalidValue("nodeAffinity", spec.nodeAffinity ?? null, detail));
  }
  if (!absent(before.volumeAttributesClassName) && absent(spec.volumeAttributesClassName)) {
    const detail = "update from non-nil value to nil is forbidden";
    errors.push(forbiddenField("spec.volumeAttributesClassName", detail));
  }
  return errors;
}

function sameSource(
  field: keyof PersistentVolumeSpec,
  spec: Received<PersistentVolumeSpec>,
  old: Received<PersistentVolumeSpec>,
): boolean {
  const [source, before] = [spec[field], old[field]];
  if (sameValue(source, before)) return absent(source) === absent(before);
  if (field !== "csi" || !isStruct(spec.csi) || !isStruct(old.csi)) return false;
  if (!absent(old.csi.controllerExpandSecretRef)) return false;
  const { controllerExpandSecretRef: _, ...rest } = spec.csi;
  return "driver" in spec.csi && sameValue(rest, old.csi);
}

const STABLE_LABELS: Readonly<Record<string, string>> = dictionary({
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
});

/** The old affinity, with the stable names of those labels for which the new one uses them. */
function withStableLabels(before: Received<PersistentVolumeSpec>, spec: Received<PersistentVolumeSpec>): unknown {
  return renamed(before.nodeAffinity, spec.nodeAffinity);
}

/** Any struct of an affinity may have a `key`, so this reads plain data. */
function renamed(value: unknown, now: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, index) => renamed(item, anyList(now)[index]));
  if (!isFields(value)) return value;
  const fields = Object.entries(value).map(([name, held]) => [name, renamed(held, anyObject(now)[name])] as const);
  const key = typeof value.key === "string" ? STABLE_LABELS[value.key] : undefined;
  const changed = key !== undefined && anyObject(now).key === key;
  return { ...Object.fromEntries(fields), ...(changed && { key }) };
}

/** Validates a volume that a VolumeAttachment holds inline: it must be a CSI volume, and has no fields about claims. */
export function validateInlineVolume(spec: Received<PersistentVolumeSpec>, path: string): FieldError[] {
  const unused = (field: string) =>
    forbiddenField(`${path}.${field}`, "may not be specified in the context of inline volumes");
  const errors: FieldError[] = [];
  if (!absent(spec.claimRef)) errors.push(unused("claimRef"));
  if (Object.keys(object(spec.capacity)).length > 0) errors.push(unused("capacity"));
  if (!isStruct(spec.csi)) errors.push(required(`${path}.csi`, "has to be specified in the context of inline volumes"));
  if (list(spec.accessModes).length === 0) errors.push(required(`${path}.accessModes`));
  append(errors, validateAccessModes(list(spec.accessModes).map(text), `${path}.accessModes`));
  const policy = text(spec.persistentVolumeReclaimPolicy);
  if (policy !== "" && policy !== "Retain") {
    const detail = "may only be Retain in the context of inline volumes";
    errors.push(forbiddenField(`${path}.persistentVolumeReclaimPolicy`, detail));
  }
  if (!absent(spec.nodeAffinity)) errors.push(unused("nodeAffinity"));
  append(errors, validateSource(spec, path));
  if (text(spec.storageClassName) !== "") errors.push(unused("storageClassName"));
  if (!absent(spec.volumeMode) && spec.volumeMode !== "Filesystem") {
    const detail = "may not specify volumeMode other than Filesystem in the context of inline volumes";
    errors.push(forbiddenField(`${path}.volumeMode`, detail));
  }
  return errors;
}

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";
const MOUNT_ANNOTATION = "volume.beta.kubernetes.io/mount-options";

/** Returns the warnings about the deprecated annotation that names a storage class. */
export function classAnnotationWarnings({
  metadata,
}: ReceivedObject<PersistentVolume | PersistentVolumeClaim>): string[] {
  if (metadata?.annotations?.[CLASS_ANNOTATION] === undefined) return [];
  const better = 'deprecated since v1.8; use "storageClassName" attribute instead';
  return [`metadata.annotations[${CLASS_ANNOTATION}]: ${better}`];
}

export function persistentVolumeWarnings(volume: ReceivedObject<PersistentVolume>): string[] {
  const spec = object(volume.spec);
  const warnings = classAnnotationWarnings(volume);
  if (volume.metadata?.annotations?.[MOUNT_ANNOTATION] !== undefined) {
    const better = 'deprecated since v1.31; use "mountOptions" attribute instead';
    warnings.push(`metadata.annotations[${MOUNT_ANNOTATION}]: ${better}`);
  }
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    const why =
      "The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
    warnings.push(`spec.persistentVolumeReclaimPolicy: ${why}`);
  }
  return [
    ...warnings,
    ...nodeSelectorWarnings(object(spec.nodeAffinity).required, "spec.nodeAffinity.required"),
    ...sourceWarnings(spec),
  ];
}
