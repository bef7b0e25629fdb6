import { builtinRecord } from "../../server/builtin/index.js";
import { keyPrefix, ownKeyPrefix } from "../../server/api-registry/key-prefix.js";
import type { Release } from "../../api/facts/index.js";
import { once } from "../../base/async/once.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { Measuring } from "../../server/metrics/measures.js";
import type { MeasuredStorage } from "../../server/metrics/storage-measures.js";
import type { StorageObserver } from "../../server/storage/create-storage.js";
import type { Kv } from "../../server/storage/kv.js";

/** The storage of a server as its metrics see it. */
export class StoredResources implements MeasuredStorage {
  readonly resources = new Map<string, GroupResource>();
  #served: () => readonly { readonly group: string; readonly name: string }[] = () => [];
  /** Is told what the storage does. */
  readonly observer: StorageObserver;
  /** The built-in resources, as "GROUP/RESOURCE". */
  readonly #builtIn: () => ReadonlySet<string>;

  constructor(
    private readonly kv: Kv,
    measuring: Measuring,
    release: Release,
  ) {
    this.#builtIn = once(() => new Set(release.resources().map(({ group, name }) => `${group}/${name}`)));
    this.observer = {
      events: (events) => measuring.on?.storageEvents(events),
      listed: (resource, fromCache, returned) => measuring.on?.listed(resource, fromCache, returned),
      stores: (prefix, resource) => void this.resources.set(prefix, resource),
    };
  }

  /** `served` returns the resources that are served, whether anything has asked for their objects or not. */
  follow(served: () => readonly { readonly group: string; readonly name: string }[]): void {
    this.#served = served;
  }

  refresh(): void {
    for (const { group, name } of this.#served()) {
      const isBuiltIn = this.#builtIn().has(`${group}/${name}`);
      const prefix = isBuiltIn
        ? keyPrefix({ group, name }, builtinRecord(group, name)?.storage)
        : ownKeyPrefix({ group, name });
      if (!this.resources.has(prefix)) this.resources.set(prefix, { group, resource: name });
    }
  }

  count(prefix: string): Promise<number> {
    return this.kv.count(prefix);
  }

  currentRevision(): Promise<number> {
    return this.kv.currentRevision();
  }

  async size(): Promise<number | undefined> {
    return this.kv.size?.();
  }
}
