import { append } from "../../../base/collections/append.js";
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
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { validateAnnotations, validateLabelName, validateLabels } from "../../../machinery/validation/labels.js";
import {
  cIdentifierErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
} from "../../../machinery/validation/names.js";
import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceClass,
  DeviceClassSpec,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimTemplate,
} from "../../types/resource/v1.js";
import { isExtendedResource } from "../resources.js";
import { IMMUTABLE, immutable, named, repeatedAt, sameValue } from "../rules.js";
import { validateCsiDriverName } from "../volumes/volume-sources.js";

const MAX_REQUESTS = 32;
const MAX_ALTERNATIVES = 8;
const MAX_SELECTORS = 32;
const MAX_EXPRESSION_BYTES = 10 * 1024;
const MAX_ID_BYTES = 32;
const MAX_PARAMETER_BYTES = 10 * 1024;

export function validateResourceClaim(claim: ReceivedObject<ResourceClaim>): FieldError[] {
  return validateDevices(object(object(claim.spec).devices), "spec.devices");
}

/** Validates an update of a ResourceClaim: its spec may not change. */
export function validateResourceClaimUpdate(
  claim: ReceivedObject<ResourceClaim>,
  old: ReceivedObject<ResourceClaim>,
): FieldError[] {
  return sameValue(claim.spec, old.spec) ? [] : [invalidValue("spec", claim.spec ?? null, IMMUTABLE)];
}

export function validateResourceClaimTemplate(template: ReceivedObject<ResourceClaimTemplate>): FieldError[] {
  const { metadata, spec } = object(template.spec);
  const { labels, annotations, ...others } = object(metadata);
  const path = "spec.metadata";
  return [
    ...validateAnnotations(annotations, `${path}.annotations`),
    ...validateLabels(labels, `${path}.labels`),
    ...Object.entries(others)
      .filter(([, value]) => !absent(value) && value !== "")
      .map(([field]) => forbiddenField(`${path}.${field}`, "cannot be set")),
    ...validateDevices(object(object(spec).devices), "spec.spec.devices"),
  ];
}

export function validateResourceClaimTemplateUpdate(
  template: ReceivedObject<ResourceClaimTemplate>,
  old: ReceivedObject<ResourceClaimTemplate>,
): FieldError[] {
  return immutable(template.spec, old.spec, "spec");
}

/** Problems of a list: too long, or those of its items, then repeated keys. */
function set<T>(
  items: readonly T[],
  max: number,
  path: string,
  validate: (item: T, path: string) => FieldError[],
  key?: (item: T) => string,
): FieldError[] {
  if (items.length > max) return [tooMany(path, items.length, max)];
  const errors = items.flatMap((item, index) => validate(item, `${path}[${index}]`));
  if (key === undefined) return errors;
  const keys = items.map(key);
  const again = repeatedAt(keys);
  const twice = keys.flatMap((one, index) => (again.has(index) ? [duplicate(`${path}[${index}]`, one)] : []));
  return [...errors, ...twice];
}

export { set as validateSet };

/** The names of a claim's requests, each with the names of its alternatives. */
export type RequestNames = ReadonlyMap<string, readonly string[]>;

export const requestNames = (devices: Received<DeviceClaim>): RequestNames =>
  new Map(
    objects(devices.requests).map(({ name, firstAvailable }) => [
      text(name),
      objects(firstAvailable).map((sub) => text(sub.name)),
    ]),
  );

function validateDevices(devices: Received<DeviceClaim>, path: string): FieldError[] {
  const requests = objects(devices.requests);
  const names = requestNames(devices);
  const nameOf = ({ name }: Received<DeviceRequest>) => text(name);
  return [
    ...set(requests, MAX_REQUESTS, `${path}.requests`, validateRequest, nameOf),
    ...set(objects(devices.constraints), MAX_REQUESTS, `${path}.constraints`, (constraint, at) =>
      validateConstraint(constraint, at, names),
    ),
    ...set(objects(devices.config), MAX_REQUESTS, `${path}.config`, (config, at) => [
      ...validateReferences(config.requests, `${at}.requests`, names),
      ...validateConfiguration(config, at),
    ]),
  ];
}

