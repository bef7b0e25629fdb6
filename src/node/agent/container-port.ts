import { number, objects, type ReadonlyFields, text } from "../../machinery/meta/access.js";

/** A port by its number, or by the name that the container gives it; 0 for a name that it does not have. */
export function portNumber(port: unknown, container: ReadonlyFields): number {
  if (typeof port === "number") return port;
  if (/^\d+$/.test(text(port))) return Number(port);
  return number(objects(container.ports).find((one) => text(one.name) === text(port))?.containerPort);
}
