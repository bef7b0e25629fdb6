import {
  duplicate,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { interfaceAddressErrors } from "../../../machinery/validation/ip.js";
import { validateLabelName } from "../../../machinery/validation/labels.js";
import { dns1123LabelErrors } from "../../../machinery/validation/names.js";
import type {
  AllocatedDeviceStatus,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimStatus,
} from "../../types/resource/v1.js";
import { validateConditions } from "../conditions.js";
import { validateNodeSelector } from "../pod/node-selector.js";
import { immutable, named, repeatedAt } from "../rules.js";
import { validateCsiDriverName } from "../volumes/volume-sources.js";
import {
  requestNames,
  type RequestNames,
  validateConfiguration,
  validateParameters,
  validateReference,
  validateReferences,
  validateSet,
  validateToleration,
} from "./device-claim.js";
import { validatePoolName, validateShareId } from "./device-references.js";
import { resultRuleErrors } from "./device-rules.js";

const MAX_CONSUMERS = 256;
const MAX_RESULTS = 32;
/** Of the classes and of the claim. */
const MAX_CONFIGURATIONS = 64;
const MAX_BINDING_CONDITIONS = 4;
const MAX_CONDITIONS = 8;
const MAX_DATA_BYTES = 10 * 1024;
const MAX_INTERFACE_BYTES = 256;
const MAX_HARDWARE_ADDRESS_BYTES = 128;
const MAX_ADDRESSES = 16;

/** Validates a change of a claim's status: consumers (reservedFor), allocation and devices that drivers report. */
export function validateResourceClaimStatusUpdate(
  claim: ReceivedObject<ResourceClaim>,
  old: ReceivedObject<ResourceClaim>,
): FieldError[] {
  const [status, oldStatus] = [object(claim.status), object(old.status)];
  const names = requestNames(object(object(claim.spec).devices));
  const given = new Set(results(status).map(deviceOf));
  return [
    ...validateSet(objects(status.reservedFor), MAX_CONSUMERS, "status.reservedFor", validateConsumer, uidOf),
    ...validateSet(
      objects(status.devices),
      Number.POSITIVE_INFINITY,
      "status.devices",
      (device, path) => validateDevice(device, path, given),
      deviceOf,
    ),
    ...validateReservations(status, oldStatus, claim.metadata?.deletionTimestamp !== undefined),
    ...validateAllocation(status.allocation, oldStatus.allocation, names),
  ];
}

const results = (status: Received<ResourceClaimStatus>): readonly Received<DeviceRequestAllocationResult>[] =>
  objects(object(object(status.allocation).devices).results);

const uidOf = ({ uid }: Received<ResourceClaimConsumerReference>): string => text(uid);

type GivenDevice = AllocatedDeviceStatus | DeviceRequestAllocationResult;

/** As kube-apiserver shows a device, or the share of one. */
const deviceOf = ({ driver, pool, device, shareID }: Received<GivenDevice>): string =>
  [driver, pool, device, ...(absent(shareID) ? [] : [shareID])].map((part) => text(part)).join("/");

function validateConsumer(consumer: Received<ResourceClaimConsumerReference>, path: string): FieldError[] {
  return (["resource", "name", "uid"] as const)
    .filter((field) => text(consumer[field]) === "")
    .map((field) => required(`${path}.${field}`));
}

function validateReservations(
  status: Received<ResourceClaimStatus>,
  old: Received<ResourceClaimStatus>,
  isDeleted: boolean,
): FieldError[] {
  const consumers = objects(status.reservedFor);
  if (consumers.length === 0) return [];
  if (!isStruct(status.allocation)) {
    return [forbiddenField("status.reservedFor", "may not be specified when `allocated` is not set")];
  }
  const before = new Set(objects(old.reservedFor).map(consumerText));
  if (!isDeleted || consumers.every((consumer) => before.has(consumerText(consumer)))) return [];
  const detail = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
  return [forbiddenField("status.reservedFor", detail)];
}

const consumerText = ({ apiGroup, resource, name, uid }: Received<ResourceClaimConsumerReference>): string =>
  [apiGroup, resource, name, uid].map((part) => text(part)).join(" ");

/** What was given is never changed, only taken back. */
function validateAllocation(
  allocation: Received<ResourceClaimStatus>["allocation"],
  old: Received<ResourceClaimStatus>["allocation"],
  names: RequestNames,
): FieldError[] {
  const path = "status.allocation";
  if (!isStruct(allocation)) return [];
  if (isStruct(old)) return immutable(allocation, old, path);
  const { devices, nodeSelector } = allocation;
  const { results: given, config } = object(devices);
  return [
    ...validateSet(objects(given), MAX_RESULTS, `${path}.devices.results`, (result, at) =>
      validateResult(result, at, names),
    ),
    ...validateSet(objects(config), MAX_CONFIGURATIONS, `${path}.devices.config`, (one, at) => [
      ...validateSource(text(one.source), `${at}.source`),
      ...validateReferences(one.requests, `${at}.requests`, names),
      ...validateConfiguration(one, at),
    ]),
    ...(isStruct(nodeSelector) ? validateNodeSelector(nodeSelector, `${path}.nodeSelector`, false) : []),
  ];
}

const SOURCES = ["FromClaim", "FromClass"];

function validateSource(source: string, path: string): FieldError[] {
  if (source === "") return [required(path)];
  return SOURCES.includes(source) ? [] : [notSupported(path, source, SOURCES)];
}

function validateResult(
  result: Received<DeviceRequestAllocationResult>,
  path: string,
  names: RequestNames,
): FieldError[] {
  return [
    ...validateReference(text(result.request), `${path}.request`, names),
    ...validateIdentity(result, path),
    ...validateBindingConditions(result, path),
    ...objects(result.tolerations).flatMap((toleration, index) =>
      validateToleration(toleration, `${path}.tolerations[${index}]`),
    ),
    ...(absent(result.shareID) ? [] : validateShareId(text(result.shareID), `${path}.shareID`)),
    ...resultRuleErrors(result, path),
  ];
}

function validateIdentity({ driver, pool, device }: Received<GivenDevice>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  validateCsiDriverName(text(driver), `${path}.driver`, errors);
  return [
    ...errors,
    ...validatePoolName(text(pool), `${path}.pool`),
    ...named(text(device), `${path}.device`, dns1123LabelErrors),
  ];
}

/** Checks the binding conditions of an allocated device: bindingConditions and bindingFailureConditions must both be set, or neither. */
export function validateBindingConditions(
  result: Received<Pick<DeviceRequestAllocationResult, "bindingConditions" | "bindingFailureConditions">>,
  path: string,
): FieldError[] {
  const [awaited, failing] = [
    list(result.bindingConditions).map(text),
    list(result.bindingFailureConditions).map(text),
  ];
  const [at, failingAt] = [`${path}.bindingConditions`, `${path}.bindingFailureConditions`];
  const errors = [...validateTypes(awaited, at), ...validateTypes(failing, failingAt), ...repeated(awaited, at)];
  const [again, isAwaited] = [repeatedAt(failing), new Set(awaited)];
  for (const [index, type] of failing.entries()) {
    const one = `${failingAt}[${index}]`;
    if (again.has(index)) errors.push(duplicate(one, type));
    if (isAwaited.has(type)) {
      errors.push(invalidValue(one, type, "bindingFailureConditions must not overlap with bindingConditions"));
    }
  }
  if (awaited.length === 0 && failing.length > 0) {
    errors.push(invalidValue(at, null, "bindingConditions are required to use bindingFailureConditions"));
  }
  if (failing.length === 0 && awaited.length > 0) {
    errors.push(invalidValue(failingAt, null, "bindingFailureConditions are required to use bindingConditions"));
  }
  return errors;
}

const validateTypes = (types: readonly string[], path: string): FieldError[] =>
  types.length > MAX_BINDING_CONDITIONS
    ? [tooMany(path, types.length, MAX_BINDING_CONDITIONS)]
    : types.flatMap((type, index) => validateLabelName(type, `${path}[${index}]`));

const repeated = (types: readonly string[], path: string): FieldError[] =>
  [...repeatedAt(types)].map((index) => duplicate(`${path}[${index}]`, types[index]));

function validateDevice(
  device: Received<AllocatedDeviceStatus>,
  path: string,
  given: ReadonlySet<string>,
): FieldError[] {
  const conditions = objects(device.conditions);
  const isGiven = given.has(deviceOf(device));
  return [
    ...validateIdentity(device, path),
    ...(absent(device.shareID) ? [] : validateShareId(text(device.shareID), `${path}.shareID`)),
    ...(isGiven ? [] : [invalidValue(path, deviceOf(device), "must be an allocated device in the claim")]),
    ...(conditions.length > MAX_CONDITIONS ? [tooMany(`${path}.conditions`, conditions.length, MAX_CONDITIONS)] : []),
    ...validateConditions(conditions, `${path}.conditions`),
    ...(absent(device.data) ? [] : validateParameters(device.data, `${path}.data`, MAX_DATA_BYTES)),
    ...validateNetwork(device.networkData, `${path}.networkData`),
  ];
}

function validateNetwork(data: Received<NetworkDeviceData> | null | undefined, path: string): FieldError[] {
  if (!isStruct(data)) return [];
  const longest = (field: "interfaceName" | "hardwareAddress", bytes: number) =>
    Buffer.byteLength(text(data[field])) > bytes ? [tooLong(`${path}.${field}`, bytes)] : [];
  return [
    ...longest("interfaceName", MAX_INTERFACE_BYTES),
    ...longest("hardwareAddress", MAX_HARDWARE_ADDRESS_BYTES),
    ...validateSet(
      list(data.ips).map(text),
      MAX_ADDRESSES,
      `${path}.ips`,
      (address, at) => named(address, at, interfaceAddressErrors),
      (address) => address,
    ),
  ];
}
