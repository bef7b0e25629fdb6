import { errorMessage } from "../../base/text/error-message.js";
import type { GroupKind, GroupVersionKind, GroupVersionResource } from "../../machinery/meta/gvk.js";
import {
  isNoMatchError,
  NoResourceMatchError,
  type RestMapper,
  type RestMapping,
} from "../../machinery/rest-mapper.js";
import type { CachedDiscovery } from "../discovery/cached-discovery.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { groupOf, parseResourceArgument, ResourceIndex } from "./resource-index.js";
import type { WireResourceList } from "../discovery/wire.js";
import { formatGroupResource } from "../../machinery/errors/status-error.js";
import { goQuote } from "../../base/text/go-quote.js";

/** The part of discovery that the mapper uses. */
export type MappedDiscovery = Pick<CachedDiscovery, "groupsAndLists" | "warn" | "fresh" | "invalidate">;

/** Creates a mapper over discovery. It warns of a short name that two resources share, through the client's warnings. */
export function createRestMapper(discovery: MappedDiscovery, log?: VerboseLog): RestMapper {
  return new DiscoveryMapper(discovery, log);
}

/**
 * Maps names to resources and kinds through discovery. Its requests are client-go's, one by one: while the server is
 * unreachable, each retries and logs a line of its own, and scripts may depend on that output.
 */
class DiscoveryMapper implements RestMapper {
  private index: Promise<ResourceIndex> | undefined;

  constructor(
    private readonly discovery: MappedDiscovery,
    private readonly log: VerboseLog | undefined,
  ) {}

  async resourceFor(argument: string): Promise<GroupVersionResource> {
    const { full, partial } = parseResourceArgument(argument);
    let kind: GroupVersionKind | undefined;
    for (const wanted of full ? [full, partial] : [partial]) {
      kind ??= await this.kindFor(wanted).catch(() => undefined);
    }
    if (kind) return (await this.mappingFor(kind, kind.version)).resource;
    const asKind = async (wanted: GroupVersionResource) => {
      const { group, resource, version } = wanted;
      return (await this.mappingFor({ group, kind: resource }, version || undefined)).resource;
    };
    const found = await asKind(full ?? partial).catch(() => undefined);
    if (found) return found;
    try {
      return await asKind(partial);
    } catch (error) {
      throw isNoMatchError(error) ? new NoResourceMatchError(partial) : error;
    }
  }

  async kindFor(resource: GroupVersionResource): Promise<GroupVersionKind> {
    try {
      return await this.kindOfExpanded(resource);
    } catch (error) {
      if (!isNoMatchError(error)) throw error;
      // The short names were expanded before the refresh. The refreshed discovery may know the name.
      return this.kindOfExpanded(resource);
    }
  }

  async resourcesFor(partial: GroupVersionResource): Promise<readonly GroupVersionResource[]> {
    const expanded = await this.expand(partial);
    return this.ask((index) => index.resourcesFor(expanded));
  }

  async preferredResourceFor(partial: GroupVersionResource): Promise<GroupVersionResource> {
    const expanded = await this.expand(partial);
    return this.ask((index) => index.preferredResourceFor(expanded));
  }

  mappingFor(kind: GroupKind, version?: string): Promise<RestMapping> {
    return this.ask((index) => index.mappingFor(kind, version));
  }

  async category(name: string): Promise<readonly GroupVersionResource[] | undefined> {
    const lists = await this.lists();
    const members = new Map<string, GroupVersionResource>();
    for (const list of lists) {
      for (const entry of list.resources) {
        if (!entry.categories?.includes(name)) continue;
        const group = groupOf(list);
        const key = `${entry.name}.${group}`;
        if (!members.has(key)) members.set(key, { group, version: "", resource: entry.name });
      }
    }
    return members.size === 0 ? undefined : [...members.values()];
  }

  refresh(): void {
    this.log?.structured(5, "discovery.go:279", "Invalidating discovery information", {});
    this.discovery.invalidate();
    this.index = undefined;
  }

  private async kindOfExpanded(resource: GroupVersionResource): Promise<GroupVersionKind> {
    const expanded = await this.expand(resource);
    return this.ask((index) => index.kindFor(expanded));
  }

  private async expand(resource: GroupVersionResource): Promise<GroupVersionResource> {
    const lists = await this.lists((reason) => {
      this.log?.structured(1, "shortcut.go:177", "Error loading discovery information", { err: reason });
    });
    return expandShortcut(resource, lists, (text) => this.discovery.warn(text));
  }

  /** The resource lists that could be read; none when the server is unreachable. */
  private async lists(onFailure?: (reason: string) => void): Promise<readonly WireResourceList[]> {
    try {
      return [...(await this.discovery.groupsAndLists()).lists.values()];
    } catch (error) {
      onFailure?.(errorMessage(error));
      return [];
    }
  }

  /**
   * Looks `question` up in the cached discovery. When it is not found and the cache came from disk, the mapper invalidates
   * the cache and asks once more.
   */
  private async ask<T>(question: (index: ResourceIndex) => T): Promise<T> {
    const index = await this.load();
    try {
      return question(index);
    } catch (error) {
      if (this.discovery.fresh()) throw error;
      this.refresh();
      return question(await this.load());
    }
  }

  private load(): Promise<ResourceIndex> {
    this.index ??= this.build().catch((error: unknown) => {
      this.index = undefined;
      throw error;
    });
    return this.index;
  }

  private async build(): Promise<ResourceIndex> {
    // A list that failed counts as empty, so that its names are not found.
    const { groups, lists } = await this.discovery.groupsAndLists();
    return new ResourceIndex(groups, lists);
  }
}

/**
 * Expands a short name ("po", "deploy.apps") to the resource's full name. A plural or singular name takes precedence. When
 * two groups have the short name, the first one wins and `warn` names the other.
 */
function expandShortcut(
  wanted: GroupVersionResource,
  lists: Iterable<WireResourceList>,
  warn: (text: string) => void,
): GroupVersionResource {
  const all = [...lists];
  for (const list of all) {
    if (wanted.group !== "" && wanted.group !== groupOf(list)) continue;
    const exact = list.resources.some(
      ({ name, singularName }) => name === wanted.resource || singularName === wanted.resource,
    );
    if (exact) return wanted;
  }
  let found: { readonly group: string; readonly resource: string } | undefined;
  const warned = new Set<string>();
  for (const long of shortcutsOf(wanted.resource, all)) {
    if (wanted.group !== "" && wanted.group !== long.group) continue;
    if (!found) {
      found = long;
      continue;
    }
    const shown = formatGroupResource(long);
    if ((long.group === found.group && long.resource === found.resource) || warned.has(shown)) continue;
    warned.add(shown);
    warn(`short name ${goQuote(wanted.resource)} could also match lower priority resource ${shown}`);
  }
  if (found) return { group: found.group, version: "", resource: found.resource };
  if (wanted.group === "") return wanted;
  for (const long of shortcutsOf(wanted.resource, all)) {
    if (long.group.startsWith(wanted.group)) return { ...wanted, ...long };
  }
  return wanted;
}

function* shortcutsOf(
  shortName: string,
  lists: readonly WireResourceList[],
): Generator<{ readonly group: string; readonly resource: string }> {
  for (const list of lists) {
    for (const entry of list.resources) {
      if (entry.shortNames?.includes(shortName)) yield { group: groupOf(list), resource: entry.name };
    }
  }
}
