import type { Service } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import { isConflict } from "../../machinery/errors/status-error.js";
import { number, object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { repeat } from "../repeat.js";
import { REPAIR_MS } from "./cluster-ip-repair.js";

/** The set of allocated node ports, as servers store it. */
export interface NodePortRegistry {
  /** Both included. */
  readonly range: { readonly first: number; readonly last: number };
  /** `version` is undefined when nothing was stored yet. */
  read(): Promise<{ readonly ports: Iterable<number>; readonly version: string | undefined }>;
  /** Throws Conflict when something was stored since `version`. */
  write(ports: Iterable<number>, version: string | undefined): Promise<void>;
}

/** How often a port must be seen without a service before it is free: its service may be about to be stored. */
const SIGHTINGS = 3;
const ATTEMPTS = 5;

/** Compares node ports with their services before the cluster counts as started, and every 180 seconds. */
export function nodePortRepair(context: ControllerContext): OwnWork {
  const { client, cluster, recorder } = context;
  if (cluster.nodePorts === undefined) return {};
  const events = recorder({ component: "portallocator-repair-controller" });
  const repair = new NodePortRepair(client, cluster.nodePorts, events);
  const run = () => repair.run();
  return { prepare: run, run: () => repeat(run, { ...context, milliseconds: REPAIR_MS }) };
}

/** Compares the allocated ports with the services' ports, and corrects the former. */
export class NodePortRepair {
  /** Ports without a service, and how often they were seen. */
  #leaks: ReadonlyMap<number, number> = new Map();

  constructor(
    private readonly client: KubernetesClient,
    private readonly registry: NodePortRegistry,
    private readonly events: EventRecorder,
  ) {}

  /** Goes through all services once. The first run of a new cluster makes node ports available at all. */
  async run(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#repair();
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #repair(): Promise<void> {
    const { first, last } = this.registry.range;
    const { ports, version } = await this.registry.read();
    const stored = new Set(ports);
    const used = new Set<number>();
    const warnings: (() => void)[] = [];
    for await (const service of this.client.of("v1", "Service").listAll()) {
      const warn = (reason: string, message: string) =>
        warnings.push(() => this.events.event(service, "Warning", reason, message));
      for (const port of nodePortsOf(service)) {
        if (port < first || port > last) {
          const range = `${first}-${last}`;
          warn("PortOutOfRange", `Port ${port} is not within the port range ${range}; please recreate service`);
        } else if (used.has(port)) {
          warn("PortAlreadyAllocated", `Port ${port} was assigned to multiple services; please recreate service`);
        } else if (!stored.has(port)) {
          warn("PortNotAllocated", `Port ${port} is not allocated; repairing`);
        }
        if (port >= first && port <= last) used.add(port);
      }
    }
    const leaks = new Map<number, number>();
    for (const port of stored) {
      const sightings = (this.#leaks.get(port) ?? 0) + 1;
      if (!used.has(port) && sightings < SIGHTINGS) leaks.set(port, sightings);
    }
    await this.registry.write([...used, ...leaks.keys()], version);
    this.#leaks = leaks;
    for (const warn of warnings) warn();
  }
}

/** A port that two protocols share counts once. */
function nodePortsOf(service: ReceivedObject<Service>): readonly number[] {
  const spec = object(service.spec);
  const protocols = new Map<number, Set<string>>();
  const found: number[] = [];
  const add = (port: number, protocol: string) => {
    const seen = protocols.get(port);
    if (port === 0) return;
    if (seen === undefined || seen.has(protocol)) found.push(port);
    protocols.set(port, (seen ?? new Set()).add(protocol));
  };
  for (const port of objects(spec.ports)) add(number(port.nodePort), text(port.protocol));
  add(number(spec.healthCheckNodePort), "TCP");
  return found;
}
