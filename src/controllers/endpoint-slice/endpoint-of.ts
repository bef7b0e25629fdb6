import type { Node, Pod, Service } from "../../api/types/core/v1.js";
import type { AddressType, Endpoint, EndpointPort } from "../../api/types/discovery/v1.js";
import { isReady } from "../owned-pods/pod-state.js";
import { addressesOf, hostName, targetPort } from "../service-endpoints/service-pods.js";

const ZONE = "topology.kubernetes.io/zone";

/** The endpoint that a pod is for a service; undefined when it has no address of that type. */
export function endpointOf(
  pod: Pod,
  node: Node | undefined,
  service: Service,
  addressType: AddressType,
): Endpoint | undefined {
  const addresses = addressesOf(pod).filter((ip) => ip.includes(":") === (addressType === "IPv6"));
  if (addresses.length === 0) return undefined;
  const serving = isReady(pod);
  const terminating = pod.metadata?.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const { nodeName = "" } = pod.spec ?? {};
  const zone = node?.metadata?.labels?.[ZONE] ?? "";
  const hostname = hostName(pod, service);
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname !== undefined && { hostname }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(nodeName !== "" && { nodeName }),
    ...(zone !== "" && { zone }),
  };
}

/** The ports of a service, as numbers of the pod; without those that it does not have. */
export function portsOf({ spec }: Service, pod: Pod): EndpointPort[] {
  return (spec?.ports ?? []).flatMap((servicePort) => {
    const port = targetPort(servicePort, pod);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [{ name, protocol, port, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

/** The address types of a service, by its IP families. */
export function addressTypesOf({ spec }: Service): readonly AddressType[] {
  const families = spec?.ipFamilies ?? [];
  if (families.length > 0) return families.filter((family) => family === "IPv4" || family === "IPv6");
  const { clusterIP = "None" } = spec ?? {};
  if (clusterIP === "None" || clusterIP === "") return ["IPv4", "IPv6"];
  return [clusterIP.includes(":") ? "IPv6" : "IPv4"];
}
