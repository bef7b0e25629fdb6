import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { validateLabelName } from "../../../machinery/validation/labels.js";
import { dns1123LabelErrors, dns1123SubdomainErrors, labelValueErrors } from "../../../machinery/validation/names.js";
import type {
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCounterConsumption,
  DeviceTaint,
  ResourcePool,
  ResourceSlice,
  ResourceSliceSpec,
} from "../../types/resource/v1.js";
import { validateNodeSelector } from "../pod/node-selector.js";
import { immutable, named } from "../rules.js";
import { validateCsiDriverName } from "../volumes/volume-sources.js";
import { qualifiedAttribute, validateSet } from "./device-claim.js";
import { validatePoolName } from "./device-references.js";
import { validateBindingConditions } from "./resource-claim-status.js";

const MAX_DEVICES = 128;
/** Of slices with taints or counters. */
const MAX_ADVANCED_DEVICES = 64;
const MAX_ATTRIBUTES = 32;
const MAX_VALUE_BYTES = 64;
const MAX_COUNTER_SETS = 8;
const MAX_COUNTERS = 32;
const MAX_TAINTS = 16;

export function validateResourceSlice(slice: ReceivedObject<ResourceSlice>): FieldError[] {
  return validateSpec(object(slice.spec), []);
}

/** Validates an update of a slice: its pool, driver and node may not change. */
export function validateResourceSliceUpdate(
  slice: ReceivedObject<ResourceSlice>,
  old: ReceivedObject<ResourceSlice>,
): FieldError[] {
  const [spec, before] = [object(slice.spec), object(old.spec)];
  return validateSpec(spec, [
    ...immutable(object(spec.pool).name, object(before.pool).name, "spec.pool.name"),
    ...immutable(spec.driver, before.driver, "spec.driver"),
    ...immutable(spec.nodeName, before.nodeName, "spec.nodeName"),
  ]);
}

function validateSpec(spec: Received<ResourceSliceSpec>, changes: readonly FieldError[]): FieldError[] {
  const errors: FieldError[] = [];
  validateCsiDriverName(text(spec.driver), "spec.driver", errors);
  append(errors, validatePool(object(spec.pool)), changes, validateNodes(spec));
  if (Array.isArray(spec.sharedCounters) && Array.isArray(spec.devices)) {
    errors.push(invalidValue("spec", "", "only one of `sharedCounters` or `devices` is allowed"));
  }
  const devices = objects(spec.devices);
  const advanced = devices.some(
    ({ taints, consumesCounters }) => list(taints).length > 0 || list(consumesCounters).length > 0,
  );
  const perDevice = spec.perDeviceNodeSelection === true;
  const nameOf = ({ name }: Received<Device | CounterSet>) => text(name);
  return [
    ...errors,
    ...validateSet(
      devices,
      advanced ? MAX_ADVANCED_DEVICES : MAX_DEVICES,
      "spec.devices",
      (device, path) => validateDevice(device, path, perDevice),
      nameOf,
    ),
    ...validateSet(objects(spec.sharedCounters), MAX_COUNTER_SETS, "spec.sharedCounters", validateCounterSet, nameOf),
  ];
}

function validatePool(pool: Received<ResourcePool>): FieldError[] {
  const [count, generation] = [number(pool.resourceSliceCount), number(pool.generation)];
  const errors = validatePoolName(text(pool.name), "spec.pool.name");
  if (count <= 0) errors.push(invalidValue("spec.pool.resourceSliceCount", count, "must be greater than zero"));
  if (generation < 0) {
    errors.push(invalidValue("spec.pool.generation", generation, "must be greater than or equal to zero"));
  }
  return errors;
}

const ONE = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
const UNSET_OR_TRUE = "must be either unset or set to true";

function validateNodes(spec: Received<ResourceSliceSpec>): FieldError[] {
  const { nodeName, nodeSelector } = spec;
  const errors: FieldError[] = [];
  const used: string[] = [];
  if (!absent(nodeName)) {
    if (nodeName === "") {
      errors.push(invalidValue("spec.nodeName", "", "must be either unset or set to a non-empty string"));
    } else {
      used.push("`nodeName`");
      append(errors, named(text(nodeName), "spec.nodeName", dns1123SubdomainErrors));
    }
  }
  if (isStruct(nodeSelector)) {
    used.push("`nodeSelector`");
    append(errors, validateNodeSelector(nodeSelector, "spec.nodeSelector", false));
    const terms = list(nodeSelector.nodeSelectorTerms);
    if (terms.length !== 1) {
      const path = "spec.nodeSelector.nodeSelectorTerms";
      errors.push(
        invalidValue(path, nodeSelector.nodeSelectorTerms ?? null, "must have exactly one node selector term"),
      );
    }
  }
  for (const field of ["allNodes", "perDeviceNodeSelection"] as const) {
    if (spec[field] === true) used.push(`\`${field}\``);
    else if (!absent(spec[field])) errors.push(invalidValue(`spec.${field}`, false, UNSET_OR_TRUE));
  }
  if (used.length === 0) errors.push(required("spec", ONE));
  if (used.length > 1) {
    errors.push(invalidValue("spec", `{${used.join(", ")}}`, `${ONE}, but multiple fields are set`));
  }
  return errors;
}

