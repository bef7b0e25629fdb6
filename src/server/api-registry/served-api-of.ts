import type { ApiTitle, GroupFacts, Release, ResourceFacts, ServedApi, TypeSource } from "../../api/facts/index.js";
import { compareVersions } from "../../machinery/meta/gvk.js";
import type { Installation } from "./installation.js";
import { withOwnTypes } from "./own-types.js";

/** The order of built-in groups and of their versions in discovery; others follow, by name. */
export type GroupOrder = readonly GroupFacts[];

export interface ServedBasis {
  readonly release: Release;
  readonly order: GroupOrder;
  /** The types of built-in resources. */
  readonly types: TypeSource;
  readonly title?: ApiTitle | undefined;
}

/** Computes the API that is served when these resources are installed. */
export function servedApiOf(
  epoch: number,
  installations: Iterable<Installation>,
  unavailable: ReadonlySet<string>,
  { release, order, types, title }: ServedBasis,
): ServedApi {
  const all = [...installations];
  const byGroup = new Map<string, Map<string, ResourceFacts[]>>();
  for (const facts of all.flatMap(({ versions }) => versions)) {
    const versions = byGroup.get(facts.group) ?? new Map<string, ResourceFacts[]>();
    byGroup.set(facts.group, versions);
    versions.set(facts.version, [...(versions.get(facts.version) ?? []), facts]);
  }
  const stated = new Map(order.map(({ name, versions }, place) => [name, { place, versions }]));
  const placeOf = (group: string): number => stated.get(group)?.place ?? order.length;
  const groups = [...byGroup]
    .toSorted(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
    .map(([name, versions]) => ({ name, versions: inOrder([...versions.keys()], stated.get(name)?.versions ?? []) }));
  const resources = groups.flatMap(({ name, versions }) =>
    versions.flatMap((version) => byName(byGroup.get(name)?.get(version) ?? [])),
  );
  const kinds = all.flatMap((installation) => installation.kinds);
  return { release, epoch, groups, resources, unavailable, types: withOwnTypes(types, kinds), title };
}

/** The stated versions first, then the others, stable and newer ones first. */
function inOrder(versions: readonly string[], stated: readonly string[]): readonly string[] {
  const first = stated.filter((version) => versions.includes(version));
  return [...first, ...versions.filter((version) => !first.includes(version)).sort(compareVersions)];
}

const byName = (resources: readonly ResourceFacts[]): readonly ResourceFacts[] =>
  resources.toSorted((a, b) => (a.name < b.name ? -1 : 1));
