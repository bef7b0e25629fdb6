import type { ApiObject } from "../../machinery/meta/object.js";
import { parseLabelSelector } from "../../machinery/selectors/parse-label-selector.js";

/** Returns the values under which an index has the object. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** The index that every {@link Indexer} has: objects by their namespace. */
export const NAMESPACE_INDEX = "namespace";

/** The read side of a cache. Its results are shared: never change them in place. */
export interface ReadonlyIndexer<T extends ApiObject> {
  readonly size: number;
  get(key: string): T | undefined;
  has(key: string): boolean;
  keys(): IterableIterator<string>;
  values(): IterableIterator<T>;
  /** Returns the objects that an index has under `value`. Throws `Index with name X does not exist`. */
  byIndex(index: string, value: string): T[];
  /** Returns the keys of these objects. */
  indexKeys(index: string, value: string): string[];
  /** Returns all values under which an index has objects. */
  indexValues(index: string): string[];
}

/** Objects by key and by the values of index functions, in memory (client-go's ThreadSafeMap). */
export class Indexer<T extends ApiObject> implements ReadonlyIndexer<T> {
  readonly #objects = new Map<string, T>();
  readonly #indices = new Map<string, Index<T>>();

  constructor(indexers: Readonly<Record<string, IndexFunction<T>>> = {}) {
    this.addIndexers({ [NAMESPACE_INDEX]: ({ metadata }) => [metadata?.namespace ?? ""], ...indexers });
  }

  /** Adds indices and fills them with the objects there are. Throws when an index of that name exists. */
  addIndexers(indexers: Readonly<Record<string, IndexFunction<T>>>): void {
    const conflicts = Object.keys(indexers).filter((name) => this.#indices.has(name));
    if (conflicts.length > 0) throw new Error(`indexer conflict: ${conflicts.join(", ")}`);
    for (const [name, valuesOf] of Object.entries(indexers)) {
      const index: Index<T> = { valuesOf, keys: new Map() };
      for (const [key, object] of this.#objects) enter(index, key, object);
      this.#indices.set(name, index);
    }
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  has(key: string): boolean {
    return this.#objects.has(key);
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  /** Adds an object, or replaces the one with its key. */
  set(object: T, key = objectKey(object)): void {
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indices.values()) {
      if (before !== undefined) leave(index, key, before);
      enter(index, key, object);
    }
  }

  delete(key: string): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    for (const index of this.#indices.values()) leave(index, key, before);
  }

  /** Replaces all objects. */
  replace(objects: Iterable<T>): void {
    this.#objects.clear();
    for (const { keys } of this.#indices.values()) keys.clear();
    for (const object of objects) this.set(object);
  }

  byIndex(index: string, value: string): T[] {
    const found: T[] = [];
    for (const key of this.#index(index).keys.get(value) ?? []) {
      const object = this.#objects.get(key);
      if (object !== undefined) found.push(object);
    }
    return found;
  }

  indexKeys(index: string, value: string): string[] {
    return [...(this.#index(index).keys.get(value) ?? [])];
  }

  indexValues(index: string): string[] {
    return [...this.#index(index).keys.keys()];
  }

  #index(name: string): Index<T> {
    const index = this.#indices.get(name);
    if (index === undefined) throw new Error(`Index with name ${name} does not exist`);
    return index;
  }
}

interface Index<T> {
  readonly valuesOf: IndexFunction<T>;
  /** The keys of the objects under each value. */
  readonly keys: Map<string, Set<string>>;
}

function enter<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.valuesOf(object)) {
    const keys = index.keys.get(value);
    if (keys === undefined) index.keys.set(value, new Set([key]));
    else keys.add(key);
  }
}

function leave<T>(index: Index<T>, key: string, object: T): void {
  for (const value of index.valuesOf(object)) {
    const keys = index.keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) index.keys.delete(value);
  }
}

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

export interface NamespacedName {
  /** "" for an object without a namespace. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Returns the key of an object as client-go's MetaNamespaceKeyFunc does: "<namespace>/<name>", or "<name>" for an object without a
 * namespace.
 */
export function objectKey({ metadata }: ApiObject): string {
  const { namespace, name = "" } = metadata ?? {};
  return namespace === undefined || namespace === "" ? name : `${namespace}/${name}`;
}

/** Splits a key; the inverse of {@link objectKey}. Throws for an invalid key: `unexpected key format: "a/b/c"`. */
export function splitObjectKey(key: string): NamespacedName {
  const [first = "", second, ...more] = key.split("/");
  if (more.length > 0) throw new Error(`unexpected key format: ${JSON.stringify(key)}`);
  return second === undefined ? { namespace: "", name: first } : { namespace: first, name: second };
}
