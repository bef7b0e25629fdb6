import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { Measuring } from "../../server/metrics/measures.js";
import type { MeasuredStorage } from "../../server/metrics/storage-measures.js";
import type { StorageObserver } from "../../server/storage/create-storage.js";
import type { Kv } from "../../server/storage/kv.js";

/** The storage of a server as its metrics see it. */
export class StoredResources implements MeasuredStorage {
  readonly resources = new Map<string, GroupResource>();
  /** Is told what the storage does. */
  readonly observer: StorageObserver;

  constructor(
    private readonly kv: Kv,
    measuring: Measuring,
  ) {
    this.observer = {
      events: (events) => measuring.on?.storageEvents(events),
      listed: (resource, fromCache, returned) => measuring.on?.listed(resource, fromCache, returned),
      stores: (prefix, resource) => void this.resources.set(prefix, resource),
    };
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
