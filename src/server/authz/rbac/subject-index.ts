import { compareKeys } from "../../../base/collections/key-order.js";
import type { Binding } from "./binding.js";
import type { Kept } from "../cached-objects.js";

/** Indexes bindings by their subjects, each list in the order of the bindings' keys. */
export class SubjectIndex implements Kept<Binding> {
  readonly #bindings = new Map<string, Binding[]>();

  add(binding: Binding): void {
    for (const key of subjectKeys(binding)) {
      const bound = this.#bindings.get(key);
      if (bound === undefined) this.#bindings.set(key, [binding]);
      else bound.splice(placeOf(bound, binding), 0, binding);
    }
  }

  remove(binding: Binding): void {
    for (const key of subjectKeys(binding)) {
      const bound = this.#bindings.get(key) ?? [];
      const place = placeOf(bound, binding);
      if (bound[place] === binding) bound.splice(place, 1);
      if (bound.length === 0) this.#bindings.delete(key);
    }
  }

  get isEmpty(): boolean {
    return this.#bindings.size === 0;
  }

  /**
   * Calls `visit` with each binding that has one of the subjects, once, in the order of the bindings' keys, until it returns true.
   * Returns what the last call returned.
   */
  visit(subjects: readonly string[], visit: (binding: Binding) => boolean): boolean {
    const lists: (readonly Binding[])[] = [];
    for (const subject of subjects) {
      const bound = this.#bindings.get(subject);
      if (bound !== undefined) lists.push(bound);
    }
    const [only] = lists;
    if (only === undefined) return false;
    return lists.length === 1 ? only.some(visit) : visitMerged(lists, visit);
  }
}

const subjectKeys = ({ subjects }: Binding): ReadonlySet<string> => new Set(subjects.flatMap(({ key }) => key ?? []));

/** Where the binding is in the list, or belongs. */
function placeOf(bound: readonly Binding[], { key }: Binding): number {
  let low = 0;
  let high = bound.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(bound[middle]?.key ?? "", key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function visitMerged(lists: readonly (readonly Binding[])[], visit: (binding: Binding) => boolean): boolean {
  const positions = lists.map(() => 0);
  for (;;) {
    let first: Binding | undefined;
    for (const [index, list] of lists.entries()) {
      const next = list[positions[index] ?? 0];
      if (next !== undefined && (first === undefined || compareKeys(next.key, first.key) < 0)) first = next;
    }
    if (first === undefined) return false;
    for (const [index, list] of lists.entries()) {
      const position = positions[index] ?? 0;
      if (list[position] === first) positions[index] = position + 1;
    }
    if (visit(first)) return true;
  }
}
