import type { ServiceSpec } from "../../../../api/types/core/v1.js";
import { invalidValue } from "../../../../machinery/errors/field-error.js";
import { internalError, invalid, StatusError } from "../../../../machinery/errors/status-error.js";
import { number, objects, type Received, text } from "../../../../machinery/meta/received.js";
import { NodePortError, type PortOperation } from "./node-ports.js";
import { needsHealthCheck, usesNodePorts, wantsNodePorts } from "./service-needs.js";

/** The ports that were chosen for a service; its spec does not contain them yet. */
export interface ChosenPorts {
  /** A node port for each port of the service, in their order; 0 for none. */
  readonly nodePorts: readonly number[];
  /** 0 for the one it has, or none. */
  readonly healthCheckNodePort: number;
}

/** Whether {@link choosePorts} would allocate any port. */
export function asksForPorts(spec: Received<ServiceSpec>, before: Received<ServiceSpec>): boolean {
  if (needsHealthCheck(spec) && !needsHealthCheck(before)) return true;
  if (!usesNodePorts(spec)) return false;
  const own = ownPorts(before);
  return objects(spec.ports)
    .map((port) => number(port.nodePort))
    .some((port) => (port === 0 ? wantsNodePorts(spec) : !own.has(port)));
}

/** Allocates from `operation` the ports that the service named `name` needs and lacks; `before` is undefined for a new one. */
export function choosePorts(
  name: string,
  spec: Received<ServiceSpec>,
  before: Received<ServiceSpec> | undefined,
  operation: PortOperation,
): ChosenPorts {
  const choose = before === undefined ? portsOfNew : portsOfChanged(ownPorts(before));
  const nodePorts = usesNodePorts(spec) ? choose(name, spec, operation) : [];
  const wantsHealthCheck = needsHealthCheck(spec) && !needsHealthCheck(before ?? {});
  const healthCheckNodePort = wantsHealthCheck ? healthCheckPort(number(spec.healthCheckNodePort), operation) : 0;
  return { nodePorts, healthCheckNodePort };
}

type Choose = (name: string, spec: Received<ServiceSpec>, operation: PortOperation) => readonly number[];

/** Ports of several protocols with one number share a node port. */
const portsOfNew: Choose = (name, spec, operation) => {
  const ports = objects(spec.ports).map((port) => ({ port: number(port.port), wanted: number(port.nodePort) }));
  const shared = new Map<number, number>();
  return ports.map(({ port, wanted }, index) => {
    if (wanted === 0 && !wantsNodePorts(spec)) return 0;
    const allocated = shared.get(port);
    if (allocated === undefined) {
      const asked = ports.find((other) => other.port === port && other.wanted !== 0)?.wanted;
      const chosen = asked === undefined ? nextPort(operation) : takePort(name, index, asked, operation);
      shared.set(port, chosen);
      return chosen;
    }
    return wanted === 0 || wanted === allocated ? allocated : takePort(name, index, wanted, operation);
  });
};

const portsOfChanged =
  (own: ReadonlySet<number>): Choose =>
  (name, spec, operation) => {
    const taken = new Set(own);
    const given = new Set<string>();
    return objects(spec.ports).map((port, index) => {
      const wanted = number(port.nodePort);
      if (wanted === 0 && !wantsNodePorts(spec)) return 0;
      const chosen = wanted === 0 ? nextPort(operation) : wanted;
      if (wanted !== 0 && !taken.has(wanted)) takePort(name, index, wanted, operation);
      taken.add(wanted);
      const pair = `{${text(port.protocol)} ${chosen}}`;
      if (given.has(pair)) throw failure(`duplicate nodePort: ${pair}`);
      given.add(pair);
      return chosen;
    });
  };

function takePort(name: string, index: number, port: number, operation: PortOperation): number {
  try {
    operation.allocate(port);
    return port;
  } catch (error) {
    if (!(error instanceof NodePortError)) throw error;
    const problem = invalidValue(`spec.ports[${index}].nodePort`, port, error.message);
    throw invalid({ group: "", kind: "Service" }, name, [problem]);
  }
}

function nextPort(operation: PortOperation): number {
  try {
    return operation.allocateNext();
  } catch (error) {
    if (!(error instanceof NodePortError)) throw error;
    throw internalError(`failed to allocate a nodePort: ${error.message}`);
  }
}

function healthCheckPort(wanted: number, operation: PortOperation): number {
  try {
    if (wanted === 0) return operation.allocateNext();
    operation.allocate(wanted);
    return wanted;
  } catch (error) {
    if (!(error instanceof NodePortError)) throw error;
    const what = wanted === 0 ? "a HealthCheck NodePort" : "requested HealthCheck NodePort";
    throw internalError(`failed to allocate ${what} ${wanted}: ${error.message}`);
  }
}

const ownPorts = (spec: Received<ServiceSpec>): ReadonlySet<number> =>
  new Set(objects(spec.ports).map((port) => number(port.nodePort)));

/** A failure that Kubernetes reports without a reason. */
const failure = (message: string): StatusError =>
  new StatusError({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 });
