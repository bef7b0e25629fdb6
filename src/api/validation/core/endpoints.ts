import { append } from "../../../base/collections/append.js";
import { type FieldError, required } from "../../../machinery/errors/field-error.js";
import { absent, objects, type Received, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../machinery/validation/names.js";
import type { EndpointAddress, EndpointPort, Endpoints, EndpointSubset } from "../../types/core/v1.js";
import { named, oneOf } from "../rules.js";
import { ipWarnings, legacyIp, nonSpecialIp } from "../service/ip-fields.js";
import { portNumber, PROTOCOLS } from "../service/service.js";

/** Validates Endpoints. Addresses that `old` has are accepted. */
export function validateEndpoints(
  endpoints: ReceivedObject<Endpoints>,
  old: ReceivedObject<Endpoints> = {},
): FieldError[] {
  const addresses = objects(old.subsets).flatMap(addressesOf);
  const kept = new Set(addresses.map(({ address }) => text(address.ip)));
  return objects(endpoints.subsets).flatMap((subset, index) => validateSubset(subset, `subsets[${index}]`, kept));
}

/** With the place of each address. */
const addressesOf = (subset: Received<EndpointSubset>) =>
  (["addresses", "notReadyAddresses"] as const).flatMap((field) =>
    objects(subset[field]).map((address, index) => ({ address, at: `${field}[${index}]` })),
  );

function validateSubset(subset: Received<EndpointSubset>, path: string, kept: ReadonlySet<string>): FieldError[] {
  const addresses = addressesOf(subset);
  const ports = objects(subset.ports);
  const errors = addresses.length === 0 ? [required(path, "must specify `addresses` or `notReadyAddresses`")] : [];
  return [
    ...errors,
    ...addresses.flatMap(({ address, at }) => validateAddress(address, `${path}.${at}`, kept)),
    ...ports.flatMap((port, index) => validatePort(port, `${path}.ports[${index}]`, ports.length > 1)),
  ];
}

function validateAddress(address: Received<EndpointAddress>, path: string, kept: ReadonlySet<string>): FieldError[] {
  const [ip, hostname] = [text(address.ip), text(address.hostname)];
  return [
    ...legacyIp(ip, `${path}.ip`, kept),
    ...(hostname === "" ? [] : named(hostname, `${path}.hostname`, dns1123LabelErrors)),
    ...(absent(address.nodeName) ? [] : named(text(address.nodeName), `${path}.nodeName`, dns1123SubdomainErrors)),
    ...nonSpecialIp(ip, `${path}.ip`),
  ];
}

function validatePort(port: Received<EndpointPort>, path: string, needsName: boolean): FieldError[] {
  const [name, protocol] = [text(port.name), text(port.protocol)];
  const errors: FieldError[] = [];
  if (name !== "") append(errors, named(name, `${path}.name`, dns1123LabelErrors));
  else if (needsName) errors.push(required(`${path}.name`));
  append(errors, portNumber(port.port, `${path}.port`));
  if (protocol === "") errors.push(required(`${path}.protocol`));
  else append(errors, oneOf(protocol, `${path}.protocol`, PROTOCOLS));
  if (absent(port.appProtocol)) return errors;
  return [...errors, ...named(text(port.appProtocol), `${path}.appProtocol`, qualifiedNameErrors)];
}

export function endpointsWarnings(endpoints: ReceivedObject<Endpoints>): string[] {
  return objects(endpoints.subsets).flatMap((subset, index) =>
    addressesOf(subset).flatMap(({ address, at }) => ipWarnings(text(address.ip), `subsets[${index}].${at}.ip`)),
  );
}
