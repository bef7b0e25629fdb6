import { append } from "../../../base/collections/append.js";
import { type FieldError, forbiddenField, invalidValue, notSupported } from "../../../machinery/errors/field-error.js";
import {
  type FieldsOf,
  absent,
  object,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { compareQuantities, parseQuantity, quantityValue } from "../../../machinery/text/quantity/quantity.js";
import { qualifiedNameErrors } from "../../../machinery/validation/names.js";
import { validateDeclared } from "../declarative/validate-declared.js";
import { claimHealthRules } from "./volume-health.js";
import type {
  VolumeResourceRequirements,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
} from "../../types/core/v1.js";
import { difference } from "../pod/pod-difference.js";
import { nonNegativeQuantity, volumeCapacity, isNative, quantity } from "../resources.js";
import { immutable, IMMUTABLE, sameValue } from "../rules.js";
import { validateClaimSpec } from "./claim-spec.js";
import { classAnnotationWarnings } from "./persistent-volume.js";

export function validatePersistentVolumeClaim(claim: ReceivedObject<PersistentVolumeClaim>): FieldError[] {
  const errors: FieldError[] = [];
  validateClaimSpec(object(claim.spec), "spec", errors);
  return errors;
}

const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

const ONLY =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

/** Validates an update of a claim: once bound, its request may grow; its volume may be set once, and a class may be set where there was none. */
export function validatePersistentVolumeClaimUpdate(
  claim: ReceivedObject<PersistentVolumeClaim>,
  old: ReceivedObject<PersistentVolumeClaim>,
): FieldError[] {
  const [spec, before] = [object(claim.spec), object(old.spec)];
  const errors = validatePersistentVolumeClaim(claim);
  const [annotation, had] = [claim, old].map(({ metadata }) => metadata?.annotations?.[CLASS_ANNOTATION]);
  const upgraded =
    had !== undefined &&
    absent(before.storageClassName) &&
    spec.storageClassName === had &&
    (annotation ?? had) === had;
  if (!upgraded && (annotation ?? "") !== (had ?? "")) {
    errors.push(invalidValue(`metadata.annotations.${CLASS_ANNOTATION}`, annotation ?? "", IMMUTABLE));
  }
  const fixed =
    text(before.volumeName) === ""
      ? ({ ...before, volumeName: spec.volumeName } satisfies FieldsOf<PersistentVolumeClaimSpec>)
      : before;
  const changed = withMutableFieldsOf(before, spec, object(claim.status).phase === "Bound", had);
  if (!sameValue(amounts(changed), amounts(fixed))) {
    const what = difference("PersistentVolumeClaimSpec", fixed, changed);
    errors.push(forbiddenField("spec", `${ONLY}\n${what}`));
  }
  return [
    ...errors,
    ...validateSize(spec, before, old),
    ...immutable(spec.volumeMode, before.volumeMode, "volumeMode"),
    ...validateAttributesClass(spec, before),
  ];
}

/** The new spec with all that may change as it was. `annotation` is the old claim's. */
function withMutableFieldsOf(
  before: Received<PersistentVolumeClaimSpec>,
  spec: Received<PersistentVolumeClaimSpec>,
  bound: boolean,
  annotation: string | undefined,
): Received<PersistentVolumeClaimSpec> {
  const fixed = { ...spec };
  const { storageClassName, volumeAttributesClassName } = spec;
  const isNew = absent(before.storageClassName) && !absent(storageClassName);
  if (isNew && (annotation === undefined || storageClassName === annotation)) delete fixed.storageClassName;
  if (!bound) return fixed;
  const resources = object(spec.resources);
  if (!absent(resources.requests)) {
    const { storage } = object(object(before.resources).requests);
    fixed.resources = { ...resources, requests: { ...object(resources.requests), storage } };
  }
  if (!absent(volumeAttributesClassName)) fixed.volumeAttributesClassName = before.volumeAttributesClassName;
  return fixed;
}

/** The spec with its storage as a number, however that is written. */
function amounts(spec: Received<PersistentVolumeClaimSpec>) {
  const resources = object(spec.resources);
  const { storage, ...requests } = object(resources.requests);
  const parsed = quantity(storage);
  const counted = parsed === undefined ? undefined : String(quantityValue(parsed, -3));
  return {
    ...spec,
    resources: {
      ...resources,
      requests: { ...requests, storage: counted },
    } satisfies FieldsOf<VolumeResourceRequirements>,
  } satisfies FieldsOf<PersistentVolumeClaimSpec>;
}

function validateSize(
  spec: Received<PersistentVolumeClaimSpec>,
  before: Received<PersistentVolumeClaimSpec>,
  old: ReceivedObject<PersistentVolumeClaim>,
): FieldError[] {
  const size = (fields: Received<PersistentVolumeClaimSpec>) =>
    quantity(object(object(fields.resources).requests).storage) ?? ZERO;
  if (compareQuantities(size(spec), size(before)) >= 0) return [];
  const held = quantity(object(object(old.status).capacity).storage) ?? ZERO;
  if (compareQuantities(size(spec), held) > 0) return [];
  return [forbiddenField("spec.resources.requests.storage", "field can not be less than status.capacity")];
}

const ZERO = parseQuantity("0");

function validateAttributesClass(
  spec: Received<PersistentVolumeClaimSpec>,
  before: Received<PersistentVolumeClaimSpec>,
): FieldError[] {
  const [name, had] = [spec.volumeAttributesClassName, before.volumeAttributesClassName];
  const path = "spec.volumeAttributesClassName";
  if (absent(had) || name === had) return [];
  if (absent(name)) return [forbiddenField(path, "update from non-nil value to nil is forbidden")];
  return name === "" ? [forbiddenField(path, "update from non-nil value to an empty string is forbidden")] : [];
}

const RESIZE_STATES = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
];

