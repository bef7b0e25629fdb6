import type { ContainerPort, Pod, Service, ServicePort } from "../api/types/core/v1.js";
import { number, object, objects, type Received, type ReceivedObject, text } from "../machinery/meta/received.js";

/** The ports of a pod's containers in their order, as the pod states them. */
export const containerPorts = (
  pod: ReceivedObject<Pod>,
  field: "containers" | "initContainers",
): readonly Received<ContainerPort>[] => objects(object(pod.spec)[field]).flatMap(({ ports }) => objects(ports));

export const servicePorts = (service: ReceivedObject<Service>): readonly Received<ServicePort>[] =>
  objects(object(service.spec).ports);

/** The number of a pod's named port. Throws in kubectl's words where the pod has no port of that name. */
export function containerPortByName(pod: ReceivedObject<Pod>, name: string): number {
  const ports = [...containerPorts(pod, "containers"), ...containerPorts(pod, "initContainers")];
  const port = ports.find((one) => text(one.name) === name);
  if (port !== undefined) return number(port.containerPort);
  throw new Error(`Pod '${pod.metadata?.name ?? ""}' does not have a named port '${name}'`);
}

/** The number of a service's named port. Throws in kubectl's words where the service has no port of that name. */
export function servicePortByName(service: ReceivedObject<Service>, name: string): number {
  const port = servicePorts(service).find((one) => text(one.name) === name);
  if (port !== undefined) return number(port.port);
  throw new Error(`Service '${service.metadata?.name ?? ""}' does not have a named port '${name}'`);
}

/** The port of a pod that a service's port targets. Throws in kubectl's words where there is none. */
export function targetPort(service: ReceivedObject<Service>, pod: ReceivedObject<Pod>, port: number): number {
  const found = servicePorts(service).find((one) => number(one.port) === port);
  if (found === undefined) {
    throw new Error(`Service ${service.metadata?.name ?? ""} does not have a service port ${port}`);
  }
  // A headless service leads to the pod's own port.
  if (text(object(service.spec).clusterIP) === "None") return port;
  const target = found.targetPort;
  return typeof target === "string" ? containerPortByName(pod, target) : number(target) || port;
}
