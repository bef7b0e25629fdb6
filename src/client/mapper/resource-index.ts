import type { GroupKind, GroupVersionKind, GroupVersionResource } from "../../machinery/meta/gvk.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import {
  AmbiguousResourceError,
  formatKind,
  formatResource,
  NoKindMatchError,
  NoResourceMatchError,
  type RestMapping,
} from "../../machinery/rest-mapper.js";
import type { WireGroup, WireResource, WireResourceList } from "../discovery/wire.js";

/** The mappings of one group-version, by all names of its resources. */
interface VersionIndex {
  readonly group: string;
  readonly version: string;
  /** From plural and singular names to the kind. */
  readonly kinds: ReadonlyMap<string, string>;
  /** From plural and singular names to the plural name. */
  readonly names: ReadonlyMap<string, string>;
  /** From kinds, also in lower case, to the plural name. */
  readonly plurals: ReadonlyMap<string, { readonly resource: string; readonly namespaced: boolean }>;
}

/**
 * Resolves partial names against the server's resource lists, with the order of client-go's priority mapper: core v1 first,
 * then each group's preferred version, its other versions, and the groups in their order. Immutable.
 */
export class ResourceIndex {
  private readonly versions: readonly VersionIndex[];
  /** Group and version patterns in order of preference. An undefined version matches any. */
  private readonly priorities: readonly { readonly group: string; readonly version: string | undefined }[];

  constructor(groups: readonly WireGroup[], lists: ReadonlyMap<string, WireResourceList>) {
    const versions: VersionIndex[] = [];
    const priorities: { group: string; version: string | undefined }[] = [{ group: "", version: "v1" }];
    for (const group of groups) {
      const preferred = group.preferredVersion;
      if (lists.has(preferred.groupVersion)) priorities.push({ group: group.name, version: preferred.version });
      for (const { groupVersion, version } of group.versions) {
        const list = lists.get(groupVersion);
        if (!list) continue;
        if (version !== preferred.version) priorities.push({ group: group.name, version });
        versions.push(indexOf(group.name, version, list.resources));
      }
    }
    for (const group of groups) priorities.push({ group: group.name, version: undefined });
    this.versions = versions;
    this.priorities = priorities;
  }

  /** An empty group or version matches any. A group without an exact match matches as a prefix. */
  kindFor(partial: GroupVersionResource): GroupVersionKind {
    const name = partial.resource.toLowerCase();
    if (name === "") throw new Error(`a resource must be present, got: ${formatResource(partial)}`);
    const found = this.versionsOf(partial, (index) => index.kinds.has(name)).flatMap((index) => {
      const kind = index.kinds.get(name);
      return kind === undefined ? [] : [{ group: index.group, version: index.version, kind }];
    });
    if (found.length === 0) throw new NoResourceMatchError(partial);
    const chosen = this.prefer(found);
    if (chosen) return chosen;
    throw new AmbiguousResourceError(
      `${formatResource(partial)} matches multiple kinds [${found.map(formatKind).join(" ")}]`,
    );
  }

  /**
   * All matches of a partial name in the server's order: every version of every group that matches as in {@link kindFor}.
   */
  resourcesFor(partial: GroupVersionResource): readonly GroupVersionResource[] {
    const name = partial.resource.toLowerCase();
    const wanted = { ...partial, resource: name };
    if (name === "") throw new Error(`a resource must be present, got: ${formatResource(wanted)}`);
    const found = this.versionsOf(partial, (index) => index.names.has(name)).flatMap(({ group, version, names }) => {
      const resource = names.get(name);
      return resource === undefined ? [] : [{ group, version, resource }];
    });
    if (found.length === 0) throw new NoResourceMatchError(partial);
    return found;
  }

  /** The first of {@link resourcesFor} by preference. */
  preferredResourceFor(partial: GroupVersionResource): GroupVersionResource {
    const found = this.resourcesFor(partial);
    const chosen = this.prefer(found);
    if (chosen) return chosen;
    throw new AmbiguousResourceError(
      `${formatResource(partial)} matches multiple resources [${found.map(formatResource).join(" ")}]`,
    );
  }

