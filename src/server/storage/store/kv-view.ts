import type { Kv, ListResult } from "../kv.js";
import type { Codecs } from "./codecs.js";
import type { KvObject } from "./kv-object.js";
import type { ObjectView } from "./reads.js";

/** A state of the objects below `prefix` in the key-value store. */
export class KvView implements ObjectView {
  constructor(
    private readonly kv: Kv,
    private readonly codecs: Codecs,
    private readonly prefix: string,
    readonly revision: number,
  ) {}

  async read(from: string, limit: number): Promise<{ objects: readonly KvObject[]; remaining: number }> {
    const { kv, prefix, revision } = this;
    if (from === prefix) return this.#objects(await kv.list(prefix, { revision, limit }));
    // A key that ends in NUL is the first key after the same one without it.
    if (from.endsWith("\0"))
      return this.#objects(await kv.list(prefix, { revision, limit, startAfter: from.slice(0, -1) }));
    // `startAfter` excludes its key and there is no key just before `from`, so `from` is read separately.
    const [own, after] = await Promise.all([
      kv.list(from, { revision, limit: 1 }),
      kv.list(prefix, { revision, limit, startAfter: from }),
    ]);
    const items = [...own.items.filter(({ key }) => key === from), ...after.items];
    const shown = limit > 0 ? items.slice(0, limit) : items;
    return this.#objects({ items: shown, remaining: after.remaining + items.length - shown.length });
  }

  keep(): void {
    // The store keeps the state until it is compacted.
  }

  #objects({ items, remaining }: Pick<ListResult, "items" | "remaining">): {
    objects: readonly KvObject[];
    remaining: number;
  } {
    return { objects: items.map(({ key, revision, value }) => this.codecs.object(key, revision, value)), remaining };
  }
}
