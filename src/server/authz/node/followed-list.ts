import type { Steps } from "../../../base/steps.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

/** An object that is not parsed yet. */
export interface ListedObject {
  object(): KubeObject;
}

/** So many new objects are parsed at once; more are long work. */
const FEW = 100;

/**
 * Follows a list that is replaced when something in it changes. What an object adds is computed once, and taken back when the object is
 * gone. An object that has not changed is the same in the next list and costs a comparison.
 */
export class FollowedList<T> {
  #items: readonly ListedObject[] = [];
  readonly #computed = new WeakMap<ListedObject, T>();

  constructor(
    /** What an object adds. */
    private readonly compute: (object: KubeObject) => T,
    private readonly add: (computed: T) => void,
    private readonly remove: (computed: T) => void,
  ) {}

  /** What to do in slices before {@link follow}; undefined where it is little. It changes nothing that is followed. */
  prepare(items: readonly ListedObject[]): Steps<void> | undefined {
    if (items === this.#items) return undefined;
    const { after } = differing(this.#items, items);
    if (after.length <= FEW) return undefined;
    const unknown = after.filter((item) => !this.#computed.has(item));
    return unknown.length <= FEW ? undefined : this.#prepareSteps(unknown);
  }

  follow(items: readonly ListedObject[]): void {
    if (items === this.#items) return;
    const { before, after } = differing(this.#items, items);
    const [known, kept] = [new Set(before), new Set(after)];
    for (const item of before) if (!kept.has(item)) this.remove(this.#of(item));
    for (const item of after) if (!known.has(item)) this.add(this.#of(item));
    this.#items = items;
  }

  *#prepareSteps(unknown: readonly ListedObject[]): Steps<void> {
    for (const item of unknown) {
      this.#of(item);
      yield;
    }
  }

  #of(item: ListedObject): T {
    let computed = this.#computed.get(item);
    if (computed === undefined) this.#computed.set(item, (computed = this.compute(item.object())));
    return computed;
  }
}

type Items = readonly ListedObject[];

/** The parts of two lists between what they begin and end with alike. */
function differing(before: Items, after: Items): { readonly before: Items; readonly after: Items } {
  const least = Math.min(before.length, after.length);
  let first = 0;
  while (first < least && before[first] === after[first]) first++;
  let last = 0;
  while (last < least - first && before.at(-1 - last) === after.at(-1 - last)) last++;
  return { before: before.slice(first, before.length - last), after: after.slice(first, after.length - last) };
}
