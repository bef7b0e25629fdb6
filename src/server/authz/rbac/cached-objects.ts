import type { KubeObject } from "../../../machinery/meta/object.js";

/** An object of the watch cache. An object that has not changed is the same one in the next list. */
export interface CachedObject {
  object(): KubeObject;
}

/** What is kept of the objects of a resource. */
export interface Kept<T> {
  add(entry: T): void;
  remove(entry: T): void;
}

/**
 * Keeps what it reads of a resource's objects up to date: of a new list of the watch cache it reads only the objects that have changed
 * since the last one, and compares no more than the identities of the others.
 */
export class CachedObjects<T> {
  readonly #entries = new WeakMap<CachedObject, T>();
  #objects: readonly CachedObject[] = [];

  constructor(
    private readonly read: (object: KubeObject) => T,
    private readonly kept: Kept<T>,
  ) {}

  follow(objects: readonly CachedObject[]): void {
    const before = this.#objects;
    if (objects === before) return;
    const shorter = Math.min(objects.length, before.length);
    let start = 0;
    while (start < shorter && objects[start] === before[start]) start++;
    let same = 0;
    while (same < shorter - start && objects.at(-1 - same) === before.at(-1 - same)) same++;
    const gone = new Set(before.slice(start, before.length - same));
    const come = objects.slice(start, objects.length - same).filter((object) => !gone.delete(object));
    for (const object of gone) this.kept.remove(this.#entry(object));
    for (const object of come) this.kept.add(this.#entry(object));
    this.#objects = objects;
  }

  #entry(object: CachedObject): T {
    const known = this.#entries.get(object);
    if (known !== undefined) return known;
    const entry = this.read(object.object());
    this.#entries.set(object, entry);
    return entry;
  }
}