  mappingFor(kind: GroupKind, version: string | undefined): RestMapping {
    const found = this.versions
      .filter(
        (index) => index.group === kind.group && (version === undefined || version === "" || version === index.version),
      )
      .flatMap((index): RestMapping[] => {
        const target = index.plurals.get(kind.kind);
        if (!target) return [];
        const where = { group: index.group, version: index.version };
        return [
          {
            resource: { ...where, resource: target.resource },
            kind: { ...where, kind: kind.kind },
            namespaced: target.namespaced,
          },
        ];
      });
    if (found.length === 0) throw new NoKindMatchError(kind, version);
    const chosen = this.prefer(found.map((mapping) => ({ ...mapping.kind, mapping })));
    if (chosen) return chosen.mapping;
    const partial = formatKind({ ...kind, version: "" });
    throw new AmbiguousResourceError(
      `${partial} matches multiple kinds [${found.map((mapping) => formatKind(mapping.kind)).join(" ")}]`,
    );
  }

  private versionsOf(
    { group, version }: GroupVersionResource,
    has: (index: VersionIndex) => boolean,
  ): readonly VersionIndex[] {
    const candidates = this.versions.filter((index) => (version === "" || index.version === version) && has(index));
    if (group === "") return candidates;
    // Each version checks the prefix by itself. A group with a version must match exactly.
    return candidates.filter((index) => index.group === group || (version === "" && index.group.startsWith(group)));
  }

  private prefer<T extends { readonly group: string; readonly version: string }>(found: readonly T[]): T | undefined {
    let remaining = found;
    for (const { group, version } of this.priorities) {
      if (remaining.length === 1) return remaining[0];
      const matching = remaining.filter(
        (item) => item.group === group && (version === undefined || item.version === version),
      );
      if (matching.length === 1) return matching[0];
      if (matching.length > 1) remaining = matching;
    }
    return remaining.length === 1 ? remaining[0] : undefined;
  }
}

function indexOf(group: string, version: string, resources: readonly WireResource[]): VersionIndex {
  const kinds = new Map<string, string>();
  const names = new Map<string, string>();
  const plurals = new Map<string, { resource: string; namespaced: boolean }>();
  const index: VersionIndex = { group, version, kinds, names, plurals };
  for (const { name, singularName, kind, namespaced } of resources) {
    if (name.includes("/")) continue;
    names.set(singularName || kind.toLowerCase(), name);
    names.set(name, name);
    kinds.set(singularName || kind.toLowerCase(), kind);
    kinds.set(name, kind);
    plurals.set(kind.toLowerCase(), { resource: name, namespaced });
    plurals.set(kind, { resource: name, namespaced });
    addGuess(`${kind}List`, namespaced);
  }
  addGuess("List", false);
  return index;

  /** Discovery has no list kinds. client-go guesses their resource, which only has to exist. */
  function addGuess(guessed: string, namespaced: boolean): void {
    const resource = `${guessed.toLowerCase()}s`;
    for (const name of [guessed.toLowerCase(), resource]) {
      kinds.set(name, guessed);
      names.set(name, resource);
    }
    plurals.set(guessed, { resource, namespaced });
  }
}

/** Splits a resource argument at its dots. "deployments.v1.apps", with two dots or more, may name a version. */
export function parseResourceArgument(argument: string): {
  readonly full: GroupVersionResource | undefined;
  readonly partial: GroupVersionResource;
} {
  const [resource = "", second = "", ...rest] = argument.split(".");
  const group = argument.slice(resource.length + 1);
  return {
    full: rest.length > 0 ? { group: rest.join("."), version: second, resource } : undefined,
    partial: { group, version: "", resource },
  };
}

/** The group of a resource list. */
export function groupOf(list: WireResourceList): string {
  return parseGroupVersion(list.groupVersion).group;
}
