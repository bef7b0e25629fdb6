import type { ApiObject } from "../../machinery/meta/object.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";
import { NAMESPACE_INDEX, type ReadonlyIndexer } from "./indexer.js";

/** Reads an informer's cache as a client reads the API. Objects are shared: never change them, copy them first (structuredClone). */
export class Lister<T extends ApiObject> {
  constructor(
    private readonly cache: ReadonlyIndexer<T>,
    private readonly inNamespace?: string,
  ) {}

  /** Returns the lister of one namespace. */
  namespace(name: string): Lister<T> {
    return new Lister(this.cache, name);
  }

  /** Returns an object; undefined when the cache does not have it. Objects with a namespace need {@link namespace} first. */
  get(name: string): T | undefined {
    return this.cache.get(this.inNamespace === undefined ? name : `${this.inNamespace}/${name}`);
  }

  /** Returns the objects whose labels match, all objects without a selector ("app=web,tier!=front"). Throws for an invalid selector. */
  list(labelSelector = ""): T[] {
    const found =
      this.inNamespace === undefined ? [...this.cache.values()] : this.cache.byIndex(NAMESPACE_INDEX, this.inNamespace);
    if (labelSelector === "") return found;
    const selector = parseLabelSelector(labelSelector);
    return found.filter(({ metadata }) => selector.matches(metadata?.labels));
  }
}
