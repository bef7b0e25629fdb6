import { append } from "../../base/collections/append.js";
import { duplicate, type FieldError, notSupported, required, tooMany } from "../../machinery/errors/field-error.js";
import {
  absent,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { parseIp } from "../../machinery/validation/ip.js";
import { validateLabels } from "../../machinery/validation/labels.js";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  fullyQualifiedDomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from "../../machinery/validation/names.js";
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from "../types/discovery/v1.js";
import { immutable, named, oneOf, repeatedAt } from "./rules.js";
import { ipWarnings, legacyIp, nonSpecialIp } from "./service/ip-fields.js";
import { portNumber, PROTOCOLS } from "./service/service.js";

const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];
/** One that no new slice may have. */
const OLD_ADDRESS_TYPES = ["FQDN", "IP", "IPv4", "IPv6"];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20000;
const MAX_LABELS = 16;
const MAX_HINTS = 8;

export function validateEndpointSlice(slice: ReceivedObject<EndpointSlice>): FieldError[] {
  return validateSlice(slice, ADDRESS_TYPES, {});
}

/** Validates an update of a slice: its address type may not change; addresses that it had before are accepted. */
export function validateEndpointSliceUpdate(
  slice: ReceivedObject<EndpointSlice>,
  old: ReceivedObject<EndpointSlice>,
): FieldError[] {
  return [
    ...validateSlice(slice, OLD_ADDRESS_TYPES, old),
    ...immutable(slice.addressType, old.addressType, "addressType"),
  ];
}

function validateSlice(
  slice: ReceivedObject<EndpointSlice>,
  types: readonly string[],
  old: ReceivedObject<EndpointSlice>,
): FieldError[] {
  const type = text(slice.addressType);
  const errors = type === "" ? [required("addressType")] : oneOf(type, "addressType", types);
  return [
    ...errors,
    ...validateSliceEndpoints(objects(slice.endpoints), type, objects(old.endpoints)),
    ...validateSlicePorts(objects(slice.ports)),
  ];
}

function validateSliceEndpoints(
  endpoints: readonly Received<Endpoint>[],
  type: string,
  old: readonly Received<Endpoint>[],
): FieldError[] {
  if (endpoints.length > MAX_ENDPOINTS) return [tooMany("endpoints", endpoints.length, MAX_ENDPOINTS)];
  const kept = new Set(old.flatMap(({ addresses }) => list(addresses).map(text)));
  return endpoints.flatMap((endpoint, index) => validateEndpoint(endpoint, type, `endpoints[${index}]`, kept));
}

function validateEndpoint(
  endpoint: Received<Endpoint>,
  type: string,
  path: string,
  kept: ReadonlySet<string>,
): FieldError[] {
  const addresses = list(endpoint.addresses).map(text);
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(`${path}.addresses`, "must contain at least 1 address"));
  if (addresses.length > MAX_ADDRESSES) errors.push(tooMany(`${path}.addresses`, addresses.length, MAX_ADDRESSES));
  for (const [index, address] of addresses.entries()) {
    append(errors, validateSliceAddress(address, type, `${path}.addresses[${index}]`, kept));
  }
  if (!absent(endpoint.nodeName)) {
    append(errors, named(text(endpoint.nodeName), `${path}.nodeName`, dns1123SubdomainErrors));
  }
  append(errors, validateTopology(object(endpoint.deprecatedTopology), `${path}.deprecatedTopology`));
  if (!absent(endpoint.hostname)) {
    append(errors, named(text(endpoint.hostname), `${path}.hostname`, dns1123LabelErrors));
  }
  return [...errors, ...validateHints(object(endpoint.hints), `${path}.hints`)];
}

function validateSliceAddress(value: string, type: string, path: string, kept: ReadonlySet<string>): FieldError[] {
  switch (type) {
    case "IP":
      return legacyIp(value, path, kept);
    case "IPv4":
    case "IPv6": {
      const errors = kept.has(value) ? [] : named(value, path, ipFamilyErrors(type));
      return [...errors, ...nonSpecialIp(value, path)];
    }
    case "FQDN":
      return fullyQualifiedDomainErrors(value, path);
    default:
      return [];
  }
}

const ipFamilyErrors = (type: string) => (value: string) => {
  const address = parseIp(value);
  const wanted = type === "IPv4" ? 4 : 16;
  if (address !== undefined && address.bytes.length === wanted && !address.mapped) {
    return address.leadingZeros ? ["must not have leading 0s"] : [];
  }
  return [`must be a valid ${type} address`];
};

function validateTopology(topology: Received<Record<string, string>>, path: string): FieldError[] {
  const count = Object.keys(topology).length;
  return [...(count > MAX_LABELS ? [tooMany(path, count, MAX_LABELS)] : []), ...validateLabels(topology, path)];
}

function validateHints(hints: Received<EndpointHints>, path: string): FieldError[] {
  return (["forZones", "forNodes"] as const).flatMap((field) => {
    const names = objects(hints[field]).map(({ name }) => text(name));
    const at = `${path}.${field}`;
    if (names.length > MAX_HINTS) return [tooMany(at, names.length, MAX_HINTS)];
    const again = repeatedAt(names);
    return names.flatMap((name, index) => {
      const rule = field === "forZones" ? labelValueErrors : dns1123SubdomainErrors;
      const twice = again.has(index) ? [duplicate(`${at}[${index}].name`, name)] : [];
      return [...twice, ...named(name, `${at}[${index}].name`, rule)];
    });
  });
}

function validateSlicePorts(ports: readonly Received<EndpointPort>[]): FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany("ports", ports.length, MAX_PORTS)];
  const names = ports.map(({ name }) => text(name));
  const again = repeatedAt(names);
  return ports.flatMap((port, index) => {
    const path = `ports[${index}]`;
    const name = names[index] ?? "";
    const errors = name === "" ? [] : named(name, `${path}.name`, dns1123LabelErrors);
    if (again.has(index)) errors.push(duplicate(`${path}.name`, name));
    if (!absent(port.port)) append(errors, portNumber(port.port, `${path}.port`));
    if (absent(port.protocol)) errors.push(required(`${path}.protocol`));
    else if (!PROTOCOLS.includes(text(port.protocol))) {
      errors.push(notSupported(`${path}.protocol`, port.protocol, PROTOCOLS));
    }
    if (absent(port.appProtocol)) return errors;
    return [...errors, ...named(text(port.appProtocol), `${path}.appProtocol`, qualifiedNameErrors)];
  });
}

/** Returns the warnings about addresses that are not canonical, and about a deprecated address type. */
export function endpointSliceWarnings(slice: ReceivedObject<EndpointSlice>): string[] {
  const type = text(slice.addressType);
  if (type === "FQDN") return ["spec.addressType: FQDN endpoints are deprecated"];
  if (type !== "IPv4" && type !== "IPv6") return [];
  return objects(slice.endpoints).flatMap(({ addresses }, index) =>
    list(addresses).flatMap((address, at) => ipWarnings(text(address), `endpoints[${index}].addresses[${at}]`)),
  );
}
