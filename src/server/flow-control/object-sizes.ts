import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { ApiRegistry } from "../api-registry/api-registry.js";
import { Store } from "../registry/store.js";
import type { RequestInfo } from "../request/request-info.js";
import type { StoredSize } from "../storage/store.js";

/** How long the average size of a resource's objects counts, in milliseconds; kube-apiserver's interval. */
const LASTS = 60_000;

/**
 * Reports the number and the average size of a registry's stored objects, by resource. Counts are current; averages are measured
 * once a minute.
 */
export class ObjectSizes {
  readonly #averages = new Map<string, { readonly bytes: number; readonly until: number }>();

  constructor(
    private readonly registry: ApiRegistry,
    private readonly now: () => number,
  ) {}

  readonly of = ({ apiGroup, apiVersion, resource }: RequestInfo): StoredSize | undefined => {
    const groupVersion = formatGroupVersion({ group: apiGroup, version: apiVersion });
    const storage = this.registry.current.find(groupVersion, resource)?.storage;
    const size = storage instanceof Store ? storage.config.objects.size?.() : undefined;
    return size && { count: size.count, averageBytes: () => this.#average(`${apiGroup}/${resource}`, size) };
  };

  #average(id: string, size: StoredSize): number {
    const now = this.now();
    const known = this.#averages.get(id);
    if (known !== undefined && now < known.until) return known.bytes;
    const bytes = size.averageBytes();
    // A resource that has no objects yet is measured at the next list.
    if (bytes > 0) this.#averages.set(id, { bytes, until: now + LASTS });
    return bytes;
  }
}
