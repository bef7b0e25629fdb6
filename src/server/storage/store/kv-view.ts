import type { Kv } from "../kv.js";
import type { Codecs } from "./codecs.js";
import type { KvObject } from "./kv-object.js";
import type { ObjectView } from "./reads.js";

/** A state of the objects below `prefix` as the key-value store keeps it. */
export class KvView implements ObjectView {
  constructor(
    private readonly kv: Kv,
    private readonly codecs: Codecs,
    private readonly prefix: string,
    readonly revision: number,
  ) {}

  async read(from: string, limit: number): Promise<{ objects: readonly KvObject[]; remaining: number }> {
    const { items, remaining } = await this.kv.list(this.prefix, {
      revision: this.revision,
      limit,
      // The first key after one without its last NUL is that key with it.
      ...(from !== this.prefix && { startAfter: from.endsWith("\0") ? from.slice(0, -1) : from }),
    });
    return { objects: items.map(({ key, revision, value }) => this.codecs.object(key, revision, value)), remaining };
  }

  keep(): void {
    // The store keeps it until it is compacted.
  }
}
