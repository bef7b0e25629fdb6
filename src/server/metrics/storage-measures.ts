import { type GroupResource, formatGroupResource } from "../../machinery/errors/status-error.js";
import type { Family } from "../../machinery/metrics/family.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";
import { familiesOf } from "./request-measures.js";
import { STORAGE } from "./storage-definitions.js";

/** The parts of the storage that the metrics read. */
export interface MeasuredStorage {
  /** The prefixes of keys, with the resources whose objects are below them. */
  readonly resources: ReadonlyMap<string, GroupResource>;
  /** Adds to {@link resources} what is served now. */
  refresh(): void;
  count(prefix: string): Promise<number>;
  currentRevision(): Promise<number>;
  /** How large the database is, in bytes; undefined where the storage does not know. */
  size(): Promise<number | undefined>;
}

/** The maximum age of counts, in milliseconds. 0: they are never read. */
export interface StoragePolls {
  readonly counts: number;
  readonly size: number;
}

const NO_RESOURCE: GroupResource = { group: "", resource: "" };

/** Counts the storage's calls, and reads its counts of objects. */
export class StorageMeasures {
  readonly #families: { readonly [Key in keyof typeof STORAGE]: Family };
  readonly #storage: MeasuredStorage;
  readonly #polls: StoragePolls;
  readonly #now: () => number;
  /** Since 1.37 lists from the watch cache are counted with those from the storage, by a label (K37-121). */
  readonly #countsCacheAsStorage: boolean;
  #counted = Number.NEGATIVE_INFINITY;
  #sized = Number.NEGATIVE_INFINITY;

  constructor(table: MetricTable, storage: MeasuredStorage, polls: StoragePolls, now: () => number) {
    this.#families = familiesOf(table, STORAGE);
    this.#storage = storage;
    this.#polls = polls;
    this.#now = now;
    this.#countsCacheAsStorage = table.minor >= 37;
    table.onReset(() => {
      this.#counted = Number.NEGATIVE_INFINITY;
      this.#sized = Number.NEGATIVE_INFINITY;
    });
    table.onRead(() => this.#read());
  }

  stored(operation: string, key: string, milliseconds: number, failed: boolean): void {
    const { group, resource } = this.#resourceOf(key);
    const { duration, total, errors, listDuration } = this.#families;
    duration.observe(duration.series(operation, group, resource), milliseconds / 1000);
    total.add(total.series(operation, group, resource));
    if (failed) errors.add(errors.series(operation, group, resource));
    if (operation === "list") listDuration.observe(listDuration.series("false", group, resource), milliseconds / 1000);
  }

  /** The watch cache applies each event and hands it on to watchers at once. */
  events(events: readonly { readonly key: string }[]): void {
    const { eventsReceived, cacheEventsReceived, cacheEventsDispatched } = this.#families;
    for (const { key } of events) {
      const { group, resource } = this.#resourceOf(key);
      for (const family of [eventsReceived, cacheEventsReceived, cacheEventsDispatched]) {
        family.add(family.series(group, resource));
      }
    }
  }

  listed({ group, resource }: GroupResource, fromCache: boolean, returned: number): void {
    const { lists, listReturned, cacheLists, cacheListReturned } = this.#families;
    if (this.#countsCacheAsStorage) {
      const storage = fromCache ? "watchcache" : "etcd";
      lists.add(lists.series(group, resource, storage, ""));
      listReturned.add(listReturned.series(group, resource, storage), returned);
      if (!fromCache) return;
    }
    if (fromCache) cacheLists.add(cacheLists.series(group, resource, ""));
    else lists.add(lists.series(group, resource));
    const counted = fromCache ? cacheListReturned : listReturned;
    counted.add(counted.series(group, resource), returned);
  }

  apiServiceUnavailable(name: string, reason: string): void {
    const { apiServiceUnavailable } = this.#families;
    apiServiceUnavailable.add(apiServiceUnavailable.series(name, reason));
  }

  /** Of APIServices that are served by others, those that are available or not. */
  apiServices(available: ReadonlyMap<string, boolean>): void {
    const { apiServicesUnavailable: gauge } = this.#families;
    gauge.clear();
    for (const [name, isAvailable] of available) gauge.set(gauge.series(name), isAvailable ? 0 : 1);
  }

  /** The resource whose keys begin as this one does: a key ends in a namespace and a name, or a name. */
  #resourceOf(key: string): GroupResource {
    const { resources } = this.#storage;
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
      const found = resources.get(key.slice(0, end + 1));
      if (found !== undefined) return found;
    }
    return NO_RESOURCE;
  }

  async #read(): Promise<void> {
    const now = this.#now();
    const { counts, size } = this.#polls;
    if (counts > 0 && now - this.#counted >= counts) {
      this.#counted = now;
      this.#storage.refresh();
      await Promise.all([...this.#storage.resources].map(([prefix, resource]) => this.#count(prefix, resource)));
      await this.#readRevision();
    }
    if (size > 0 && now - this.#sized >= size) {
      this.#sized = now;
      const bytes = await this.#storage.size().catch(() => undefined);
      if (bytes !== undefined) this.#families.size.set(this.#families.size.series("etcd-0"), bytes);
    }
  }

  async #count(prefix: string, resource: GroupResource): Promise<void> {
    const { objects, resourceObjects } = this.#families;
    // kube-apiserver's value of what could not be counted.
    const count = await this.#storage.count(prefix).catch(() => -1);
    objects.set(objects.series(formatGroupResource(resource)), count);
    resourceObjects.set(resourceObjects.series(resource.group, resource.resource), count);
  }

  async #readRevision(): Promise<void> {
    const { cacheRevision } = this.#families;
    const revision = await this.#storage.currentRevision().catch(() => undefined);
    if (revision === undefined) return;
    for (const { group, resource } of this.#storage.resources.values()) {
      cacheRevision.set(cacheRevision.series(group, resource), revision % 1e15);
    }
  }
}
