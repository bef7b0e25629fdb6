import type { KubeObject } from "../../../machinery/meta/object.js";

/** An object that is not parsed yet. */
export interface ListedObject {
  object(): KubeObject;
}

/**
 * Follows a list that is replaced when something in it changes. What an object adds is computed once, and taken back when the object is
 * gone. An object that has not changed is the same in the next list and costs a comparison.
 */
export class FollowedList<T> {
  #items: readonly ListedObject[] = [];
  readonly #added = new WeakMap<ListedObject, T>();

  /** `add` computes what an object adds, and adds it. */
  constructor(
    private readonly add: (object: KubeObject) => T,
    private readonly remove: (added: T) => void,
  ) {}

  follow(items: readonly ListedObject[]): void {
    if (items === this.#items) return;
    const before = this.#items;
    const least = Math.min(before.length, items.length);
    let first = 0;
    while (first < least && before[first] === items[first]) first++;
    let same = 0;
    while (same < least - first && before.at(-1 - same) === items.at(-1 - same)) same++;
    this.#replace(before.slice(first, before.length - same), items.slice(first, items.length - same));
    this.#items = items;
  }

  #replace(before: readonly ListedObject[], after: readonly ListedObject[]): void {
    const kept = new Set(after);
    for (const item of before) if (!kept.has(item)) this.#takeBack(item);
    const known = new Set(before);
    for (const item of after) if (!known.has(item)) this.#added.set(item, this.add(item.object()));
  }

  #takeBack(item: ListedObject): void {
    const added = this.#added.get(item);
    if (added !== undefined) this.remove(added);
    this.#added.delete(item);
  }
}
