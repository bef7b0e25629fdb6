import type { StatusError } from "../../../machinery/errors/status-error.js";
import type { EventReader } from "../event-log.js";
import type { CompactedError } from "../kv.js";
import type { ObjectCodec, StoredSize } from "../store.js";
import type { KvObject } from "./kv-object.js";
import type { ObjectEvent, ObjectView, Reads } from "./reads.js";

/**
 * The reads of a resource some of whose stored objects only another process can bring to the hub's version. They are brought
 * there before a reader sees them, a page of them at a time. What the other process refuses fails the read.
 */
export class UpgradedReads implements Reads {
  constructor(
    private readonly inner: Reads,
    private readonly later: NonNullable<ObjectCodec["later"]>,
  ) {}

  get ignoresLimitOfAny(): boolean {
    return this.inner.ignoresLimitOfAny;
  }

  async upgrade(objects: Iterable<KvObject | undefined>): Promise<void> {
    const waiting = [...objects].filter((object) => object?.awaitsUpgrade === true) as KvObject[];
    if (waiting.length === 0) return;
    const upgraded = await this.later.upgradeMany(waiting.map((object) => object.bytes));
    for (const [index, object] of waiting.entries()) {
      const bytes = upgraded[index];
      // Another reader may have been faster.
      if (bytes !== undefined && object.awaitsUpgrade) object.upgrade(bytes);
    }
  }

  ready(): Promise<void> {
    return this.inner.ready();
  }

  async latestOf(key: string): Promise<KvObject | undefined> {
    return this.#one(await this.inner.latestOf(key));
  }

  async notOlderOf(key: string, revision: number): Promise<KvObject | undefined> {
    return this.#one(await this.inner.notOlderOf(key, revision));
  }

  /** What waits for its upgrade is not there yet. */
  now(prefix: string): readonly KvObject[] | undefined {
    const objects = this.inner.now(prefix);
    return objects?.some((object) => object.awaitsUpgrade) === true ? undefined : objects;
  }

  size(prefix: string): StoredSize | undefined {
    return this.inner.size?.(prefix);
  }

  whenOccupied(prefix: string, listener: () => void): () => void {
    return this.inner.whenOccupied(prefix, listener);
  }

  async latest(prefix: string): Promise<ObjectView> {
    return this.#view(await this.inner.latest(prefix));
  }

  async notOlder(prefix: string, revision: number): Promise<ObjectView> {
    return this.#view(await this.inner.notOlder(prefix, revision));
  }

  async exactly(prefix: string, revision: number): Promise<ObjectView | undefined> {
    const view = await this.inner.exactly(prefix, revision);
    return view && this.#view(view);
  }

  startAfter(revision: number): Promise<number | undefined> {
    return this.inner.startAfter(revision);
  }

  follow(prefix: string, revision: number): EventReader<ObjectEvent> {
    return this.inner.follow(prefix, revision);
  }

  tooOld(error: CompactedError): StatusError {
    return this.inner.tooOld(error);
  }

  requestProgress(): Promise<void> {
    return this.inner.requestProgress();
  }

  async acknowledged(key: string, revision: number): Promise<KvObject | undefined> {
    return this.#one(await this.inner.acknowledged(key, revision));
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  async #one(object: KvObject | undefined): Promise<KvObject | undefined> {
    await this.upgrade([object]);
    return object;
  }

  #view(view: ObjectView): ObjectView {
    return {
      revision: view.revision,
      keep: () => view.keep(),
      read: async (from, limit) => {
        const page = await view.read(from, limit);
        await this.upgrade(page.objects);
        return page;
      },
    };
  }
}