function validateDevice(device: Received<Device>, path: string, perDevice: boolean): FieldError[] {
  const [attributes, capacity] = [object(device.attributes), object(device.capacity)];
  const errors = named(text(device.name), `${path}.name`, dns1123LabelErrors);
  const count = Object.keys(attributes).length + Object.keys(capacity).length;
  if (count > MAX_ATTRIBUTES) {
    const detail = `the total number of attributes and capacities must not exceed ${MAX_ATTRIBUTES}`;
    errors.push(invalidValue(path, count, detail));
  }
  for (const [name, value] of Object.entries(attributes)) {
    const at = `${path}.attributes[${name}]`;
    append(errors, qualifiedAttribute(name, at), validateAttribute(object(value), at));
  }
  for (const [name, value] of Object.entries(capacity)) {
    const at = `${path}.capacity[${name}]`;
    append(errors, qualifiedAttribute(name, at));
    if (device.allowMultipleAllocations !== true && isStruct(object(value).requestPolicy)) {
      errors.push(forbiddenField(`${at}.requestPolicy`, "allowMultipleAllocations must be true"));
    }
  }
  const counterSetOf = ({ counterSet }: Received<DeviceCounterConsumption>) => text(counterSet);
  return [
    ...errors,
    ...validateSet(objects(device.taints), MAX_TAINTS, `${path}.taints`, validateTaint),
    ...validateSet(
      objects(device.consumesCounters),
      2,
      `${path}.consumesCounters`,
      (use, at) => validateCounters(use.counterSet, "counterSet", use.counters, at),
      counterSetOf,
    ),
    ...validateDeviceNodes(device, path, perDevice),
    ...validateBindingConditions(device, path),
  ];
}

const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

function validateAttribute(attribute: Received<DeviceAttribute>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { string: plain, version } = attribute;
  if (Buffer.byteLength(text(plain)) > MAX_VALUE_BYTES) errors.push(tooLong(`${path}.string`, MAX_VALUE_BYTES));
  if (!absent(version)) {
    if (!VERSION.test(text(version))) {
      const detail = "must be a string compatible with semver.org spec 2.0.0";
      errors.push(invalidValue(`${path}.version`, version, detail));
    }
    if (Buffer.byteLength(text(version)) > MAX_VALUE_BYTES) errors.push(tooLong(`${path}.version`, MAX_VALUE_BYTES));
  }
  const values = (["int", "bool", "string", "version"] as const).filter((field) => !absent(attribute[field]));
  if (values.length === 1) return errors;
  const shown = values.length === 0 ? "" : attribute;
  return [...errors, invalidValue(path, shown, "exactly one value must be specified")];
}

const EFFECTS = ["NoExecute", "NoSchedule", "None"];

function validateTaint(taint: Received<DeviceTaint>, path: string): FieldError[] {
  const effect = text(taint.effect);
  const errors = [
    ...validateLabelName(text(taint.key), `${path}.key`),
    ...(text(taint.value) === "" ? [] : named(text(taint.value), `${path}.value`, labelValueErrors)),
  ];
  if (effect === "") return [...errors, required(`${path}.effect`)];
  return EFFECTS.includes(effect) ? errors : [...errors, notSupported(`${path}.effect`, effect, EFFECTS)];
}

const validateCounterSet = (set: Received<CounterSet>, path: string) =>
  validateCounters(set.name, "name", set.counters, path);

/** Counters of the set whose name stands in `field`. */
function validateCounters(
  setName: string | null | undefined,
  field: "name" | "counterSet",
  counters: Received<CounterSet>["counters"],
  path: string,
): FieldError[] {
  const name = text(setName);
  const names = Object.keys(object(counters));
  const errors = name === "" ? [required(`${path}.${field}`)] : named(name, `${path}.${field}`, dns1123LabelErrors);
  if (names.length === 0) return [...errors, required(`${path}.counters`)];
  const keys = validateSet(names, MAX_COUNTERS, `${path}.counters`, () => []);
  return [
    ...errors,
    ...keys,
    ...(keys.length > 0 ? [] : names.flatMap((key) => named(key, `${path}.counters`, dns1123LabelErrors))),
  ];
}

const ONE_OF_DEVICE =
  "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

function validateDeviceNodes(device: Received<Device>, path: string, perDevice: boolean): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!perDevice) {
    if (absent(nodeName) && absent(nodeSelector) && absent(allNodes)) return [];
    const detail =
      "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    return [invalidValue(path, null, detail)];
  }
  const errors: FieldError[] = [];
  const used: string[] = [];
  if (nodeName === "") errors.push(invalidValue(`${path}.nodeName`, "", "must not be empty"));
  else if (!absent(nodeName)) {
    used.push("`nodeName`");
    append(errors, named(text(nodeName), `${path}.nodeName`, dns1123SubdomainErrors));
  }
  if (isStruct(nodeSelector)) {
    used.push("`nodeSelector`");
    append(errors, validateNodeSelector(nodeSelector, `${path}.nodeSelector`, false));
  }
  if (allNodes === true) used.push("`allNodes`");
  else if (!absent(allNodes)) errors.push(invalidValue(`${path}.allNodes`, false, UNSET_OR_TRUE));
  if (used.length === 0) errors.push(required(path, ONE_OF_DEVICE));
  if (used.length > 1) errors.push(invalidValue(path, `{${used.join(", ")}}`, ONE_OF_DEVICE));
  return errors;
}
