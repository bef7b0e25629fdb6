import type { Pod, Service } from "../../api/types/core/v1.js";
import type { Lister } from "../../client/informers/indexer.js";

type Variables = readonly (readonly [name: string, value: string])[];

/** The variables of one Service are the same for all containers. */
const known = new WeakMap<Service, Variables>();

/**
 * What a kubelet tells a pod's containers of Services: of "kubernetes", and of those of the pod's namespace unless enableServiceLinks is false.
 * As FOO_SERVICE_HOST and FOO_SERVICE_PORT, and in the older form of Docker's links, FOO_PORT_80_TCP_ADDR.
 */
export function serviceVariables(services: Pick<Lister<Service>, "namespace">, { metadata, spec }: Pod): Variables {
  const kubernetes = services.namespace("default").get("kubernetes");
  const own = spec?.enableServiceLinks === false ? [] : services.namespace(metadata?.namespace ?? "").list();
  const linked = own.filter((service) => service !== kubernetes);
  return [...(kubernetes === undefined ? [] : [kubernetes]), ...linked].flatMap(variablesOf);
}

function variablesOf(service: Service): Variables {
  const variables = known.get(service) ?? [...make(service)];
  known.set(service, variables);
  return variables;
}

function* make({ metadata, spec }: Service): Generator<readonly [string, string], void> {
  const { clusterIP = "", ports = [] } = spec ?? {};
  const [first] = ports;
  if (clusterIP === "" || clusterIP === "None" || first === undefined) return;
  const prefix = variableName(metadata?.name ?? "");
  yield [`${prefix}_SERVICE_HOST`, clusterIP];
  yield [`${prefix}_SERVICE_PORT`, String(first.port)];
  for (const { name, port } of ports)
    if (name !== undefined) yield [`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port)];
  const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP;
  for (const [index, { port, protocol = "TCP" }] of ports.entries()) {
    const url = `${protocol.toLowerCase()}://${host}:${port}`;
    if (index === 0) yield [`${prefix}_PORT`, url];
    const link = `${prefix}_PORT_${port}_${protocol}`;
    yield [link, url];
    yield [`${link}_PROTO`, protocol.toLowerCase()];
    yield [`${link}_PORT`, String(port)];
    yield [`${link}_ADDR`, clusterIP];
  }
}

const variableName = (name: string): string => name.toUpperCase().replaceAll("-", "_");
