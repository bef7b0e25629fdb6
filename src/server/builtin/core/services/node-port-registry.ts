import { conflict } from "../../../../machinery/errors/status-error.js";
import { text } from "../../../../machinery/meta/received.js";
import type { InternalKind, InternalObject } from "../../../registry/internal-object.js";
import { NODE_PORT_ALLOCATION, takenPorts, withPorts } from "./node-ports.js";
import { NODE_PORTS, type Ports, PortSet } from "./port-set.js";

/**
 * The stored set of taken node ports as a whole, for who compares it with the services there are. `version` is undefined
 * when nothing was stored yet; `write` throws Conflict when something was stored since `version`. The range that is written is the one that
 * services get their ports of from then on.
 */
export function nodePortRegistry(
  resources: { internal(kind: InternalKind): InternalObject },
  range: Ports = NODE_PORTS,
) {
  const stored = resources.internal(NODE_PORT_ALLOCATION);
  return {
    range,
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
        return { object: withPorts(current, PortSet.of(range, ports)), result: undefined };
      });
    },
  };
}
