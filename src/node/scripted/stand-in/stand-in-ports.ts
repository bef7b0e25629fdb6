import type { Container, Pod, Probe } from "../../../api/types/core/v1.js";

/** The ports that Services send to, of those that select the pod. */
export type ServicePortsOf = (pod: Pod) => Promise<Iterable<number>>;

/**
 * Whether a container that stands in answers a port: one that it declares, that its probes and hooks name, or that a Service sends to and
 * that no other container of its pod declares.
 */
export async function answersPort(
  pod: Pod,
  name: string,
  port: number,
  servicePortsOf: ServicePortsOf | undefined,
): Promise<boolean> {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const all = [...containers, ...initContainers];
  const own = all.find((container) => container.name === name);
  if (own === undefined) return false;
  if (declares(own, port) || namesInProbes(own, port)) return true;
  if (servicePortsOf === undefined || all.some((container) => declares(container, port))) return false;
  for (const one of await servicePortsOf(pod)) if (one === port) return true;
  return false;
}

const declares = ({ ports = [] }: Container, port: number): boolean =>
  ports.some(({ containerPort, protocol = "TCP" }) => containerPort === port && protocol === "TCP");

function namesInProbes({ startupProbe, readinessProbe, livenessProbe, lifecycle }: Container, port: number): boolean {
  const actions: readonly (Pick<Probe, "httpGet" | "tcpSocket" | "grpc"> | undefined)[] = [
    startupProbe,
    readinessProbe,
    livenessProbe,
    lifecycle?.postStart,
    lifecycle?.preStop,
  ];
  return actions.some((action) =>
    [action?.httpGet?.port, action?.tcpSocket?.port, action?.grpc?.port].some((named) => Number(named) === port),
  );
}
