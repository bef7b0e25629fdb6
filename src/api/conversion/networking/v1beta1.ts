import type { VersionTable } from "../version-table.js";
import {
  child,
  children,
  type Fields,
  setDefault,
  number,
  object,
  type ReadonlyFields,
  text,
} from "../../../machinery/meta/access.js";
import type { Conversion } from "../../../machinery/scheme/scheme.js";
import { withChild, withChildren } from "../copies.js";

/** Converts Ingresses of extensions/v1beta1 and networking.k8s.io/v1beta1 to networking.k8s.io/v1. */
export const ingressV1beta1: Conversion = {
  toHub: (ingress) =>
    withChild(ingress, "spec", ({ backend, ...spec }) => ({
      ...withPathBackends(spec, backendToV1),
      ...(backend !== undefined && { defaultBackend: backend && backendToV1(object(backend)) }),
    })),
  fromHub: (ingress) =>
    withChild(ingress, "spec", ({ defaultBackend: backend, ...spec }) => ({
      ...withPathBackends(spec, backendFromV1),
      ...(backend !== undefined && { backend: backend && backendFromV1(object(backend)) }),
    })),
};

function withPathBackends(spec: ReadonlyFields, change: (backend: ReadonlyFields) => ReadonlyFields): ReadonlyFields {
  return withChildren(spec, "rules", (rule) =>
    withChild(rule, "http", (http) => withChildren(http, "paths", (path) => withChild(path, "backend", change))),
  );
}

/** A text is always a port's name, "80" too. There is a service when any part of one is stated; a port of 0 is not. */
function backendToV1({ serviceName, servicePort, ...backend }: ReadonlyFields): ReadonlyFields {
  const name = text(serviceName);
  if (name === "" && typeof servicePort !== "string" && number(servicePort) === 0) return backend;
  const portName = text(servicePort);
  const portNumber = number(servicePort);
  const port = { ...(portName !== "" && { name: portName }), ...(portNumber !== 0 && { number: portNumber }) };
  return { ...backend, service: { name, port } };
}

/** A service without a port has port 0; one whose port has both forms keeps the name. */
function backendFromV1({ service, ...backend }: ReadonlyFields): ReadonlyFields {
  if (service === undefined || service === null) return backend;
  const { name, port } = object(service);
  const serviceName = text(name);
  const servicePort = text(object(port).name) || number(object(port).number);
  return { ...backend, ...(serviceName !== "" && { serviceName }), servicePort };
}

/** Converts networking.k8s.io/v1beta1. The scope of a class's parameters has a default in v1 only. */
export const NETWORKING: VersionTable = {
  "networking.k8s.io/v1beta1/Ingress": { conversion: ingressV1beta1, applyDefaults: defaultIngress },
  "networking.k8s.io/v1beta1/IngressClass": { applyDefaults: nothing },
};

function nothing(): void {}

/** Sets the defaults of Ingresses in extensions/v1beta1 and networking.k8s.io/v1beta1; networking.k8s.io/v1 requires the path type. */
export function defaultIngress(ingress: Fields): void {
  for (const rule of children(child(ingress, "spec") ?? {}, "rules")) {
    for (const path of children(child(rule, "http") ?? {}, "paths")) {
      setDefault(path, "pathType", "ImplementationSpecific");
    }
  }
}
