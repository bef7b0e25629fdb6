import { readFileSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import { pathComponent } from "../../base/files/path-component.js";
import type { Random } from "../../base/numbers/random.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import type { ApiResource } from "../../machinery/rest-mapper.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import type { RestClient } from "../rest/rest-client.js";
import { writeCacheFile } from "../cache-files.js";
import type { ApiGroup, Discovery, ServerVersion } from "./discovery.js";
import { fetchServerVersion } from "./live-discovery.js";
import { type DiscoveryLog, MemoryCache } from "./memory-cache.js";
import {
  groupsFile,
  readGroups,
  readResourceList,
  resourceListFile,
  type WireGroup,
  type WireResource,
  type WireResourceList,
} from "./wire.js";

const SIX_HOURS = 6 * 60 * 60 * 1000;

export interface DiscoveryOptions {
  readonly client: RestClient;
  /** --cache-dir; undefined caches in memory only. */
  readonly cacheDir?: string;
  readonly clock: Clock;
  /** Names temporary files. */
  readonly random: Random;
  /** Receives errors that do not fail the command. kubectl writes them to stderr as klog errors. */
  readonly onError?: DiscoveryLog;
  /** Logs hits, misses and failed writes of the disk cache. */
  readonly log?: VerboseLog | undefined;
}

/** Discovery with a disk cache in kubectl's layout, which both tools can share. */
export function createCachedDiscovery(options: DiscoveryOptions): CachedDiscovery {
  return new CachedDiscovery(options);
}

/** The cache folder of a server: "<cache-dir>/discovery/127.0.0.1_6443". A kubeconfig cannot name one outside of the cache. */
export function discoveryFolder(cacheDir: string, server: string): string {
  const host = server.replace("https://", "").replace("http://", "");
  return join(cacheDir, "discovery", components(host.replaceAll(/[^(\w/.)]/g, "_")));
}

/** Some group-versions could not be read. The rest of the answer is valid. */
export class GroupDiscoveryFailedError extends Error {
  override readonly name = "GroupDiscoveryFailedError";
  constructor(readonly groups: ReadonlyMap<string, Error>) {
    const lines = [...groups].map(([groupVersion, error]) => `${groupVersion}: ${error.message}`).sort();
    super(`unable to retrieve the complete list of server APIs: ${lines.join(", ")}`);
  }
}

export class CachedDiscovery implements Discovery {
  private readonly memory: MemoryCache;
  private readonly folder: string | undefined;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly ours = new Set<string>();
  /** What was read from the disk cache already. */
  private knownGroups: readonly WireGroup[] | undefined;
  private readonly knownLists = new Map<string, WireResourceList>();
  private invalidated = false;
  private onlyOurs = true;

  private readonly client: RestClient;

  private readonly log: VerboseLog | undefined;

  constructor({ client, cacheDir, clock, random, onError = () => undefined, log }: DiscoveryOptions) {
    this.client = client;
    this.log = log;
    this.memory = new MemoryCache(client, onError);
    this.clock = clock;
    this.random = random;
    this.folder = cacheDir === undefined ? undefined : discoveryFolder(cacheDir, client.server);
  }

  /** The group list in wire format. */
  async groupList(): Promise<readonly WireGroup[]> {
    const file = "servergroups.json";
    const cached = this.knownGroups ?? this.read(file, "APIGroupList", readGroups);
    if (cached) {
      this.logCached("cached_discovery.go:146", file);
      return (this.knownGroups = cached);
    }
    const groups = await this.memory.groups().catch((error: unknown) => this.logUncached(153, error));
    if (groups.length > 0) this.write(file, groupsFile(groups), 162);
    else this.log?.structured(3, "cached_discovery.go:157", "Skipped caching discovery info, no groups found", {});
    return groups;
  }

  /** The resources of one group-version, including subresources, in wire format. */
  async resourceList(groupVersion: string): Promise<WireResourceList> {
    const file = join(components(groupVersion), "serverresources.json");
    const cached =
      this.knownLists.get(groupVersion) ??
      this.read(file, "APIResourceList", (content) => readResourceList(content, groupVersion));
    if (cached) {
      this.logCached("cached_discovery.go:91", file);
      this.knownLists.set(groupVersion, cached);
      return cached;
    }
    const list = await this.memory.resourceList(groupVersion).catch((error: unknown) => this.logUncached(98, error));
    if (list.resources.length > 0) this.write(file, resourceListFile(list), 107);
    else this.log?.structured(3, "cached_discovery.go:102", "skipped caching discovery info, no resources found", {});
    return list;
  }

  /** The groups, and the resource lists of all versions that could be read, both in the server's order. */
  async groupsAndLists(): Promise<{
    readonly groups: readonly WireGroup[];
    readonly lists: ReadonlyMap<string, WireResourceList>;
    readonly failed: ReadonlyMap<string, Error>;
  }> {
    const groups = await this.groupList();
    const names = groups.flatMap((group) => group.versions.map((version) => version.groupVersion));
    const answers = await Promise.all(
      names.map((name) =>
        this.resourceList(name).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error)))),
      ),
    );
    const lists = new Map<string, WireResourceList>();
    const failed = new Map<string, Error>();
    for (const [index, name] of names.entries()) {
      const answer = answers[index];
      if (answer instanceof Error) failed.set(name, answer);
      else if (answer) lists.set(name, answer);
    }
    return { groups, lists, failed };
  }

  async groups(): Promise<readonly ApiGroup[]> {
    return (await this.groupList()).map((group) => ({
      name: group.name,
      versions: group.versions.map(({ version }) => version),
      preferredVersion: group.preferredVersion.version,
    }));
  }

  async resources(): Promise<{
    readonly resources: readonly ApiResource[];
    readonly failed: ReadonlyMap<string, Error>;
  }> {
    const { lists, failed } = await this.groupsAndLists();
    const resources = [...lists.values()].flatMap((list) => list.resources.map((entry) => apiResource(list, entry)));
    return { resources: resources.filter(({ name }) => !name.includes("/")), failed };
  }

  async resourcesOf(groupVersion: string): Promise<readonly ApiResource[]> {
    const list = await this.resourceList(groupVersion);
    return list.resources.map((entry) => apiResource(list, entry));
  }

  serverVersion(): Promise<ServerVersion> {
    return fetchServerVersion(this.client);
  }

  fresh(): boolean {
    return this.onlyOurs;
  }

  invalidate(): void {
    this.knownGroups = undefined;
    this.knownLists.clear();
    this.ours.clear();
    this.onlyOurs = true;
    this.invalidated = true;
    this.memory.invalidate();
  }

  /** Passes on a warning of discovery itself like a warning of the server. */
  warn(text: string): void {
    this.client.onWarning?.(text);
  }

  private logCached(source: string, name: string): void {
    if (this.folder === undefined) return;
    this.log?.structured(10, source, "Returning cached discovery info", { fileName: join(this.folder, name) });
  }

  private logUncached(line: number, error: unknown): never {
    const err = errorMessage(error);
    this.log?.structured(3, `cached_discovery.go:${line}`, "Skipped caching discovery info due to error", { err });
    throw error;
  }

  private read<T>(name: string, kind: string, decode: (content: JsonObject) => T): T | undefined {
    if (this.folder === undefined) return undefined;
    const file = join(this.folder, name);
    const ours = this.ours.has(file);
    if (this.invalidated && !ours) return undefined;
    try {
      if (this.clock.now() > statSync(file).mtimeMs + SIX_HOURS) return undefined;
      const content: unknown = JSON.parse(readFileSync(file, "utf8"));
      if (!isJsonObject(content) || content["kind"] !== kind) return undefined;
      this.onlyOurs &&= ours;
      return decode(content);
    } catch {
      return undefined;
    }
  }

  /** Writes a file of the disk cache. Logs errors with the `line` of kubectl's call; the next command asks the server again. */
  private write(name: string, content: string, line: number): void {
    if (this.folder === undefined) return;
    const file = join(this.folder, name);
    try {
      if (!renew(file, content, this.clock.now())) writeCacheFile(file, content, this.random);
      this.ours.add(file);
    } catch (error) {
      const values = { fileName: file, err: errorMessage(error) };
      this.log?.structured(1, `cached_discovery.go:${line}`, "Failed to write cache", values);
    }
  }
}

/** A relative path of what a server or a kubeconfig names: it does not leave the folder that it is joined to. */
const components = (words: string): string =>
  words
    .split("/")
    .filter((part) => part !== "")
    .map((part) => pathComponent(part))
    .join("/");

/** Updates only the timestamps of a file that has this content already: the rename takes most of the time of a write. */
function renew(file: string, content: string, now: number): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.size !== Buffer.byteLength(content)) return false;
  if (readFileSync(file, "utf8") !== content) return false;
  const time = new Date(now);
  utimesSync(file, time, time);
  return true;
}

function apiResource(list: WireResourceList, entry: WireResource): ApiResource {
  const { group, version } = parseGroupVersion(list.groupVersion);
  return {
    group,
    version,
    name: entry.name,
    singularName: entry.singularName,
    kind: entry.kind,
    namespaced: entry.namespaced,
    verbs: entry.verbs,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
  };
}
