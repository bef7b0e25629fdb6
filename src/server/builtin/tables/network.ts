import { list, number, object, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { age, labelsCell, listWithMore, name, orNone, selectorCell } from "./cells.js";
import { columns } from "./columns.js";

export const serviceColumns = columns(
  ["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age", "Selector:string:1"],
  (service, now) => {
    const spec = object(service.spec);
    return [
      name(service),
      text(spec.type),
      list(spec.clusterIPs).length > 0 ? text(list(spec.clusterIPs)[0]) : "<none>",
      externalIp(spec, object(service.status)),
      orNone(objects(spec.ports).map(portCell).join(",")),
      age(service, now),
      labelsCell(spec.selector),
    ];
  },
);

export const ingressColumns = columns(["Name", "Class", "Hosts", "Address", "Ports", "Age"], (ingress, now) => {
  const spec = object(ingress.spec);
  return [
    name(ingress),
    spec.ingressClassName === undefined ? "<none>" : text(spec.ingressClassName),
    hostsCell(objects(spec.rules)),
    loadBalancerCell(object(ingress.status)),
    list(spec.tls).length > 0 ? "80, 443" : "80",
    age(ingress, now),
  ];
});

export const ingressClassColumns = columns(["Name", "Controller", "Parameters", "Age"], (ingressClass, now) => {
  const spec = object(ingressClass.spec);
  return [name(ingressClass), text(spec.controller), parametersCell(spec.parameters), age(ingressClass, now)];
});

export const networkPolicyColumns = columns(["Name", "Pod-Selector", "Age"], (policy, now) => [
  name(policy),
  selectorCell(object(policy.spec).podSelector ?? {}),
  age(policy, now),
]);

export const endpointsColumns = columns(["Name", "Endpoints", "Age"], (endpoints, now) => [
  name(endpoints),
  endpointsCell(objects(endpoints.subsets)),
  age(endpoints, now),
]);

export const endpointSliceColumns = columns(["Name", "AddressType", "Ports", "Endpoints", "Age"], (slice, now) => {
  const ports = objects(slice.ports).map((port) =>
    port.port === undefined ? text(port.name) || "*" : String(number(port.port)),
  );
  const addresses = objects(slice.endpoints).flatMap((endpoint) => list(endpoint.addresses).map(text));
  return [
    name(slice),
    text(slice.addressType),
    orUnset(listWithMore(ports, 3)),
    orUnset(listWithMore(addresses, 3)),
    age(slice, now),
  ];
});

export const serviceCidrColumns = columns(["Name", "CIDRs", "Age"], (cidr, now) => [
  name(cidr),
  list(object(cidr.spec).cidrs).map(text).join(","),
  age(cidr, now),
]);

export const ipAddressColumns = columns(["Name", "ParentRef"], (address) => {
  const parent = object(address.spec).parentRef;
  return [name(address), parent === undefined ? "<none>" : parentCell(object(parent))];
});

function externalIp(spec: ReadonlyFields, status: ReadonlyFields): string {
  const external = list(spec.externalIPs).map(text);
  switch (spec.type) {
    case "ClusterIP":
    case "NodePort":
      return orNone(external.join(","));
    case "LoadBalancer": {
      const assigned = loadBalancerCell(status);
      const all = [...(assigned === "" ? [] : [assigned]), ...external];
      return all.length === 0 ? "<pending>" : all.join(",");
    }
    case "ExternalName":
      return text(spec.externalName);
    default:
      return "<unknown>";
  }
}

function loadBalancerCell(status: ReadonlyFields): string {
  const ingress = objects(object(status.loadBalancer).ingress);
  const addresses = ingress.map((point) => text(point.ip) || text(point.hostname)).filter((address) => address !== "");
  return [...new Set(addresses)].sort().join(",");
}

function portCell(port: ReadonlyFields): string {
  const nodePort = number(port.nodePort);
  return `${number(port.port)}${nodePort > 0 ? `:${nodePort}` : ""}/${text(port.protocol)}`;
}

/** Counts the rules beyond the third host, with or without a host, as Kubernetes does. */
function hostsCell(rules: readonly ReadonlyFields[]): string {
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (hosts.length === 3) more = true;
    const host = text(rule.host);
    if (!more && host !== "") hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return more ? `${hosts.join(",")} + ${rules.length - 3} more...` : hosts.join(",");
}

function parametersCell(parameters: unknown): string {
  if (parameters === undefined) return "<none>";
  const { kind, apiGroup, name: target } = object(parameters);
  return `${text(kind)}${apiGroup === undefined ? "" : `.${text(apiGroup)}`}/${text(target)}`;
}

function endpointsCell(subsets: readonly ReadonlyFields[]): string {
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap((subset) => {
    const addresses = objects(subset.addresses).map((address) => text(address.ip));
    const ports = objects(subset.ports);
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) => addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${number(port.port)}`));
  });
  return listWithMore(all, 3);
}

function parentCell(parent: ReadonlyFields): string {
  const group = text(parent.group);
  const resource = (group === "" ? text(parent.resource) : `${text(parent.resource)}.${group}`).toLowerCase();
  return [resource, text(parent.namespace), text(parent.name)].filter((part) => part !== "").join("/");
}

function orUnset(value: string): string {
  return value === "" ? "<unset>" : value;
}
