import type { Container, Pod, Probe } from "../../../api/types/core/v1.js";

/** The ports that Services send to, of those that select the pod. */
export type ServicePortsOf = (pod: Pod) => Promise<Iterable<number>>;

/** A container that stands in, and the port on which programs of its image listen, where that is known. */
interface StandInPorts {
  readonly name: string;
  readonly imagePort: number | undefined;
}

/**
 * Whether a container that stands in answers a port: one that it declares, that its probes and hooks name, or that its image has or a Service
 * sends to and that no other container of its pod declares.
 */
export async function answersPort(
  pod: Pod,
  { name, imagePort }: StandInPorts,
  port: number,
  servicePortsOf: ServicePortsOf | undefined,
): Promise<boolean> {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const all = [...containers, ...initContainers];
  const own = all.find((container) => container.name === name);
  if (own === undefined) return false;
  if (declares(own, port) || namesInProbes(own, port)) return true;
  if (all.some((container) => declares(container, port))) return false;
  if (imagePort === port) return true;
  if (servicePortsOf === undefined) return false;
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
