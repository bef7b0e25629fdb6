import type { RangeAllocation } from "../../../../api/types/core/v1.js";
import { randomBelow } from "../../../../base/numbers/random-below.js";
import type { Random } from "../../../../base/numbers/random.js";
import { text } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { InternalKind, InternalObject } from "../../../registry/internal-object.js";
import type { StrategyContext } from "../../../registry/strategy.js";
import { NODE_PORTS, type Ports, PortSet, rangeText, readRange } from "./port-set.js";
import { conflict } from "../../../../machinery/errors/status-error.js";
import { type FieldsOf, text as textOf } from "../../../../machinery/meta/received.js";

/** The RangeAllocation that says which node ports are taken; made, and put right, by a controller. */
const NODE_PORT_ALLOCATION: InternalKind = {
  apiVersion: "v1",
  kind: "RangeAllocation",
  resource: { group: "", resource: "servicenodeportallocations" },
  prefix: "/registry/ranges/",
  key: "servicenodeports",
};

/** Thrown when no node port can be allocated; the message is Kubernetes'. */
export class NodePortError extends Error {
  override readonly name = "NodePortError";
}

/** Allocates ports for one service; its allocations are undone when the service is not stored. */
export interface PortOperation {
  /** Throws {@link NodePortError}. */
  allocate(port: number): void;
  /** Throws {@link NodePortError}. */
  allocateNext(): number;
}

/** How many of the lowest ports people choose themselves: given only when all others are taken. A small range has none. */
const staticBand = (ports: number): number => (ports <= 16 ? 0 : Math.max(16, Math.min(128, Math.floor(ports / 32))));

/** The node ports of all services, in one stored object: the server that stores it first has the port. */
export class NodePorts {
  readonly #stored: InternalObject;
  readonly #random: Random;
  readonly #dryRun: boolean;

  constructor(context: StrategyContext) {
    this.#stored = context.internal(NODE_PORT_ALLOCATION);
    this.#random = context.random;
    this.#dryRun = context.dryRun;
  }

  /**
   * Takes all that `work` asks for, in one write, or nothing when it throws. `work` may run several times, each time from
   * the beginning. Answers what it answered.
   */
  async allocate<T>(work: (operation: PortOperation) => T): Promise<T> {
    if (this.#dryRun) {
      const current = await this.#stored.get();
      return work(orRefuse(() => new DryRunPorts(takenPorts(current)), work));
    }
    return this.#stored.update((current) => {
      const operation = orRefuse(() => new StoredPorts(takenPorts(current), this.#random), work);
      const result = work(operation);
      return { object: withPorts(current, operation.taken), result };
    });
  }

  async release(ports: readonly number[]): Promise<void> {
    if (this.#dryRun || ports.length === 0) return;
    await this.#stored.update((current) => {
      const taken = takenPorts(current);
      for (const port of ports) taken.delete(port);
      return { object: withPorts(current, taken), result: undefined };
    });
  }
}

/** Throws when it is not known which ports are taken. */
function takenPorts(allocation: FieldsOf<RangeAllocation> | undefined): PortSet {
  if (allocation === undefined) {
    throw new NodePortError(`cannot allocate resources of type ${NODE_PORT_ALLOCATION.resource.resource} at this time`);
  }
  const range = readRange(text(allocation.range));
  if (range === undefined) {
    throw new NodePortError("the provided port range does not match the current port range");
  }
  return PortSet.decode(range, text(allocation.data));
}

export function withPorts(allocation: KubeObject | undefined, ports: PortSet): KubeObject {
  return { ...allocation, range: rangeText(ports.range), data: ports.encode() } satisfies FieldsOf<RangeAllocation>;
}

/** Lets the work that would ask for ports say why there are none. */
function orRefuse<T>(open: () => T, work: (operation: PortOperation) => unknown): T {
  try {
    return open();
  } catch (error) {
    const refuse = () => {
      throw error;
    };
    work({ allocate: refuse, allocateNext: refuse });
    throw error;
  }
}

class StoredPorts implements PortOperation {
  constructor(
    readonly taken: PortSet,
    private readonly random: Random,
  ) {}

  allocate(port: number): void {
    if (!this.taken.covers(port)) {
      const valid = rangeText(this.taken.range);
      throw new NodePortError(`provided port is not in the valid range. The range of valid ports is ${valid}`);
    }
    if (this.taken.has(port)) throw new NodePortError("provided port is already allocated");
    this.taken.add(port);
  }

  allocateNext(): number {
    const { first, last } = this.taken.range;
    const upper = first + staticBand(last - first + 1);
    const port = this.#freeIn(upper, last) ?? this.#freeIn(first, upper - 1);
    if (port === undefined) throw new NodePortError("range is full");
    this.taken.add(port);
    return port;
  }

  /** From a random place upwards and around. */
  #freeIn(first: number, last: number): number | undefined {
    const size = last - first + 1;
    const start = randomBelow(this.random, size);
    for (let step = 0; step < size; step++) {
      const port = first + ((start + step) % size);
      if (!this.taken.has(port)) return port;
    }
    return undefined;
  }
}

/** Answers what a client may look at but not use: ports beyond the range, where one is to be chosen. */
class DryRunPorts implements PortOperation {
  readonly #own = new Set<number>();
  #last: number;

  constructor(private readonly taken: PortSet) {
    this.#last = taken.range.last + 1;
  }

  allocate(port: number): void {
    if (this.taken.has(port) || this.#own.has(port)) throw new NodePortError("provided port is already allocated");
    if (this.#own.size === 0) this.#last = port;
    this.#own.add(port);
    this.#last = Math.max(this.#last, port);
  }

  allocateNext(): number {
    this.#last += 1;
    this.#own.add(this.#last);
    return this.#last;
  }
}

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
      return { ports: takenPorts(current), version: textOf(current.metadata?.resourceVersion) };
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
