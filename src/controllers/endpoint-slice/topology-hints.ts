import type { Service } from "../../api/types/core/v1.js";
import type { EventRecorder } from "../../client/events/index.js";
import type { TypeHints } from "./plan-slices.js";
import { isOverloaded, type ZoneShares } from "./hints.js";

/** Remembers which services have hints by zones' shares of CPU, and records events of them when that begins and ends. */
export class TopologyHints {
  /** By service, the endpoints for each zone by address type. */
  readonly #zones = new Map<string, Map<string, ReadonlyMap<string, number>>>();

  constructor(private readonly events: EventRecorder) {}

  /** Whether any service has such hints. */
  get any(): boolean {
    return this.#zones.size > 0;
  }

  /** Takes what a plan of a service's slices came to. */
  note(key: string, service: Service, hints: readonly TypeHints[]): void {
    for (const { addressType, zones, problem } of hints) {
      const say = (type: "Normal" | "Warning", reason: string, message: string): void =>
        this.events.event(service, type, reason, `${message}, addressType: ${addressType}`);
      if (zones !== undefined) {
        if (!this.#zones.has(key)) say("Normal", ENABLED, "Topology Aware Hints has been enabled");
        this.#zones.set(key, (this.#zones.get(key) ?? new Map()).set(addressType, zones));
        continue;
      }
      if (problem !== undefined) say("Warning", DISABLED, problem);
      else if (this.#zones.has(key)) say("Warning", DISABLED, "Topology Aware Hints has been disabled");
      this.#forget(key, addressType);
    }
  }

  /** Forgets a service that is gone. */
  forget(key: string): void {
    this.#zones.delete(key);
  }

  /** The services that have too few endpoints for the clients of a zone. */
  overloaded(shares: ZoneShares | undefined): readonly string[] {
    return [...this.#zones]
      .filter(([, types]) => [...types.values()].some((zones) => isOverloaded(zones, shares)))
      .map(([key]) => key);
  }

  #forget(key: string, addressType: string): void {
    const types = this.#zones.get(key);
    types?.delete(addressType);
    if (types?.size === 0) this.#zones.delete(key);
  }
}

const ENABLED = "TopologyAwareHintsEnabled";
const DISABLED = "TopologyAwareHintsDisabled";
