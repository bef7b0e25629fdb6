import type { Steps } from "../../base/async/steps.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** An object of the watch cache, not parsed yet. An object that has not changed is the same one in the next list. */
export interface CachedObject {
  object(): KubeObject;
}

/** An index of a resource's cached objects, which is kept up to date. */
export interface Kept<T> {
  add(entry: T): void;
  remove(entry: T): void;
}

/** So many new objects are read at once; more are long work. */
const FEW = 100;

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

  /** What to do in slices before {@link follow}; undefined where it is little. It changes nothing that is kept. */
  prepare(objects: readonly CachedObject[]): Steps<void> | undefined {
    if (objects === this.#objects) return undefined;
    const { after } = differing(this.#objects, objects);
    if (after.length <= FEW) return undefined;
    const unread = after.filter((object) => !this.#entries.has(object));
    return unread.length <= FEW ? undefined : this.#readSteps(unread);
  }

  follow(objects: readonly CachedObject[]): void {
    if (objects === this.#objects) return;
    const { before, after } = differing(this.#objects, objects);
    const gone = new Set(before);
    const come = after.filter((object) => !gone.delete(object));
    for (const object of gone) this.kept.remove(this.#entry(object));
    for (const object of come) this.kept.add(this.#entry(object));
    this.#objects = objects;
  }

  *#readSteps(unread: readonly CachedObject[]): Steps<void> {
    for (const object of unread) {
      this.#entry(object);
      yield;
    }
  }

  #entry(object: CachedObject): T {
    const known = this.#entries.get(object);
    if (known !== undefined) return known;
    const entry = this.read(object.object());
    this.#entries.set(object, entry);
    return entry;
  }
}

type Objects = readonly CachedObject[];

/** The parts of two lists between what they begin and end with alike. */
function differing(before: Objects, after: Objects): { readonly before: Objects; readonly after: Objects } {
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && before[first] === after[first]) first++;
  let last = 0;
  while (last < shorter - first && before.at(-1 - last) === after.at(-1 - last)) last++;
  return { before: before.slice(first, before.length - last), after: after.slice(first, after.length - last) };
}
