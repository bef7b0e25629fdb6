import { type Range, union } from "./range.js";

/** What is known of the sizes in a list or a map that the expression makes. */
export interface EntrySize {
  readonly container: "list" | "map";
  /** Of an index, which is 1, or of a key. */
  readonly key: Range;
  readonly value: Range;
}

/** What is known of either of two containers. */
export function unionOfEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}