function validateRequest(request: Received<DeviceRequest>, path: string): FieldError[] {
  const errors = named(text(request.name), `${path}.name`, dns1123LabelErrors);
  const alternatives = objects(request.firstAvailable);
  const one = "exactly one of `exactly` or `firstAvailable` is required";
  if (isStruct(request.exactly)) {
    if (alternatives.length > 0) {
      return [...errors, invalidValue(path, null, `${one}, but multiple fields are set`)];
    }
    return [...errors, ...validateExactRequest(request.exactly, `${path}.exactly`)];
  }
  if (alternatives.length === 0) return [...errors, required(path, one)];
  const validate = (sub: Received<DeviceSubRequest>, at: string) => [
    ...named(text(sub.name), `${at}.name`, dns1123LabelErrors),
    ...validateExactRequest(sub, at),
  ];
  const nameOf = ({ name }: Received<DeviceSubRequest>) => text(name);
  return [...errors, ...set(alternatives, MAX_ALTERNATIVES, `${path}.firstAvailable`, validate, nameOf)];
}

function validateExactRequest(request: Received<ExactDeviceRequest | DeviceSubRequest>, path: string): FieldError[] {
  const name = text(request.deviceClassName);
  const at = `${path}.deviceClassName`;
  return [
    ...(name === "" ? [required(at)] : named(name, at, dns1123SubdomainErrors)),
    ...validateSelectors(request, path),
    ...validateAllocation(request, path),
    ...objects(request.tolerations).flatMap((toleration, index) =>
      validateToleration(toleration, `${path}.tolerations[${index}]`),
    ),
  ];
}

function validateSelectors(
  of: Received<ExactDeviceRequest | DeviceSubRequest | DeviceClassSpec>,
  path: string,
): FieldError[] {
  return set(objects(of.selectors), MAX_SELECTORS, `${path}.selectors`, ({ cel }, at) => {
    if (!isStruct(cel)) return [required(`${at}.cel`)];
    if (Buffer.byteLength(text(cel.expression)) <= MAX_EXPRESSION_BYTES) return [];
    return [tooLong(`${at}.cel.expression`, MAX_EXPRESSION_BYTES)];
  });
}

function validateAllocation(request: Received<ExactDeviceRequest | DeviceSubRequest>, path: string): FieldError[] {
  const count = number(request.count);
  const refuse = (detail: string) => [invalidValue(`${path}.count`, count, detail)];
  const mode: string = text(request.allocationMode);
  switch (mode) {
    case "All":
      return count === 0 ? [] : refuse("must not be specified when allocationMode is 'All'");
    case "ExactCount":
      return count > 0 ? [] : refuse("must be greater than zero");
    default:
      return [notSupported(`${path}.allocationMode`, mode, ["All", "ExactCount"])];
  }
}

const EFFECTS = ["NoExecute", "NoSchedule", "None"];

export function validateToleration(toleration: Received<DeviceToleration>, path: string): FieldError[] {
  const [key, operator, value] = [text(toleration.key), text(toleration.operator), text(toleration.value)];
  const errors = key === "" ? [] : validateLabelName(key, `${path}.key`);
  if (key === "" && operator !== "Exists") {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    errors.push(invalidValue(`${path}.operator`, operator, detail));
  }
  if (operator === "Exists") {
    if (value !== "") {
      errors.push(invalidValue(`${path}.value`, value, "must be empty when `operator` is `Exists`"));
    }
  } else if (operator === "Equal") append(errors, named(value, `${path}.value`, labelValueErrors));
  else if (operator === "") errors.push(required(`${path}.operator`));
  else errors.push(notSupported(`${path}.operator`, operator, ["Equal", "Exists"]));
  const effect = text(toleration.effect);
  return effect === "" || EFFECTS.includes(effect)
    ? errors
    : [...errors, notSupported(`${path}.effect`, effect, EFFECTS)];
}

