import type { GroupFacts, ResourceFacts, ServedApi } from "../../api/facts/index.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { ApiServiceTable, GroupOrder } from "../builtin/apiregistration/remote-apis.js";

/** The resources of a group version that another server serves, as discovery knows them. */
export interface RemoteResources {
  /** As they were last known; undefined before they were. */
  readonly resources: readonly ResourceFacts[] | undefined;
  /** False while the server cannot be asked. */
  readonly isCurrent: boolean;
}

/**
 * What this server serves, with what other servers serve: an APIService with a service takes the place of what this server itself has in the
 * group version. Groups stand in the order of their APIServices' priorities; those of the same priority, and those that have none, as before.
 */
export function aggregatedView(
  own: ServedApi,
  { remotes, order }: ApiServiceTable,
  known: ReadonlyMap<string, RemoteResources>,
  epoch: number,
): ServedApi {
  const groups = withRemoteGroups(own.groups, order, (group, version) =>
    remotes.has(formatGroupVersion({ group, version })),
  );
  const isRemote = (groupVersion: string): boolean => remotes.has(groupVersion);
  const ownLeft = own.resources.filter(({ groupVersion }) => !isRemote(groupVersion));
  const resources = groups.flatMap(({ name: group, versions }) =>
    versions.flatMap((version) => {
      const groupVersion = formatGroupVersion({ group, version });
      if (isRemote(groupVersion)) return known.get(groupVersion)?.resources ?? [];
      return ownLeft.filter((one) => one.groupVersion === groupVersion);
    }),
  );
  const stale = [...remotes.keys()].filter((groupVersion) => known.get(groupVersion)?.isCurrent !== true);
  const unavailable = [...own.unavailable].filter((groupVersion) => !isRemote(groupVersion));
  const ownGroups = own.groups.flatMap(({ name, versions }) => {
    const left = versions.filter((version) => !isRemote(formatGroupVersion({ group: name, version })));
    return left.length === 0 ? [] : [{ name, versions: left }];
  });
  return {
    release: own.release,
    epoch,
    groups,
    resources,
    unavailable: new Set([...unavailable, ...stale]),
    types: own.types,
    title: own.title,
    aggregated: { own: { ...own, epoch, groups: ownGroups, resources: ownLeft }, remotes: new Set(remotes.keys()) },
  };
}

/** The groups with those versions of other servers that they lack, and other servers' groups where their priorities put them. */
function withRemoteGroups(
  own: readonly GroupFacts[],
  order: readonly GroupOrder[],
  isRemote: (group: string, version: string) => boolean,
): readonly GroupFacts[] {
  const stated = new Map(order.map((one) => [one.group, one]));
  const ownNames = new Set(own.map(({ name }) => name));
  const groups: GroupFacts[] = own.map((group) => {
    const known = stated.get(group.name);
    const added = known?.versions.filter((version) => isRemote(group.name, version)) ?? [];
    if (known === undefined || added.length === 0) return group;
    const there = new Set([...group.versions, ...added]);
    const first = known.versions.filter((version) => there.has(version));
    return { ...group, versions: [...first, ...group.versions.filter((version) => !first.includes(version))] };
  });
  for (const { group, priority, versions } of order) {
    const remote = versions.filter((version) => isRemote(group, version));
    if (ownNames.has(group) || remote.length === 0) continue;
    const next = groups.findIndex(({ name }) => {
      const other = stated.get(name);
      // The aggregator's own group has no APIService and stays first. The core group is no part of the list.
      if (other === undefined || name === "") return false;
      return other.priority < priority || (other.priority === priority && group < name);
    });
    groups.splice(next < 0 ? groups.length : next, 0, { name: group, versions: remote });
  }
  return groups;
}
