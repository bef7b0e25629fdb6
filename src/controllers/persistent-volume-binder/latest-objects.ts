import { objectKey, type ReadonlyIndexer } from "../../client/informers/index.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";
import type { ApiObject } from "../../machinery/meta/object.js";

/**
 * A cache with what the controller itself has written since: the binder would otherwise give a volume away twice before the cache
 * shows the first claim.
 */
export class LatestObjects<T extends ApiObject> {
  readonly #written = new Map<string, T>();

  constructor(private readonly cache: Pick<ReadonlyIndexer<T>, "get" | "values">) {}

  /** By key: "namespace/name", or "name" of an object without a namespace. */
  get(key: string): T | undefined {
    const cached = this.cache.get(key);
    return cached === undefined ? undefined : this.newest(cached);
  }

  list(): readonly T[] {
    return [...this.cache.values()].map((object) => this.newest(object));
  }

  /** The object as it was written last, when the cache shows an older version of it. */
  newest(cached: T): T {
    if (this.#written.size === 0) return cached;
    const key = objectKey(cached);
    const written = this.#written.get(key);
    if (written === undefined) return cached;
    const [known = "", shown = ""] = [written, cached].map(({ metadata }) => metadata?.resourceVersion ?? "");
    if (written.metadata?.uid === cached.metadata?.uid && (compareResourceVersions(known, shown) ?? 0) > 0)
      return written;
    this.#written.delete(key);
    return cached;
  }

  /** Remembers the answer to a write. */
  wrote(object: T): T {
    this.#written.set(objectKey(object), object);
    return object;
  }

  forget(key: string): void {
    this.#written.delete(key);
  }
}
