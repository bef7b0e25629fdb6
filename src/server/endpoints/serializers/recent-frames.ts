import { Fifo } from "../../../base/collections/fifo.js";
import type { StoredObject, WatchEventType } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import type { ServedResource } from "../served-resource.js";

/** The properties besides the object on which a frame of a watch depends. */
export interface FrameKey {
  readonly resource: ServedResource;
  readonly type: WatchEventType;
  readonly format: Pick<ResponseFormat, "mediaType" | "shape" | "metaVersion">;
}

interface Frame extends FrameKey {
  readonly bytes: Uint8Array;
}

/** A cache of the newest events' frames, so that an event is encoded once for all of its watchers. The oldest frames are dropped first. */
export class RecentFrames {
  readonly #frames = new Map<StoredObject, Frame[]>();
  /** The objects that have frames, the oldest first. */
  readonly #order = new Fifo<StoredObject>();
  /** The resources whose removal already drops their frames. */
  readonly #awaited = new WeakSet<ServedResource>();
  #weight = 0;

  /** `capacity` is in bytes. */
  constructor(private readonly capacity: number) {}

  /** Returns the cached frame, or the result of `make`. */
  get(object: StoredObject, key: FrameKey, make: () => Uint8Array): Uint8Array {
    const kept = this.#frames.get(object);
    const same = kept?.find((frame) => isSame(frame, key));
    if (same !== undefined) return same.bytes;
    const bytes = make();
    const { resource, type, format } = key;
    if (resource.removed.aborted) return bytes;
    this.#awaitRemoval(resource);
    const frame = { resource, type, format, bytes };
    if (kept === undefined) {
      this.#frames.set(object, [frame]);
      this.#order.push(object);
    } else kept.push(frame);
    this.#weight += bytes.length;
    while (this.#weight > this.capacity && this.#order.length > 0) this.#drop();
    return bytes;
  }

  /** Drops the frames of a resource when it is removed: they would keep it in memory. */
  #awaitRemoval(resource: ServedResource): void {
    if (this.#awaited.has(resource)) return;
    this.#awaited.add(resource);
    resource.removed.addEventListener("abort", () => this.#forget(resource), { once: true });
  }

  #forget(resource: ServedResource): void {
    for (const [object, frames] of this.#frames) {
      const rest = frames.filter((frame) => frame.resource !== resource);
      if (rest.length === frames.length) continue;
      for (const { resource: of, bytes } of frames) if (of === resource) this.#weight -= bytes.length;
      // What has no frames any more leaves the order when its turn comes.
      if (rest.length === 0) this.#frames.delete(object);
      else this.#frames.set(object, rest);
    }
  }

  #drop(): void {
    const oldest = this.#order.shift();
    if (oldest === undefined) return;
    for (const { bytes } of this.#frames.get(oldest) ?? []) this.#weight -= bytes.length;
    this.#frames.delete(oldest);
  }
}

function isSame(a: FrameKey, b: FrameKey): boolean {
  return (
    a.type === b.type &&
    a.resource === b.resource &&
    a.format.mediaType === b.format.mediaType &&
    a.format.shape === b.format.shape &&
    a.format.metaVersion === b.format.metaVersion
  );
}

/** Shared by all watches of the process. */
export const recentFrames = new RecentFrames(2 * 1024 * 1024);
