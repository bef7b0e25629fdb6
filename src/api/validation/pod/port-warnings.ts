import { goQuote } from "../../../base/text/go-quote.js";
import { number, objects, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { eachContainer } from "./each-container.js";

interface Port {
  readonly path: string;
  readonly name: string;
  readonly key: string;
  readonly hostIP: string;
  readonly hostPort: number;
  readonly shown: string;
}

/** Ports of a pod that are there twice, or stand in each other's way. */
export function portWarnings(spec: ReadonlyFields, path: string): string[] {
  const ports = portsOf(spec, path);
  if (ports.length === 0) return [];
  const byKey = new Map<string, Port[]>();
  const warnings: string[] = [];
  for (const port of ports) {
    if (port.hostIP !== "" && port.hostPort === 0) {
      warnings.push(`${port.path}: hostIP set without hostPort: ${port.shown}`);
    }
    const others = byKey.get(port.key) ?? [];
    for (const other of others) {
      const problem = conflict(port, other);
      if (problem !== undefined) warnings.push(`${port.path}: ${problem} port definition with ${other.path}`);
    }
    byKey.set(port.key, [...others, port]);
  }
  return [...warnings, ...repeatedNames(ports)];
}

function portsOf(spec: ReadonlyFields, path: string): Port[] {
  const all: Port[] = [];
  for (const [container, at] of eachContainer(spec, path)) {
    for (const [index, port] of objects(container.ports).entries()) {
      const [name, protocol, hostIP] = [text(port.name), text(port.protocol), text(port.hostIP)];
      const [hostPort, containerPort] = [number(port.hostPort), number(port.containerPort)];
      // As Go prints the struct.
      const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
      all.push({ path: `${at}.ports[${index}]`, name, key: `${containerPort}/${protocol}`, hostIP, hostPort, shown });
    }
  }
  return all;
}

function conflict(port: Port, other: Port): string | undefined {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort) return "duplicate";
  if (port.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const oneIsAny = (port.hostIP === "") !== (other.hostIP === "");
  return port.hostPort === other.hostPort && oneIsAny ? "dangerously ambiguous" : undefined;
}

function repeatedNames(ports: readonly Port[]): string[] {
  const named = new Map<string, string>();
  return ports.flatMap(({ name, path }) => {
    if (name === "") return [];
    const other = named.get(name);
    if (other !== undefined) {
      const use = `services and probes that select ports by name will use ${other}`;
      return [`${path}: duplicate port name ${goQuote(name)} with ${other}, ${use}`];
    }
    named.set(name, path);
    return [];
  });
}
