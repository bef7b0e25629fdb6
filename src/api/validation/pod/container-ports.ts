import { duplicate, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { number, objects, type Received, text } from "../../../machinery/meta/received.js";
import { portNameErrors } from "../../../machinery/validation/names.js";
import type { Container, ContainerPort } from "../../types/core/v1.js";
import { checkRange, checkRequiredOneOf, type Errors } from "../collect.js";

export function validateContainerPorts(ports: readonly Received<ContainerPort>[], path: string, errors: Errors): void {
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const name = text(port.name);
    if (name !== "") {
      const wrong = portNameErrors(name);
      for (const message of wrong) errors.push(invalidValue(`${at}.name`, name, message));
      if (wrong.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name));
      if (wrong.length === 0) names.add(name);
    }
    if (number(port.containerPort) === 0) errors.push(required(`${at}.containerPort`));
    else checkRange(port.containerPort, `${at}.containerPort`, 1, 65535, errors);
    if (number(port.hostPort) !== 0) checkRange(port.hostPort, `${at}.hostPort`, 1, 65535, errors);
    checkRequiredOneOf(port.protocol, `${at}.protocol`, ["SCTP", "TCP", "UDP"], errors);
  }
}

/** Two ports of the containers that would be one port of the host. */
export function checkHostPortConflicts(containers: readonly Received<Container>[], path: string, errors: Errors): void {
  const taken = new Set<string>();
  for (const [container, { ports }] of containers.entries()) {
    for (const [index, port] of objects(ports).entries()) {
      if (number(port.hostPort) === 0) continue;
      const key = `${text(port.protocol)}/${text(port.hostIP)}/${number(port.hostPort)}`;
      if (taken.has(key)) errors.push(duplicate(`${path}[${container}].ports[${index}].hostPort`, key));
      taken.add(key);
    }
  }
}
