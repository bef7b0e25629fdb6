import { smallest } from "../../base/collections/append.js";
import type { Node } from "../../api/types/core/v1.js";

export type ZoneState = "Initial" | "Normal" | "PartialDisruption" | "FullDisruption";

/** Nodes that are tainted each second, in a healthy zone and in a large one most of whose nodes are not ready. */
const RATE = 0.1;
const SECONDARY_RATE = 0.01;
/** A zone with more nodes is large. */
const LARGE = 50;
const UNHEALTHY_SHARE = 0.55;

/** Nodes with this label do not count. */
const EXCLUDED = "node.kubernetes.io/exclude-disruption";

export function countsForZone({ metadata }: Node): boolean {
  return metadata?.labels?.[EXCLUDED] === undefined;
}

/** The zone of a node: its region and zone. "" for a node without both. */
export function zoneOf({ metadata }: Node): string {
  const labels = metadata?.labels ?? {};
  const of = (name: string): string =>
    labels[`topology.kubernetes.io/${name}`] ?? labels[`failure-domain.beta.kubernetes.io/${name}`] ?? "";
  const [region, zone] = [of("region"), of("zone")];
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}

/** The state of a zone, by its numbers of nodes that are ready and not ready. */
export function zoneState(ready: number, notReady: number): ZoneState {
  if (ready === 0 && notReady > 0) return "FullDisruption";
  if (notReady > 2 && notReady / (notReady + ready) >= UNHEALTHY_SHARE) return "PartialDisruption";
  return "Normal";
}

/** The number of nodes per second that are tainted in a zone of that state. */
export function taintRate(state: ZoneState, size: number): number {
  if (state !== "PartialDisruption") return RATE;
  return size > LARGE ? SECONDARY_RATE : 0;
}

interface Zone {
  state: ZoneState;
  rate: number;
  /** When the next node may be tainted. Milliseconds. */
  nextAt: number;
  readonly waiting: Set<string>;
}

/** The change of the cluster's state: all zones are fully disrupted from now on, or not any more. */
export type ClusterChange = "stopped" | "resumed" | undefined;

/** The nodes that wait for their NoExecute taint, zone by zone, at the rate of the zone's state. */
export class ZoneQueues {
  readonly #zones = new Map<string, Zone>();

  /** Adds a node that waits. */
  add(zone: string, node: string): void {
    this.#zone(zone).waiting.add(node);
  }

  remove(node: string): void {
    for (const { waiting } of this.#zones.values()) waiting.delete(node);
  }

  /** Takes the states of all zones that have nodes. While all of them are fully disrupted, no node is tainted: the fault may be here. */
  update(
    states: ReadonlyMap<string, { readonly state: ZoneState; readonly size: number }>,
    now: number,
  ): ClusterChange {
    for (const zone of states.keys()) this.#zone(zone);
    for (const zone of this.#zones.keys()) if (!states.has(zone)) this.#zones.delete(zone);
    if (states.size === 0) return undefined;
    const allAre = [...states.values()].every(({ state }) => state === "FullDisruption");
    const allWere = [...this.#zones.values()].every(({ state }) => state === "FullDisruption");
    for (const [name, { state, size }] of states) {
      const zone = this.#zone(name);
      if (zone.state === state && !(allWere && !allAre)) continue;
      zone.state = state;
      setRate(zone, taintRate(state, size), now);
    }
    if (allAre) for (const zone of this.#zones.values()) zone.rate = 0;
    if (allAre === allWere) return undefined;
    return allAre ? "stopped" : "resumed";
  }

  /** Takes the nodes that may be tainted now. */
  take(now: number): string[] {
    const taken: string[] = [];
    for (const zone of this.#zones.values()) {
      const [node] = zone.waiting;
      if (node === undefined || zone.rate === 0 || zone.nextAt > now) continue;
      zone.waiting.delete(node);
      zone.nextAt = now + 1000 / zone.rate;
      taken.push(node);
    }
    return taken;
  }

  /** When the next node that waits may be tainted; Infinity for never. */
  get nextAt(): number {
    const due = [...this.#zones.values()].filter(({ rate, waiting }) => rate > 0 && waiting.size > 0);
    return smallest(due.map(({ nextAt }) => nextAt));
  }

  #zone(name: string): Zone {
    let zone = this.#zones.get(name);
    if (zone === undefined) {
      zone = { state: "Initial", rate: RATE, nextAt: 0, waiting: new Set() };
      this.#zones.set(name, zone);
    }
    return zone;
  }
}

/** A zone that has to wait now waits by the new rate. */
function setRate(zone: Zone, rate: number, now: number): void {
  if (zone.rate === rate) return;
  zone.rate = rate;
  if (rate > 0 && zone.nextAt > now) zone.nextAt = now + 1000 / rate;
}
