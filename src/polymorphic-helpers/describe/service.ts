import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import type { LoadBalancerIngress, ServicePort, ServiceSpec, ServiceStatus } from "../../api/types/core/v1.js";
import {
  absent,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import type { Describer } from "./describer.js";
import type { DescriptionWriter } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { joined, scalar, texts, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName, formatLabels } from "./labels.js";
import { readyEndpoints, slicesOf } from "./ready-endpoints.js";

export const describeService: Describer = async (namespace, name, description, context) => {
  const service = await context.reader.get("v1/Service", namespace, name);
  const { name: own = "", namespace: home = "" } = service.metadata ?? {};
  // Where slices cannot be read, there are none.
  const slices = await slicesOf(context.reader, home, own).catch(() => []);
  const events = await eventsOf(service, "Service", context);
  const spec = object(service.spec);
  describeName(description, service);
  describeLabelsAndAnnotations(description, service);
  description.write(0, `Selector:\t${formatLabels(texts(spec.selector))}\n`);
  description.write(0, `Type:\t${text(spec.type)}\n`);
  describeAddresses(description, spec, object(service.status));
  for (const port of objects(spec.ports)) describePort(description, port, slices);
  describeTraffic(description, spec);
  describeEvents(description, events, context);
};

function describeAddresses(
  description: DescriptionWriter,
  spec: Received<ServiceSpec>,
  status: Received<ServiceStatus>,
): void {
  const { ipFamilyPolicy, externalIPs, loadBalancerIP, externalName } = spec;
  if (!absent(ipFamilyPolicy)) description.write(0, `IP Family Policy:\t${text(ipFamilyPolicy)}\n`);
  description.write(0, `IP Families:\t${joined(spec.ipFamilies, ",") || "<none>"}\n`);
  description.write(0, `IP:\t${text(spec.clusterIP)}\n`);
  description.write(0, `IPs:\t${joined(spec.clusterIPs, ",") || "<none>"}\n`);
  if (list(externalIPs).length > 0) description.write(0, `External IPs:\t${joined(externalIPs, ",")}\n`);
  if (text(loadBalancerIP) !== "") description.write(0, `Desired LoadBalancer IP:\t${text(loadBalancerIP)}\n`);
  if (text(externalName) !== "") description.write(0, `External Name:\t${text(externalName)}\n`);
  const points = objects(object(status.loadBalancer).ingress);
  if (points.length > 0) description.write(0, `LoadBalancer Ingress:\t${points.map(pointText).join(", ")}\n`);
}

/** "10.0.0.1 (VIP)", or a host name. */
function pointText({ ip, ipMode, hostname }: Received<LoadBalancerIngress>): string {
  if (text(ip) === "") return text(hostname);
  return absent(ipMode) ? text(ip) : `${text(ip)} (${text(ipMode)})`;
}

function describePort(
  description: DescriptionWriter,
  port: Received<ServicePort>,
  slices: readonly ReceivedObject<EndpointSlice>[],
): void {
  const [title, protocol] = [text(port.name) || "<unset>", text(port.protocol)];
  description.write(0, `Port:\t${title}\t${whole(port.port)}/${protocol}\n`);
  description.write(0, `TargetPort:\t${scalar(port.targetPort, "0")}/${protocol}\n`);
  if (!absent(port.appProtocol)) description.write(0, `AppProtocol:\t${text(port.appProtocol)}\n`);
  if (whole(port.nodePort) !== "0") description.write(0, `NodePort:\t${title}\t${whole(port.nodePort)}/${protocol}\n`);
  description.write(0, `Endpoints:\t${readyEndpoints(slices, text(port.name))}\n`);
}

function describeTraffic(description: DescriptionWriter, spec: Received<ServiceSpec>): void {
  const { externalTrafficPolicy, internalTrafficPolicy, healthCheckNodePort, trafficDistribution } = spec;
  description.write(0, `Session Affinity:\t${text(spec.sessionAffinity)}\n`);
  if (text(externalTrafficPolicy) !== "") {
    description.write(0, `External Traffic Policy:\t${text(externalTrafficPolicy)}\n`);
  }
  if (!absent(internalTrafficPolicy)) {
    description.write(0, `Internal Traffic Policy:\t${text(internalTrafficPolicy)}\n`);
  }
  if (whole(healthCheckNodePort) !== "0")
    description.write(0, `HealthCheck NodePort:\t${whole(healthCheckNodePort)}\n`);
  const ranges = joined(spec.loadBalancerSourceRanges, ",");
  if (ranges !== "") description.write(0, `LoadBalancer Source Ranges:\t${ranges}\n`);
  if (!absent(trafficDistribution)) description.write(0, `Traffic Distribution:\t${text(trafficDistribution)}\n`);
}
