import type { IntOrString } from "../../api/types/meta/v1.js";
import type { Container, EphemeralContainer } from "../../api/types/core/v1.js";
import { number, objects, type OrAbsent, type Received, text } from "../../machinery/meta/received.js";

/** A port by its number, or by the name that the container gives it; 0 for a name that it does not have. */
export function portNumber(port: OrAbsent<IntOrString>, container: Received<Container | EphemeralContainer>): number {
  if (typeof port === "number") return port;
  const name = text(port);
  if (/^\d+$/.test(name)) return Number(name);
  return number(objects(container.ports).find((one) => text(one.name) === name)?.containerPort);
}
