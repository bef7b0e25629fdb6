import type { ApiObject } from "../../machinery/meta/object.js";

/** More different ones, and the pool begins anew: what is common comes back at once. */
const MOST_SHARED = 1024;
/** Longer ones are seldom equal, and their text is kept. Characters. */
const LONGEST_SHARED = 4096;

/**
 * Shares one `fieldsV1` among objects that the same managers wrote. fieldsV1 is most of the memory of a small parsed object, and equal for
 * all objects of one controller: a cache of 100,000 ConfigMaps needs half of the memory.
 */
export class SharedFields {
  readonly #known = new Map<string, object>();

  /** Replaces the fields of a new object, which nobody else has seen yet, by shared ones. */
  share({ metadata }: ApiObject): void {
    for (const entry of metadata?.managedFields ?? []) {
      const { fieldsV1 } = entry;
      if (fieldsV1 === undefined) continue;
      const text = JSON.stringify(fieldsV1);
      if (text.length > LONGEST_SHARED) continue;
      const known = this.#known.get(text);
      if (known !== undefined) entry.fieldsV1 = known as typeof fieldsV1;
      else this.#remember(text, fieldsV1);
    }
  }

  #remember(text: string, fields: object): void {
    if (this.#known.size >= MOST_SHARED) this.#known.clear();
    this.#known.set(text, fields);
  }
}
