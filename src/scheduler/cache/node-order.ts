import type { Labels } from "../../machinery/selectors/label-selector.js";

/** The region and zone of a node: "" for one that is in none. */
export function zoneOf(labels: Labels): string {
  const zone = labels["topology.kubernetes.io/zone"] ?? labels["failure-domain.beta.kubernetes.io/zone"] ?? "";
  const region = labels["topology.kubernetes.io/region"] ?? labels["failure-domain.beta.kubernetes.io/region"] ?? "";
  return zone === "" && region === "" ? "" : `${region}:\0:${zone}`;
}

/** Nodes in turn of their zones, so that the first nodes that a cycle looks at are of all zones. */
export function interleaveZones<T extends { readonly labels: Labels }>(nodes: Iterable<T>): T[] {
  const zones = new Map<string, T[]>();
  for (const node of nodes) {
    const zone = zoneOf(node.labels);
    const members = zones.get(zone);
    if (members === undefined) zones.set(zone, [node]);
    else members.push(node);
  }
  const groups = [...zones.values()];
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  const ordered: T[] = [];
  for (let turn = 0; turn < longest; turn++) {
    for (const group of groups) {
      const node = group[turn];
      if (node !== undefined) ordered.push(node);
    }
  }
  return ordered;
}