/** Validates the status of a claim, which volume controllers write. */
export function validatePersistentVolumeClaimStatusUpdate(claim: ReceivedObject<PersistentVolumeClaim>): FieldError[] {
  const status = object(claim.status);
  const errors = Object.entries(object(status.capacity)).flatMap(([name, amount]) =>
    volumeCapacity(amount, `status.capacity[${name}]`),
  );
  const states = "status.allocatedResourceStatus";
  for (const [name, state] of Object.entries(object(status.allocatedResourceStatuses))) {
    append(errors, validateKey(name, states));
    if (!RESIZE_STATES.includes(text(state))) errors.push(notSupported(states, name, RESIZE_STATES));
  }
  for (const [name, amount] of Object.entries(object(status.allocatedResources))) {
    const wrong = validateKey(name, "status.allocatedResources");
    const at = `status.allocatedResources[${name}]`;
    const sized = wrong.length > 0 ? wrong : volumeCapacity(amount, at);
    append(errors, sized.length > 0 ? sized : nonNegativeQuantity(amount, at));
  }
  append(errors, validateDeclared(claimHealthRules, status, undefined, "status", { isUpdate: false }));
  return errors;
}

function validateKey(name: string, path: string): FieldError[] {
  const errors = qualifiedNameErrors(name).map((message) => invalidValue(path, name, message));
  if (errors.length > 0 || !isNative(name) || name === "storage") return errors;
  return [notSupported(path, name, ["storage"])];
}

export function persistentVolumeClaimWarnings(claim: ReceivedObject<PersistentVolumeClaim>): string[] {
  const storage = object(object(object(claim.spec).resources).requests).storage;
  const parsed = quantity(storage);
  const warnings = classAnnotationWarnings(claim);
  if (parsed === undefined || quantityValue(parsed, -3) % 1000n === 0n) return warnings;
  const path = "spec.resources.requests[storage]";
  return [...warnings, `${path}: fractional byte value "${String(storage)}" is invalid, must be an integer`];
}
