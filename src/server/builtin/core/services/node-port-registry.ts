import { conflict } from "../../../../machinery/errors/status-error.js";
import { text } from "../../../../machinery/meta/access.js";
import type { InternalKind, InternalObject } from "../../../registry/internal-object.js";
import { NODE_PORT_ALLOCATION, takenPorts, withPorts } from "./node-ports.js";
import { NODE_PORTS, PortSet } from "./port-set.js";

/**
 * The stored set of taken node ports as a whole, for who compares it with the services there are. `version` is undefined
 * when nothing was stored yet; `write` throws Conflict when something was stored since `version`.
 */
export function nodePortRegistry(resources: { internal(kind: InternalKind): InternalObject }) {
  const stored = resources.internal(NODE_PORT_ALLOCATION);
  return {
    range: NODE_PORTS,
    async read(): Promise<{ readonly ports: Iterable<number>; readonly version: string | undefined }> {
      const current = await stored.get();
      if (current === undefined) return { ports: [], version: undefined };
      return { ports: takenPorts(current), version: text(current.metadata?.resourceVersion) };
    },
    async write(ports: Iterable<number>, version: string | undefined): Promise<void> {
      await stored.update((current) => {
        if ((current === undefined ? undefined : current.metadata?.resourceVersion) !== version) {
          throw conflict(NODE_PORT_ALLOCATION.resource, "", "the provided resource version does not match");
        }
        return { object: withPorts(current, PortSet.of(ports)), result: undefined };
      });
    },
  };
}