function validateConstraint(constraint: Received<DeviceConstraint>, path: string, names: RequestNames): FieldError[] {
  const errors = validateReferences(constraint.requests, `${path}.requests`, names);
  const { matchAttribute: same, distinctAttribute: distinct } = constraint;
  if (!absent(same)) return [...errors, ...fullyQualified(text(same), `${path}.matchAttribute`)];
  if (!absent(distinct)) return [...errors, ...fullyQualified(text(distinct), `${path}.distinctAttribute`)];
  const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [...errors, required(path, detail)];
}

const NOT_A_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

export function validateReferences(
  requests: Received<string[]> | null | undefined,
  path: string,
  names: RequestNames,
): FieldError[] {
  const validate = (name: string, at: string) => validateReference(name, at, names);
  return set(list(requests).map(text), MAX_REQUESTS, path, validate, (name) => name);
}

/** Validates the name of a request, or of one of its alternatives after a slash. */
export function validateReference(name: string, path: string, names: RequestNames): FieldError[] {
  const segments = name.split("/");
  const [first = "", second] = segments;
  if (segments.length > 2) return [invalidValue(path, name, NOT_A_REQUEST)];
  const errors = segments.flatMap((segment) => named(segment, path, dns1123LabelErrors));
  const subs = names.get(first);
  if (subs !== undefined && (second === undefined || subs.includes(second))) return errors;
  return [...errors, invalidValue(path, name, NOT_A_REQUEST)];
}

export function validateConfiguration(config: Received<DeviceClaimConfiguration>, path: string): FieldError[] {
  if (!isStruct(config.opaque)) return [required(`${path}.opaque`)];
  const errors: FieldError[] = [];
  validateCsiDriverName(text(config.opaque.driver), `${path}.opaque.driver`, errors);
  return [...errors, ...validateParameters(config.opaque.parameters, `${path}.opaque.parameters`, MAX_PARAMETER_BYTES)];
}

/** Validates an object with any fields, whose size in bytes is limited. */
export function validateParameters(parameters: unknown, path: string, maxBytes: number): FieldError[] {
  if (absent(parameters)) return [required(path)];
  if (Buffer.byteLength(JSON.stringify(parameters)) > maxBytes) return [tooLong(path, maxBytes)];
  return isStruct(parameters) ? [] : [invalidValue(path, "<value omitted>", "must be a valid JSON object")];
}

/** Validates the name of an attribute or a capacity: an identifier, with or without a domain. */
export function qualifiedAttribute(name: string, path: string): FieldError[] {
  const parts = name.split("/");
  const [first = "", second] = parts;
  if (parts.length > 2) return [];
  if (second === undefined) return identifier(first, path);
  const errors: FieldError[] = [];
  if (first === "") errors.push(invalidValue(path, "", "the domain must not be empty"));
  else validateCsiDriverName(first, path, errors);
  if (second === "") return [...errors, invalidValue(path, "", "the name must not be empty")];
  return [...errors, ...identifier(second, path)];
}

function fullyQualified(name: string, path: string): FieldError[] {
  const errors = qualifiedAttribute(name, path);
  if (name.includes("/")) return errors;
  const detail = "a fully qualified name must be a domain and a name separated by a slash";
  return [...errors, invalidValue(path, name, detail)];
}

function identifier(id: string, path: string): FieldError[] {
  const errors = Buffer.byteLength(id) > MAX_ID_BYTES ? [tooLong(path, MAX_ID_BYTES)] : [];
  return [...errors, ...named(id, path, cIdentifierErrors)];
}

export function validateDeviceClass(deviceClass: ReceivedObject<DeviceClass>): FieldError[] {
  const spec = object(deviceClass.spec);
  const errors = [
    ...validateSelectors(spec, "spec"),
    ...set(objects(spec.config), MAX_REQUESTS, "spec.config", validateConfiguration),
  ];
  const name = spec.extendedResourceName;
  if (absent(name) || isExtendedResource(text(name))) return errors;
  return [...errors, invalidValue("spec.extendedResourceName", name, "must be a valid extended resource name")];
}
