import type {
  IngressBackend,
  IngressLoadBalancerStatus,
  IngressServiceBackend,
  IngressTLS,
} from "../../api/types/networking/v1.js";
import { absent, isStruct, object, objects, type Received, text } from "../../machinery/meta/received.js";
import type { DescribeReader, Describer } from "./describer.js";
import type { DescriptionWriter } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { joined, order, whole } from "./go-fields.js";
import { describeAnnotations, describeLabels } from "./labels.js";
import { readyEndpoints, slicesOf } from "./ready-endpoints.js";

export const describeIngress: Describer = async (namespace, name, description, context) => {
  const ingress = await context.reader.get("networking.k8s.io/v1/Ingress", namespace, name);
  const events = await eventsOf(ingress, "Ingress", context);
  const metadata = object(ingress.metadata);
  const spec = object(ingress.spec);
  const home = metadata.namespace ?? "";
  description.write(0, `Name:\t${metadata.name ?? ""}\n`);
  describeLabels(description, "Labels", metadata.labels);
  description.write(0, `Namespace:\t${home}\n`);
  description.write(0, `Address:\t${addressesText(object(object(ingress.status).loadBalancer))}\n`);
  const { ingressClassName, defaultBackend } = spec;
  description.write(0, `Ingress Class:\t${absent(ingressClassName) ? "<none>" : text(ingressClassName)}\n`);
  const fallback = isStruct(defaultBackend) ? await backendText(defaultBackend, home, context.reader) : "<default>";
  description.write(0, `Default backend:\t${fallback}\n`);
  describeTls(description, objects(spec.tls));
  description.write(0, "Rules:\n  Host\tPath\tBackends\n");
  description.write(1, "----\t----\t--------\n");
  const rules = objects(spec.rules).filter(({ http }) => isStruct(http));
  for (const { host, http } of rules) {
    description.write(1, `${text(host) || "*"}\t\n`);
    for (const { path, backend } of objects(object(http).paths)) {
      // The space is kubectl's own.
      description.write(2, `\t${text(path)} \t${await backendText(object(backend), home, context.reader)}\n`);
    }
  }
  if (rules.length === 0) description.write(1, `*\t*\t${fallback}\n`);
  describeAnnotations(description, "Annotations", metadata.annotations);
  describeEvents(description, events, context);
};

/** Every address once, sorted; host names where there are no addresses. */
function addressesText({ ingress }: Received<IngressLoadBalancerStatus>): string {
  const points = objects(ingress).map(({ ip, hostname }) => text(ip) || text(hostname));
  return [...new Set(points.filter((point) => point !== ""))].sort(order).join(",");
}

function describeTls(description: DescriptionWriter, tls: readonly Received<IngressTLS>[]): void {
  if (tls.length > 0) description.write(0, "TLS:\n");
  for (const { secretName, hosts } of tls) {
    const how = text(secretName) === "" ? "SNI routes" : `${text(secretName)} terminates`;
    description.write(1, `${how} ${joined(hosts, ",")}\n`);
  }
}

/** "web:80 (10.0.0.1:8080)", or why its endpoints are not known; of another kind, what it is. Two requests for a service. */
async function backendText(
  backend: Received<IngressBackend>,
  namespace: string,
  reader: DescribeReader,
): Promise<string> {
  const { service, resource } = backend;
  if (isStruct(service)) {
    const { number, name } = object(service.port);
    const title = `${text(service.name)}:${whole(number) === "0" ? text(name) : whole(number)}`;
    const endpoints = await backendEndpoints(service, namespace, reader).catch(
      (error: Error) => `<error: ${error.message}>`,
    );
    return `${title} (${endpoints})`;
  }
  if (!isStruct(resource)) return "";
  const group = absent(resource.apiGroup) ? "<none>" : text(resource.apiGroup);
  return `APIGroup: ${group}, Kind: ${text(resource.kind)}, Name: ${text(resource.name)}`;
}

async function backendEndpoints(
  backend: Received<IngressServiceBackend>,
  namespace: string,
  reader: DescribeReader,
): Promise<string> {
  const name = text(backend.name);
  const slices = await slicesOf(reader, namespace, name);
  const { spec } = await reader.get("v1/Service", namespace, name);
  const wanted = object(backend.port);
  const ports = objects(object(spec).ports).filter(
    (port) =>
      (whole(wanted.number) !== "0" && whole(wanted.number) === whole(port.port)) ||
      (text(wanted.name) !== "" && text(wanted.name) === text(port.name)),
  );
  // Of several with that number, as of TCP and UDP, kubectl takes the last.
  return readyEndpoints(slices, text(ports.at(-1)?.name));
}
