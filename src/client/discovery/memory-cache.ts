import { errorMessage } from "../../base/text/error-message.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import type { LoggedError } from "../../machinery/text/klog/klog.js";
import type { RestClient } from "../rest/rest-client.js";
import { isTransportError } from "../transport/transport-error.js";
import { fetchGroups, fetchResourceList } from "./live-discovery.js";
import type { WireGroup, WireResourceList } from "./wire.js";

type Entry = { readonly list: WireResourceList } | { readonly error: Error };

/** Logs an error that does not fail the command. */
export type DiscoveryLog = (error: LoggedError) => void;

/**
 * Caches discovery in memory for the life of a command. It fetches everything at once. A failed fetch is logged and thrown;
 * the next call retries it.
 */
export class MemoryCache {
  private groupList: readonly WireGroup[] | undefined;
  private entries = new Map<string, Entry>();
  private loading: Promise<void> | undefined;

  constructor(
    private readonly client: RestClient,
    private readonly log: DiscoveryLog,
  ) {}

  async groups(): Promise<readonly WireGroup[]> {
    await this.load();
    return this.groupList ?? [];
  }

  /** Throws "not found" for a group-version that is not in the server's group list. */
  async resourceList(groupVersion: string): Promise<WireResourceList> {
    await this.load();
    let entry = this.entries.get(groupVersion);
    if (entry === undefined) throw new Error("not found");
    if ("error" in entry && isTransient(entry.error)) {
      entry = await this.fetch(groupVersion, "memcache.go:133", "gv");
      this.entries.set(groupVersion, entry);
    }
    if ("error" in entry) throw entry.error;
    return entry.list;
  }

  invalidate(): void {
    this.groupList = undefined;
    this.entries = new Map();
  }

  private async load(): Promise<void> {
    while (!this.groupList) {
      this.loading ??= this.refresh().finally(() => {
        this.loading = undefined;
      });
      await this.loading;
    }
  }

  /** Reads everything, in vain if {@link invalidate} is called meanwhile. */
  private async refresh(): Promise<void> {
    const before = this.entries;
    let live: Awaited<ReturnType<typeof fetchGroups>>;
    try {
      live = await fetchGroups(this.client);
    } catch (error) {
      const message = "Couldn't get current server API group list";
      this.log({ source: "memcache.go:381", message, error: errorMessage(error) });
      throw error;
    }
    const entries = new Map<string, Entry>();
    if (live.resources) {
      for (const [groupVersion, list] of live.resources) entries.set(groupVersion, { list });
      for (const [groupVersion, error] of live.failed) entries.set(groupVersion, { error });
    } else {
      const names = live.groups.flatMap((group) => group.versions.map((version) => version.groupVersion));
      const lists = await Promise.all(names.map((name) => this.fetch(name, "memcache.go:403", "groupVersion")));
      for (const [index, name] of names.entries()) {
        const entry = lists[index];
        if (entry) entries.set(name, entry);
      }
    }
    if (this.entries !== before) return;
    this.entries = entries;
    this.groupList = live.groups;
  }

  /** `name` is that of the group-version in the log. */
  private async fetch(groupVersion: string, source: string, name: "gv" | "groupVersion"): Promise<Entry> {
    try {
      const list = await fetchResourceList(this.client, groupVersion);
      // Metrics servers often answer so, and kubectl does not log it.
      if (list.resources.length === 0) return { error: new Error(`received empty response for: ${groupVersion}`) };
      return { list };
    } catch (error) {
      const values = { [name]: groupVersion };
      this.log({ source, message: "Couldn't get resource list", error: errorMessage(error), values });
      return { error: error instanceof Error ? error : new Error(String(error)) };
    }
  }
}

function isTransient(error: Error): boolean {
  if (isStatusError(error)) return error.code >= 500 || error.reason === "TooManyRequests";
  return isTransportError(error) && /connection (refused|reset by peer)$/.test(error.reason);
}
